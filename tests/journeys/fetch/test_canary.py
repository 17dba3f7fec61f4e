"""No spelling, purpose or trick makes the guarded client dial a forbidden address.

The recording wire stands where the network would be: what is in ``reached`` would have
been a packet. Nothing here can send one.
"""

import pytest

from feedloom.fetch import HTTPFetcher
from feedloom.model.errors import BlockedAddress, FetchError
from feedloom.model.stages import FetchRequest, Purpose
from tests.publisher import Answer
from tests.unit.fetch.spellings import FORBIDDEN_IPS, FORBIDDEN_URLS, PUBLIC_IPS

pytestmark = pytest.mark.faults

PUBLIC = "93.184.216.34"
PUBLIC_V6 = "2606:4700::1111"


def test_matrix_is_as_large_as_promised(counts):
    tries = len(Purpose) * (2 * len(FORBIDDEN_URLS) + 3 * len(FORBIDDEN_IPS))

    counts(
        "address guard",
        spellings=len(FORBIDDEN_URLS),
        forbidden_addresses=len(FORBIDDEN_IPS),
        purposes=len(Purpose),
        tries=tries,
        public_look_alikes=len(PUBLIC_IPS),
    )
    assert len(FORBIDDEN_URLS) >= 400
    assert tries >= 14_000
    assert len(PUBLIC_IPS) >= 500


async def outcome(fetcher: HTTPFetcher, url: str, sink: Purpose) -> str:
    try:
        answer = await fetcher.fetch(FetchRequest(url, sink=sink, timeout_s=10))
    except FetchError as error:
        return type(error).__name__
    return str(answer.status)


@pytest.mark.threat("S1", "S2", "S3", "S4", "S5", "S6", "S10", "S11")
@pytest.mark.parametrize("sink", Purpose)
async def test_no_spelling_reaches_a_canary_directly(guarded, wire, sink):
    ended = {url: await outcome(guarded, url, sink) for url in FORBIDDEN_URLS}

    # "good" names exist nowhere here, so a trick that leads to one finds no name.
    assert set(ended.values()) <= {"BlockedAddress", "NameNotFound"}
    assert wire.reached == wire.dialled == []


@pytest.mark.threat("S9", "S10", "S11")
@pytest.mark.parametrize("sink", Purpose)
async def test_no_spelling_reaches_a_canary_by_redirect(guarded, wire, publisher, sink):
    wire.names["evil.example"] = [[PUBLIC]]
    statuses = (301, 302, 303, 307, 308)
    ended = set()

    for turn, url in enumerate(FORBIDDEN_URLS):
        location = {"location": url.encode().decode("latin-1")}
        if "\r" in url:
            location = {"location": url.replace("\r\n", "%0d%0a")}
        status = statuses[turn % len(statuses)]
        publisher.script("/hop", Answer(status, headers=location))
        ended.add(await outcome(guarded, "http://evil.example/hop", sink))

    # Spellings without a scheme are read as paths of the public host, which has none.
    assert ended <= {"BlockedAddress", "RedirectError", "NameNotFound", "404"}
    assert publisher.count("/hop") >= len(FORBIDDEN_URLS)
    assert wire.reached == []


@pytest.mark.threat("S7", "S11")
@pytest.mark.parametrize("sink", Purpose)
async def test_no_second_answer_reaches_a_canary(guarded, wire, publisher, sink):
    publisher.script("/", Answer(body=b"ok", close=True))

    for turn, address in enumerate(FORBIDDEN_IPS):
        name = f"rebind-{turn}.example"
        wire.names[name] = [[PUBLIC], [address]]
        first = await outcome(guarded, f"http://{name}/", sink)
        second = await outcome(guarded, f"http://{name}/", sink)
        assert (first, second) == ("200", "BlockedAddress")

    assert wire.reached == []
    assert set(wire.dialled) == {PUBLIC}


@pytest.mark.threat("S8", "S11")
@pytest.mark.parametrize("sink", Purpose)
async def test_no_mixed_answer_reaches_a_canary(guarded, wire, publisher, sink):
    publisher.script("/", Answer(body=b"ok", close=True))

    for turn, address in enumerate(FORBIDDEN_IPS):
        mixed = [address, PUBLIC, address, PUBLIC_V6, address]
        wire.names["mixed.example"] = [mixed if turn % 2 else mixed[::-1]]
        assert await outcome(guarded, "http://mixed.example/", sink) == "200"

    assert wire.reached == []


@pytest.mark.threat("S1", "S2", "S3")
@pytest.mark.parametrize("sink", Purpose)
async def test_no_name_for_a_canary_is_dialled(guarded, wire, sink):
    for turn, address in enumerate(FORBIDDEN_IPS):
        name = f"inside-{turn}.example"
        wire.names[name] = [[address]]
        assert await outcome(guarded, f"http://{name}/", sink) == "BlockedAddress"

    assert wire.dialled == []


@pytest.mark.threat("S1")
async def test_public_look_alikes_are_all_dialled(guarded, wire, publisher):
    publisher.script("/", Answer(body=b"ok", close=True))

    for address in PUBLIC_IPS:
        host = f"[{address}]" if ":" in address else address
        assert await outcome(guarded, f"http://{host}/", Purpose.FEED) == "200"

    assert len(wire.dialled) == len(PUBLIC_IPS)


async def test_public_names_are_all_dialled_where_they_were_judged(guarded, wire, publisher):
    publisher.script("/", Answer(body=b"ok", close=True))

    for turn, address in enumerate(PUBLIC_IPS):
        wire.names[f"public-{turn}.example"] = [[address]]
        url = f"http://public-{turn}.example/"
        assert await outcome(guarded, url, Purpose.FEED) == "200"

    assert wire.dialled == list(PUBLIC_IPS)


@pytest.mark.threat("S26")
async def test_every_refusal_says_the_same(guarded, wire):
    wire.names["inside.example"] = [["10.0.0.1"]]
    urls = ["http://inside.example/", "http://127.0.0.1:1/", "http://[::1]:22/", "x:y"]
    said = set()

    for url in urls:
        with pytest.raises(BlockedAddress) as error:
            await guarded.fetch(FetchRequest(url))
        said.add((str(error.value), error.value.detail))

    assert said == {(BlockedAddress.default, "")}


@pytest.mark.threat("S12")
async def test_environment_cannot_name_a_proxy(guarded, wire, monkeypatch, publisher):
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://{PUBLIC}:8080")

    with pytest.raises(BlockedAddress):
        await guarded.fetch(FetchRequest("http://169.254.169.254/latest/meta-data"))

    assert publisher.requests == []
    assert wire.dialled == []


@pytest.mark.threat("S6")
async def test_library_dials_what_was_read_and_nothing_else(guarded, wire, publisher):
    """One reading feeds both the judgement and the dialling, also for odd spellings."""
    publisher.script("/", Answer(body=b"ok", close=True))
    odd = {
        "http://user@93.184.216.34": PUBLIC,
        "http://93.184.216.34:80/#@10.0.0.1/": PUBLIC,
        "http://93.184.216.34/": PUBLIC,
        "http://９３.184。216.34/": PUBLIC,  # noqa: RUF001 - what is tested
        "HTTP://[2606:4700:0::1111]:80": PUBLIC_V6,
    }

    for url in odd:
        assert await outcome(guarded, url, Purpose.FEED) == "200"

    assert wire.dialled == list(odd.values())
