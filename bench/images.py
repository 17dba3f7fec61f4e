"""What the image proxy costs: a picture that is kept, one that is new, and a full cache.

A photograph of twelve million pixels is drawn here and asked for through the application
in this process, without a network: a fetcher hands it out at once. CPU is the server's
alone for pictures that are kept; for new ones it is that of the child which decodes and
encodes. The cache is then filled to four times its limit by two threads, while its size on
disk is looked at.
"""

import asyncio
import os
import statistics
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import structlog
from PIL import Image, ImageFilter
from starlette.applications import Starlette

from bench.pages import Visitor
from bench.tables import Table
from feedloom.app import Container, open_container
from feedloom.flow.pictures import WIDTHS, ImageProxy
from feedloom.images import ImageCache, ImageResizer
from feedloom.images.child import Asked, prepare, render
from feedloom.model.stages import FetchRequest, FetchResponse, Picture
from feedloom.serve import build_application
from feedloom.serve.image_addresses import ImageAddresses, image_key
from tests.containers import settings_for
from tests.databases import sqlite_databases

URL = "https://pictures.example/photograph.jpg"
ROUNDS, QUICK_ROUNDS = 2_000, 200
LIMIT = 50_000_000


def run(quick: bool) -> list[Table]:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(40))
    photograph = _photograph()
    kept = asyncio.run(_kept(photograph, QUICK_ROUNDS if quick else ROUNDS))
    return [kept, _new(photograph), _full(LIMIT // 10 if quick else LIMIT)]


def _photograph() -> bytes:
    noise = Image.effect_noise((4_000, 3_000), 60).convert("RGB")
    body = BytesIO()
    noise.filter(ImageFilter.GaussianBlur(3)).save(body, "JPEG", quality=90)
    return body.getvalue()


class _OnePicture:
    def __init__(self, body: bytes) -> None:
        self._body = body

    async def fetch(self, ask: FetchRequest) -> FetchResponse:
        return FetchResponse(ask.url, 200, {}, self._body)

    async def close(self) -> None:
        """Nothing is open."""


async def _kept(photograph: bytes, rounds: int) -> Table:
    table = Table(
        "sending a picture that is kept",
        ("format", "width", "kB", "median CPU ms", "p95 CPU ms"),
        note="The goal is at most 1 ms of CPU. Routing, signature, disk and answer are in it.",
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        async with open_container(settings_for(sqlite_databases(folder), folder)) as container:
            resizer = ImageResizer()
            proxy = ImageProxy(_OnePicture(photograph), resizer, ImageCache(folder, LIMIT))
            visitor = Visitor(_application(container, proxy), b"")
            for accepts in ("avif", "webp", ""):
                for width in WIDTHS:
                    size, found = await _asked(container, visitor, width, accepts, rounds)
                    median, p95 = statistics.median(found), sorted(found)[rounds * 95 // 100]
                    table.add(accepts or "jpeg", width, size / 1000, median, p95)
            await resizer.close()
    return table


def _application(container: Container, proxy: ImageProxy) -> Starlette:
    return build_application(replace(container.services(), images=proxy))


async def _asked(
    container: Container, visitor: Visitor, width: int, accepts: str, rounds: int
) -> tuple[int, list[float]]:
    key = image_key(container.services().secret_key)
    path = ImageAddresses("all", key, 10**6, lambda _: None).address(URL, width)
    accept = ((b"accept", f"image/{accepts or chr(42)}".encode()),)
    _, size, _, _ = await visitor.ask(path, accept)
    return size, [(await visitor.ask(path, accept))[3] for _ in range(rounds)]


def _new(photograph: bytes) -> Table:
    table = Table(
        "making a picture from one of 12 million pixels",
        ("format", "width", "kB", "CPU ms"),
        note=f"The original has {len(photograph) / 1000:,.0f} kB.",
    )
    prepare()
    for accepts in ("avif", "webp", ""):
        for width in WIDTHS:
            began = time.process_time()
            found = render(Asked(photograph, width, accepts))
            spent_ms = (time.process_time() - began) * 1000
            table.add(accepts or "jpeg", width, len(found.body) / 1000, spent_ms)
    return table


def _full(limit: int) -> Table:
    table = Table("a cache that is full", ("limit MB", "written MB", "largest MB", "us each write"))
    one = Picture(os.urandom(60_000), "image/webp", 1, 1)
    each = limit * 2 // len(one.body)
    with tempfile.TemporaryDirectory() as name:
        cache = ImageCache(Path(name), limit)

        def fill(first: int) -> None:
            for number in range(first, first + each):
                cache.write(f"{URL}?{number}", WIDTHS[0], "", one)

        writers = [threading.Thread(target=fill, args=(n * 10**6,)) for n in range(2)]
        began, largest = time.perf_counter(), 0
        for writer in writers:
            writer.start()
        while any(writer.is_alive() for writer in writers):
            largest = max(largest, _size(Path(name)))
            time.sleep(0.05)
        spent_s = time.perf_counter() - began
    table.add(limit / 1e6, 2 * each * len(one.body) / 1e6, largest / 1e6, spent_s / 2 / each * 1e6)
    return table


def _size(folder: Path) -> int:
    total = 0
    for place, _, files in os.walk(folder):
        for file in files:
            # It may have been deleted just now.
            with suppress(FileNotFoundError):
                total += Path(place, file).stat().st_size
    return total
