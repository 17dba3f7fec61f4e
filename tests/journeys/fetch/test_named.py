"""What an operator named is open, exactly that, and only for its purpose."""

import asyncio

import pytest

from feedloom.fetch import AllowList, HTTPFetcher, Wire
from feedloom.model.errors import BlockedAddress, ConfigError
from feedloom.model.stages import FetchRequest, Purpose
from tests.journeys.fetch.conftest import AGENT
from tests.journeys.fetch.wires import RecordingWire
from tests.publisher import HOME, Answer

pytestmark = pytest.mark.threat("S12")

OTHER = "127.0.9.9"


@pytest.fixture
async def trusting(publisher):
    """A client whose operator runs a model on loopback."""
    origins = {Purpose.MODEL: frozenset({publisher.url("/v1/")})}
    made = HTTPFetcher(AGENT, trusted_origins=origins)
    yield made
    await made.close()


async def test_trusted_origin_is_reached_for_its_purpose(trusting, publisher):
    url = publisher.page("/v1/chat", "hello")

    answer = await trusting.fetch(
        FetchRequest(url, sink=Purpose.MODEL, method="POST", body=b"{}", headers={"X-Key": "k"})
    )

    assert answer.status == 200
    assert publisher.requests[0].headers["x-key"] == "k"


@pytest.mark.parametrize("sink", [sink for sink in Purpose if sink is not Purpose.MODEL])
async def test_trusted_origin_is_closed_for_every_other_purpose(trusting, publisher, sink):
    url = publisher.page("/v1/chat", "hello")
    await trusting.fetch(FetchRequest(url, sink=Purpose.MODEL))

    with pytest.raises(BlockedAddress):
        await trusting.fetch(FetchRequest(url, sink=sink))

    assert publisher.count() == 1


async def test_trusted_origin_has_no_limit_of_its_own(trusting, publisher):
    url = publisher.script("/v1/chat", Answer(body=b"{}", delay_s=0.2))
    asks = [FetchRequest(url, sink=Purpose.MODEL, method="POST", body=b"{}") for _ in range(12)]

    await asyncio.gather(*map(trusting.fetch, asks))

    assert publisher.most_at_once() == 12


async def test_another_port_or_host_is_another_origin(trusting, publisher):
    others = [
        publisher.url("/", host=OTHER),
        f"http://{HOME}:{publisher.port + 1}/",
        f"https://{HOME}:{publisher.port}/",
        f"http://localhost:{publisher.port}/",
    ]

    for url in others:
        with pytest.raises(BlockedAddress):
            await trusting.fetch(FetchRequest(url, sink=Purpose.MODEL))

    assert publisher.requests == []


async def test_trusted_origin_may_redirect_within_itself(trusting, publisher):
    publisher.page("/v1/", "hello")

    answer = await trusting.fetch(
        FetchRequest(publisher.redirect("/v1", "/v1/"), sink=Purpose.MODEL)
    )

    assert (answer.status, answer.hops) == (200, 1)


@pytest.mark.threat("S9")
async def test_trusted_origin_may_not_redirect_to_another_private_place(trusting, publisher):
    secret = publisher.page("/secret", "private", host=OTHER)

    with pytest.raises(BlockedAddress):
        await trusting.fetch(FetchRequest(publisher.redirect("/v1", secret), sink=Purpose.MODEL))

    assert publisher.count("/secret") == 0


@pytest.mark.threat("S9")
async def test_public_place_may_not_redirect_to_a_trusted_origin(publisher):
    wire = RecordingWire(publisher, {"feeds.example": [["93.184.216.34"]]})
    origins = {Purpose.FEED: frozenset({publisher.url()})}
    fetcher = HTTPFetcher(AGENT, trusted_origins=origins, wire=wire.wire)
    publisher.redirect("/a", publisher.page("/hub", "private"))

    with pytest.raises(BlockedAddress):
        await fetcher.fetch(FetchRequest("http://feeds.example/a"))
    await fetcher.close()

    assert publisher.count("/hub") == 0
    assert wire.reached == []


async def test_origin_trusted_by_name_opens_no_other_way_to_its_address(publisher):
    async def lookup(host: str) -> list[str]:
        return [HOME]

    origin = f"http://model.internal:{publisher.port}"
    fetcher = HTTPFetcher(
        AGENT, trusted_origins={Purpose.MODEL: frozenset({origin})}, wire=Wire(lookup=lookup)
    )
    publisher.page("/", "hello")

    reached = await fetcher.fetch(FetchRequest(origin, sink=Purpose.MODEL))
    for url in (f"http://other.internal:{publisher.port}", publisher.url()):
        with pytest.raises(BlockedAddress):
            await fetcher.fetch(FetchRequest(url, sink=Purpose.MODEL))
    await fetcher.close()

    assert reached.status == 200
    assert publisher.count() == 1


async def test_allowed_network_is_open_to_every_purpose(publisher):
    fetcher = HTTPFetcher(AGENT, allow_networks=AllowList.parse("127.0.9.0/24"))
    inside = publisher.page("/", "hello", host=OTHER)

    statuses = [(await fetcher.fetch(FetchRequest(inside, sink=sink))).status for sink in Purpose]
    with pytest.raises(BlockedAddress):
        await fetcher.fetch(FetchRequest(publisher.url()))
    await fetcher.close()

    assert set(statuses) == {200}


async def test_allowed_name_is_open_and_its_address_is_not(publisher):
    async def lookup(host: str) -> list[str]:
        return [HOME]

    fetcher = HTTPFetcher(
        AGENT, allow_networks=AllowList.parse("intranet.example"), wire=Wire(lookup=lookup)
    )
    publisher.page("/", "hello")
    port = publisher.port

    open_place = await fetcher.fetch(FetchRequest(f"http://intranet.example:{port}/"))
    closed = [publisher.url(), f"http://sub.intranet.example:{port}/"]
    for url in closed:
        with pytest.raises(BlockedAddress):
            await fetcher.fetch(FetchRequest(url))
    await fetcher.close()

    assert open_place.status == 200
    assert publisher.count() == 1


@pytest.mark.parametrize("origin", ["", "model.internal", "ftp://x", "http://0x7f.1"])
def test_origin_that_is_no_address_is_a_wrong_setting(origin):
    with pytest.raises(ConfigError) as error:
        HTTPFetcher(AGENT, trusted_origins={Purpose.MODEL: frozenset({origin})})

    assert f"“{origin}”" in str(error.value)
