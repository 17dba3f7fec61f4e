"""Waiting one's turn: bursts of discovery are small, a busy host is no answer."""

import asyncio
from typing import cast

import pytest

from feedloom.flow.pictures import Favicons
from feedloom.flow.worker.rate_limit import HostBusy, RateLimitedFetcher
from feedloom.model.stages import FetchRequest, FetchResponse, Purpose
from feedloom.store import IconStore


class Server:
    """A ``Fetcher`` that tells how many asked at once, and when."""

    def __init__(self) -> None:
        self.now = 0
        self.most = 0
        self.asked_at: list[float] = []

    async def fetch(self, ask: FetchRequest) -> FetchResponse:
        self.now += 1
        self.most = max(self.most, self.now)
        self.asked_at.append(asyncio.get_running_loop().time())
        await asyncio.sleep(0.5)
        self.now -= 1
        return FetchResponse(ask.url, 404, {}, b"")

    async def close(self) -> None:
        """Nothing is open."""


class Authorization:
    """A ``HostGate`` that lets everybody in, or nobody."""

    def __init__(self, wait_s: float = 0.0) -> None:
        self.wait_s = wait_s
        self.left = 0
        self.bursts: list[bool] = []

    async def enter(self, _host: str, _token: str, *, burst: bool = False) -> float:
        self.bursts.append(burst)
        return self.wait_s

    async def leave(self, _host: str, _token: str) -> None:
        self.left += 1


async def test_discovery_asks_one_host_twice_at_once_and_a_moment_apart():
    server = Server()
    polite = RateLimitedFetcher(server, Authorization())
    asks = [FetchRequest(f"https://a.example/{n}", Purpose.DISCOVERY) for n in range(4)]

    began_at = asyncio.get_running_loop().time()

    await asyncio.gather(*map(polite.fetch, asks))

    after_s = [at - began_at for at in server.asked_at]
    assert server.most == 2
    assert all(late_s >= 0.19 * n for n, late_s in enumerate(after_s))


async def test_discovery_asks_several_hosts_side_by_side():
    server = Server()
    polite = RateLimitedFetcher(server, Authorization())
    asks = [FetchRequest(f"https://h{n}.example/", Purpose.DISCOVERY) for n in range(6)]

    await asyncio.gather(*map(polite.fetch, asks))

    assert server.most == 6


async def test_a_host_that_is_busy_with_us_is_no_site_without_an_icon():
    polite = RateLimitedFetcher(Server(), Authorization(wait_s=5.0), longest_wait_s=0.01)
    favicons = Favicons(polite, cast("IconStore", None))

    with pytest.raises(HostBusy):
        await favicons.find("https://a.example/")


@pytest.mark.parametrize("ahead", [True, False])
async def test_the_icon_of_a_feed_just_added_goes_with_the_burst_that_found_it(ahead: bool):
    gate = Authorization()
    favicons = Favicons(RateLimitedFetcher(Server(), gate), cast("IconStore", None))

    await favicons.find("https://a.example/", ahead=ahead)

    assert gate.bursts == [ahead, ahead]
