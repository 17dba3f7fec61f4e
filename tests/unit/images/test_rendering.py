"""Pictures get smaller and lose their metadata; what is no picture, or too large, is refused."""

import asyncio
import random
from collections.abc import AsyncIterator
from io import BytesIO

import psutil
import pytest
from PIL import ExifTags, Image, PngImagePlugin

from feedloom.images import ImageResizer
from feedloom.images.child import Asked, Rendered, prepare, render
from feedloom.model.errors import NotAPicture
from tests.unit.images.pictures import animation, bomb, claims, drawn, growing, picture

prepare()
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


def rendered(body: bytes, width: int = 320, accepts: str = "") -> Rendered:
    return render(Asked(body, width, accepts))


def opened(found: Rendered) -> Image.Image:
    assert not found.problem
    return Image.open(BytesIO(found.body))


@pytest.mark.parametrize("kind", ["AVIF", "BMP", "GIF", "JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize(("accepts", "shown"), [("avif", "AVIF"), ("webp", "WEBP"), ("", "JPEG")])
def test_a_picture_comes_in_the_best_format_the_browser_takes(kind, accepts, shown):
    found = rendered(picture(800, 400, kind=kind), accepts=accepts)

    small = opened(found)
    assert (small.format, found.mime) == (shown, f"image/{shown.lower()}")
    assert small.size == (320, 160)
    assert (found.width, found.height) == (800, 400), "of the original, for the page"


def test_a_small_picture_is_not_made_larger():
    assert opened(rendered(picture(60, 40))).size == (60, 40)


def test_what_one_can_see_through_stays_so():
    found = rendered(picture(60, 40, mode="RGBA"))

    assert opened(found).mode == "RGBA"
    assert found.mime == "image/png"


def test_shades_of_grey_stay_what_they_are():
    found = opened(rendered(drawn(Image.new("I;16", (60, 40), 0x80_00), "PNG"), accepts="webp"))

    assert found.getpixel((20, 20)) == (128, 128, 128)


def test_a_tall_drawing_keeps_its_width_within_reason():
    assert opened(rendered(picture(100, 3_000, kind="PNG"), 320)).size == (85, 2560)


@pytest.mark.parametrize("accepts", ["avif", "webp", ""])
@pytest.mark.threat("P15")
def test_places_cameras_and_comments_stay_behind(accepts):
    exif = Image.Exif()
    exif[ExifTags.Base.Make] = "SECRET camera"
    exif.get_ifd(ExifTags.IFD.GPSInfo)[ExifTags.GPS.GPSDateStamp] = "SECRET place"
    profile = b"SECRET profile" * 20
    original = picture(kind="JPEG", exif=exif, comment=b"SECRET comment", icc_profile=profile)
    note = PngImagePlugin.PngInfo()
    note.add_text("Author", "SECRET author")

    found = rendered(original, accepts=accepts)
    other = rendered(picture(pnginfo=note), accepts=accepts)

    assert b"SECRET" in original
    assert found.body
    assert b"SECRET" not in found.body
    assert other.body
    assert b"SECRET" not in other.body
    assert not opened(found).getexif()


def test_a_picture_lying_on_its_side_is_put_upright():
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = 6

    found = rendered(picture(60, 40, kind="JPEG", exif=exif))

    assert opened(found).size == (40, 60)
    assert (found.width, found.height) == (40, 60)


@pytest.mark.parametrize(("accepts", "shown"), [("avif", "WEBP"), ("webp", "WEBP"), ("", "GIF")])
def test_a_film_goes_on_moving(accepts, shown):
    film = opened(rendered(animation(5), accepts=accepts))

    assert (film.format, getattr(film, "n_frames", 1)) == (shown, 5)


@pytest.mark.parametrize("accepts", ["webp", ""])
def test_a_photograph_with_a_preview_behind_it_does_not_move(accepts):
    found = rendered(animation(2, 800, 600, kind="MPO"), accepts=accepts)

    assert getattr(opened(found), "n_frames", 1) == 1
    assert opened(found).size == (320, 240)
    assert (found.width, found.height) == (800, 600)


@pytest.mark.threat("P15")
@pytest.mark.parametrize("shape", [(200, 400, 400), (1_001, 2, 2)])
def test_of_a_long_film_the_first_picture_is_shown(shape):
    found = opened(rendered(animation(*shape), accepts="webp"))

    assert getattr(found, "n_frames", 1) == 1


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        SVG,
        b"<?xml version='1.0'?>" + SVG,
        b"%PDF-1.4",
        b"\x89PNG\r\n\x1a\n",
        b"GIF89a",
    ],
)
@pytest.mark.threat("P13", "X11")
def test_what_is_no_picture_is_refused_whatever_it_says(body):
    assert rendered(body).problem


@pytest.mark.parametrize("size", [(50_000, 50_000), (40_000, 10), (7_000, 7_000)])
@pytest.mark.threat("P15")
def test_too_many_pixels_are_refused_before_they_are_decoded(size):
    assert rendered(claims(*size)).problem


@pytest.mark.threat("P15")
def test_a_film_whose_frames_grow_is_not_decoded_at_their_size():
    film = opened(rendered(growing(6_000, 50), accepts="webp"))

    assert (film.size, getattr(film, "n_frames", 1)) == ((1, 1), 1)


@pytest.mark.threat("P15")
def test_a_jpeg_that_has_itself_computed_anew_without_end_is_refused():
    whole = picture(400, 400, kind="JPEG", progressive=True)
    last = whole[whole.rindex(b"\xff\xda") : -2]

    assert not rendered(whole).problem
    assert rendered(whole[:-2] + last * 200 + whole[-2:]).problem


DAMAGED = (
    *(picture(40, 30, kind=kind) for kind in ("AVIF", "BMP", "GIF", "JPEG", "PNG", "WEBP")),
    *(animation(4, 30, 20, kind=kind) for kind in ("AVIF", "GIF", "PNG", "WEBP")),
)


@pytest.mark.threat("P13", "P15")
@pytest.mark.parametrize("body", DAMAGED)
def test_damaged_pictures_are_answered_whatever_the_library_raises(body: bytes):
    chance = random.Random(28)
    for _ in range(100):
        place = chance.randrange(len(body))
        rest = chance.choice((b"", body[place + 1 :], body[place + 4 :]))
        found = rendered(body[:place] + chance.randbytes(1) + rest, accepts="webp")

        assert bool(found.body) is not bool(found.problem)


def test_half_a_picture_is_refused():
    assert rendered(picture(400, 400)[:20_000]).problem


@pytest.fixture
async def resizer() -> AsyncIterator[ImageResizer]:
    made = ImageResizer()
    yield made
    await made.close()


def _children() -> list[psutil.Process]:
    mine = psutil.Process().children(recursive=True)
    return [p for p in mine if "feedloom.images.child" in " ".join(p.cmdline())]


@pytest.mark.threat("P15", "S17")
async def test_bombs_are_refused_with_bounded_memory(resizer: ImageResizer):
    """A picture of 36 million pixels that fits into 100 kB is shown; larger ones are not."""
    found = await resizer.render(bomb(6_000, 6_000), width=320, accepts="webp")
    child = _children()[0]
    for body in (claims(50_000, 50_000), bomb(20_000, 2_100)):
        with pytest.raises(NotAPicture):
            await resizer.render(body, width=320, accepts="webp")

    assert (found.width, found.height) == (6_000, 6_000)
    assert _children() == [child], "none of them cost a process"
    assert child.memory_info().rss < 200_000_000
    assert child.rlimit(psutil.RLIMIT_AS)[0] == 1 << 30
    assert child.rlimit(psutil.RLIMIT_FSIZE)[0] == 0
    assert set(child.environ()) == {"PYTHONPATH", "PYTHONUTF8"}


async def test_a_child_that_died_costs_no_picture(resizer: ImageResizer):
    await resizer.render(picture(), width=320, accepts="webp")
    _children()[0].kill()

    assert (await resizer.render(picture(), width=320, accepts="webp")).mime == "image/webp"


async def test_many_pictures_wait_for_two_processes(resizer: ImageResizer):
    asked = [resizer.render(picture(), width=320, accepts="") for _ in range(6)]

    assert len(await asyncio.gather(*asked)) == 6
    assert len(_children()) == 2
