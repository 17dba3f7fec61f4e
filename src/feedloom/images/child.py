"""The child process that scales pictures, from standard input to standard output.

Has no secrets in its environment, little memory and no reason to open anything. What a
picture says of its size is judged before anything is decoded. Only pixels are handed on:
places, cameras, comments and colour profiles stay behind.
"""

import warnings
from io import BytesIO
from typing import cast

import msgspec
from PIL import AvifImagePlugin, Image, ImageCms, ImageOps, UnidentifiedImageError

from feedloom.processes import be_child

MEMORY = 1 << 30
MOST_PIXELS = 40_000_000
LONGEST_SIDE = 30_000
_MOST_MOVING_PIXELS = 16_000_000
"""In all frames together; of a longer animation only the first is shown."""
_MOST_FRAMES = 1_000
"""The same for tiny ones: each frame takes time, whatever its size."""
_MOST_SCANS = 100
"""Of a JPEG, most have ten. A scan of a few bytes has the whole picture computed anew."""
_SCAN = b"\xff\xda"
_TALLEST = 8
"""Times its width that a picture may be high: drawings that go down a page."""
_MOST_HIGH = 16_000
_NICE = 10
_FORMATS = ("AVIF", "BMP", "GIF", "JPEG", "PNG", "WEBP")
_JPEGS = ("JPEG", "MPO")
"""The second is what cameras write that put a preview behind a photograph: no film."""
_MIMES = {name: f"image/{name.lower()}" for name in ("AVIF", "GIF", "JPEG", "PNG", "WEBP")}
_OPTIONS: dict[str, dict[str, object]] = {
    "AVIF": {"quality": 60, "speed": 8, "max_threads": 1},
    "GIF": {},
    "JPEG": {"quality": 82, "progressive": True},
    "PNG": {},
    "WEBP": {"quality": 80, "method": 3},
}


class Asked(msgspec.Struct, frozen=True):
    body: bytes
    width: int
    accepts: str
    """``avif``, ``webp``, or nothing for what every program shows."""


class Rendered(msgspec.Struct, frozen=True):
    body: bytes = b""
    """Empty when there is a problem."""
    mime: str = ""
    width: int = 0
    height: int = 0
    """Of the original."""
    problem: str = ""


class _Refused(Exception):
    pass


def render(asked: Asked) -> Rendered:
    """Make one picture smaller; every failure becomes an answer."""
    try:
        return _render(asked)
    except UnidentifiedImageError:
        return Rendered(problem="not a picture")
    except _Refused as error:
        return Rendered(problem=str(error))
    except Exception as error:  # noqa: BLE001 - with damaged files the library fails in any way
        return Rendered(problem=type(error).__name__)


def _render(asked: Asked) -> Rendered:
    image: Image.Image = Image.open(BytesIO(asked.body), formats=_FORMATS)
    width, height = image.size
    if width * height > MOST_PIXELS or max(width, height) > LONGEST_SIDE:
        raise _Refused("too many pixels")
    if image.format in _JPEGS:
        if asked.body.count(_SCAN) > _MOST_SCANS:
            raise _Refused("too many scans")
        # Decodes no more of it than is shown.
        image.draft(None, (asked.width, 1))
    elif 1 < getattr(image, "n_frames", 1) <= _most_frames(width * height):
        return _moving(image, asked)
    still = ImageOps.exif_transpose(image)
    if (still.width < still.height) != (image.width < image.height):
        width, height = height, width
    still = _in_usual_colours(still)
    still.thumbnail(_largest(asked.width), reducing_gap=2.0)
    return _saved(_without_metadata(still), _format(still, asked.accepts), (width, height))


def _most_frames(pixels: int) -> int:
    return min(_MOST_FRAMES, _MOST_MOVING_PIXELS // pixels)


def _moving(image: Image.Image, asked: Asked) -> Rendered:
    frames, times = [], []
    size = image.size
    for number in range(getattr(image, "n_frames", 1)):
        image.seek(number)
        if image.size != size:
            break  # Frames may be larger than what was judged; browsers cut them.
        frame = image.convert("RGBA")
        times.append(image.info.get("duration", 100))
        frame.thumbnail(_largest(asked.width))
        frames.append(_without_metadata(frame))
    name = "WEBP" if asked.accepts else "GIF"
    return _saved(
        frames[0], name, size, save_all=True, append_images=frames[1:], duration=times, loop=0
    )


def _largest(width: int) -> tuple[int, int]:
    return width, min(width * _TALLEST, _MOST_HIGH)


def _in_usual_colours(image: Image.Image) -> Image.Image:
    profile = image.info.get("icc_profile")
    if profile and image.mode in {"RGB", "CMYK"}:
        try:
            converted = ImageCms.profileToProfile(
                image,
                ImageCms.ImageCmsProfile(BytesIO(profile)),
                ImageCms.createProfile("sRGB"),
                outputMode="RGB",
            )
        except (ImageCms.PyCMSError, OSError):
            return image.convert("RGB")
        return cast("Image.Image", converted)
    if image.mode == "I;16":
        # Converted as it is, every grey but the darkest would be white.
        image = image.point(lambda grey: grey / 256).convert("L")
    if image.has_transparency_data:
        return image.convert("RGBA")
    return image.convert("RGB")


def _without_metadata(image: Image.Image) -> Image.Image:
    clean = Image.new(image.mode, image.size)
    clean.paste(image)
    return clean


def _format(image: Image.Image, accepts: str) -> str:
    if accepts:
        return accepts.upper()
    return "PNG" if image.mode == "RGBA" else "JPEG"


def _saved(image: Image.Image, name: str, original: tuple[int, int], **options: object) -> Rendered:
    body = BytesIO()
    image.save(body, name, **_OPTIONS[name] | options)
    return Rendered(body.getvalue(), _MIMES[name], *original)


def answer(frame: bytes) -> bytes:
    return msgspec.msgpack.encode(render(msgspec.msgpack.decode(frame, type=Asked)))


def prepare() -> None:
    """Set the library's own limits, in case a format hides a picture in another."""
    Image.MAX_IMAGE_PIXELS = MOST_PIXELS
    AvifImagePlugin.DEFAULT_MAX_THREADS = 1
    warnings.simplefilter("error", Image.DecompressionBombWarning)


def main() -> None:
    prepare()
    be_child(answer, MEMORY, nice=_NICE)


if __name__ == "__main__":
    main()
