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
    body = BytesIO()
    Image.frombytes(mode, (width, height), dots).save(body, kind, **options)
    return body.getvalue()


def animation(frames: int, width: int = 60, height: int = 40) -> bytes:
    """Draw a film in which each frame has another colour."""
    drawn = [Image.new("RGB", (width, height), (n * 37 % 256, n % 256, 9)) for n in range(frames)]
    body = BytesIO()
    drawn[0].save(body, "GIF", save_all=True, append_images=drawn[1:], duration=80)
    return body.getvalue()


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
