"""Pictures that one sender asks for leave room for those of others."""

import asyncio
from typing import cast

import pytest

from feedloom.flow.pictures import ImageProxy
from feedloom.images import ImageCache, ImageResizer
from feedloom.model.errors import Throttled
from feedloom.model.stages import FetchRequest, FetchResponse, Picture


class SlowFetcher:
    """Answers for ``slow`` hosts when it is told to."""

    def __init__(self) -> None:
        self.free = asyncio.Event()
        self.asked: list[str] = []

    async def fetch(self, request: FetchRequest) -> FetchResponse:
        self.asked.append(request.url)
        if "slow" in request.url:
            await self.free.wait()
        return FetchResponse(request.url, 200, {}, b"x")

    async def close(self) -> None: ...


class SameSize:
    async def render(self, body: bytes, *, width: int, accepts: str) -> Picture:
        del accepts
        return Picture(body, "image/png", width, width)


@pytest.mark.threat("W14")
async def test_slow_pictures_of_one_sender_hold_up_nobody_elses(tmp_path):
    fetcher = SlowFetcher()
    resizer = cast("ImageResizer", SameSize())
    proxy = ImageProxy(fetcher, resizer, ImageCache(tmp_path, 1_000_000))

    def ask(number: int) -> asyncio.Task[Picture]:
        url = f"https://slow.example/{number}"
        return asyncio.create_task(proxy.picture(url, 320, "", "192.0.2.1"))

    waiting = [ask(number) for number in range(300)]
    left = set(waiting)
    while len(left) > 200:
        _, left = await asyncio.wait(left, return_when=asyncio.FIRST_COMPLETED)

    shown = await proxy.picture("https://quick.example/", 320, "", "198.51.100.7")
    asked = len(fetcher.asked)
    fetcher.free.set()
    ended = await asyncio.gather(*waiting, return_exceptions=True)

    assert shown.body == b"x"
    assert asked == 9
    assert sum(isinstance(end, Picture) for end in ended) == 200
    assert sum(isinstance(end, Throttled) for end in ended) == 100
    assert isinstance(await ask(300), Picture)
