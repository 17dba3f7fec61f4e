"""Pictures for tests, drawn here."""

import random
import struct
import zlib
from io import BytesIO

from PIL import Image


def picture(
    width: int = 60, height: int = 40, *, kind: str = "PNG", mode: str = "RGB", **options: object
) -> bytes:
    """Draw a picture of noise, which does not get small."""
    dots = random.Random(7).randbytes(width * height * len(mode))
    return drawn(Image.frombytes(mode, (width, height), dots), kind, **options)


def drawn(image: Image.Image, kind: str, **options: object) -> bytes:
    """Write a picture as a file of some format."""
    body = BytesIO()
    image.save(body, kind, **options)
    return body.getvalue()


def animation(frames: int, width: int = 60, height: int = 40, *, kind: str = "GIF") -> bytes:
    """Draw a film in which each frame has another colour."""
    first, *others = (
        Image.new("RGB", (width, height), (n * 37 % 256, n % 256, 9)) for n in range(frames)
    )
    return drawn(first, kind, save_all=True, append_images=others, duration=80)


def growing(side: int, frames: int) -> bytes:
    """Write a GIF of one dot whose later frames are as large as a poster."""

    def block(film: bytes) -> bytes:
        """Cut the picture out of a GIF of one frame, without its colours."""
        start = film.index(b",\0\0\0\0")
        colours = 3 * (2 << (film[start + 9] & 7)) if film[start + 9] & 0x80 else 0
        return film[start : start + 9] + b"\0" + film[start + 10 + colours : -1]

    dot, poster = (drawn(Image.new("P", (s, s)), "GIF", optimize=False) for s in (1, side))
    head = b"GIF89a" + struct.pack("<HHBBB", 1, 1, 0x80, 0, 0) + bytes(6)
    return head + block(dot) + block(poster) * frames + b";"


def bomb(width: int, height: int) -> bytes:
    """Write a PNG of one colour that is small to send and huge to decode."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        checked = kind + data
        return struct.pack(">I", len(data)) + checked + struct.pack(">I", zlib.crc32(checked))

    packer = zlib.compressobj(9)
    row = b"\x00" * (width * 3 + 1)
    packed = b"".join(packer.compress(row) for _ in range(height)) + packer.flush()
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = (chunk(b"IHDR", header), chunk(b"IDAT", packed), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def claims(width: int, height: int) -> bytes:
    """Write a PNG that only says how large it is."""
    real = bomb(1, 1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    checked = b"IHDR" + header
    return real[:12] + checked + struct.pack(">I", zlib.crc32(checked)) + real[33:]
