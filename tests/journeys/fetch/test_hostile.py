"""Servers that lie, stall, flood and explode: typed outcomes, in time and in memory."""

import asyncio
import time
import tracemalloc
from contextlib import suppress

import pytest

from feedloom.fetch import HTTPFetcher, Wire
from feedloom.model.errors import NameNotFound, RedirectError, TimedOut, TooLarge, Unreachable
from feedloom.model.stages import FetchRequest
from tests.journeys.fetch.conftest import AGENT, until
from tests.publisher import Answer
from tests.publisher_evil import BEHAVIOURS, BOMB_BYTES, bomb

TYPED: dict[str, type[Exception]] = {
    "hang": TimedOut,
    "drip": TimedOut,
    "stall": TimedOut,
    "drip_headers": TimedOut,
    "endless_hints": TimedOut,
    "endless_headers": Unreachable,
    "endless_header": Unreachable,
    "endless_chunks": TooLarge,
    "endless_body": TooLarge,
    "endless_nothing": TooLarge,
    "bomb_gzip": TooLarge,
    "bomb_deflate": TooLarge,
    "bomb_br": TooLarge,
    "bomb_zstd": TooLarge,
    "wide_zstd": Unreachable,
    "stacked": Unreachable,
    "stacked_twice": Unreachable,
    "unknown_encoding": Unreachable,
    "not_gzip": Unreachable,
    "cut_gzip": Unreachable,
    "cut_deflate": Unreachable,
    "cut_br": Unreachable,
    "cut_zstd": Unreachable,
    "cut_chunks": Unreachable,
    "bad_chunks": Unreachable,
    "bad_length": Unreachable,
    "two_lengths": Unreachable,
    "short": Unreachable,
    "long": Unreachable,
    "close": Unreachable,
    "reset": Unreachable,
    "garbage": Unreachable,
    "upgrade": Unreachable,
    "redirect_loop": RedirectError,
    "redirect_nowhere": RedirectError,
    "redirect_forever": RedirectError,
}
ANSWERED = {"bomb_redirect": 404, "bomb_error": 500}


def test_every_behaviour_has_its_outcome():
    assert TYPED.keys() | ANSWERED.keys() == BEHAVIOURS


def patience(name: str) -> float:
    return 0.3 if TYPED[name] is TimedOut else 20


@pytest.mark.threat("S17", "S18", "S19")
@pytest.mark.parametrize("name", TYPED)
async def test_misbehaviour_has_a_typed_outcome(fetcher, publisher, name):
    ask = FetchRequest(publisher.evil(name), timeout_s=patience(name), max_bytes=1_000_000)

    with pytest.raises(TYPED[name]) as error:
        await fetcher.fetch(ask)

    assert type(error.value) is TYPED[name]
    assert str(error.value).endswith(".")


@pytest.mark.parametrize("name", ANSWERED)
async def test_bombs_in_bodies_nobody_needs_do_not_matter(fetcher, publisher, name):
    answer = await fetcher.fetch(FetchRequest(publisher.evil(name)))

    assert answer.status == ANSWERED[name]
    assert len(answer.body) <= 65_536


@pytest.mark.threat("S18", "Q6")
@pytest.mark.parametrize("name", sorted(TYPED))
async def test_connection_is_given_up_with_the_outcome(fetcher, publisher, name):
    ask = FetchRequest(publisher.evil(name), timeout_s=patience(name), max_bytes=1_000_000)

    with pytest.raises(TYPED[name]):
        await fetcher.fetch(ask)

    assert await until(lambda: publisher.open_lines == 0)


@pytest.mark.threat("S17")
@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
@pytest.mark.parametrize("place", ["bomb_{}", "bomb_error", "bomb_redirect"])
async def test_bomb_stays_within_memory(fetcher, publisher, encoding, place):
    bomb(encoding)
    bomb("gzip")
    tracemalloc.start()

    with suppress(TooLarge):
        await fetcher.fetch(FetchRequest(publisher.evil(place.format(encoding))))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < BOMB_BYTES / 4


@pytest.mark.threat("S18")
async def test_deadline_spans_all_hops_together(fetcher, publisher):
    for number in range(5):
        location = {"location": f"/{number + 1}"}
        publisher.script(f"/{number}", Answer(302, headers=location, delay_s=0.2))
    started = time.monotonic()

    with pytest.raises(TimedOut):
        await fetcher.fetch(FetchRequest(publisher.url("/0"), timeout_s=0.5))

    assert time.monotonic() - started < 5
    assert publisher.count("/4") == 0


@pytest.mark.threat("S18")
async def test_deadline_covers_names_that_are_not_answered(publisher):
    async def never(host: str) -> list[str]:
        await asyncio.sleep(60)
        return []

    slow = HTTPFetcher(AGENT, wire=Wire(lookup=never))

    with pytest.raises(TimedOut):
        await slow.fetch(FetchRequest("http://slow.example/", timeout_s=0.2))
    await slow.close()


async def test_name_without_any_address_is_not_found(guarded, wire):
    wire.names["empty.example"] = [[]]

    with pytest.raises(NameNotFound):
        await guarded.fetch(FetchRequest("http://empty.example/"))


@pytest.mark.threat("Q6")
async def test_cancelling_a_request_frees_its_connection(fetcher, publisher):
    task = asyncio.create_task(fetcher.fetch(FetchRequest(publisher.evil("hang"))))
    assert await until(lambda: publisher.open_lines == 1)

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert await until(lambda: publisher.open_lines == 0)


@pytest.mark.threat("S18")
async def test_sending_to_a_server_that_does_not_read_ends_at_the_deadline(fetcher, publisher):
    ask = FetchRequest(publisher.evil("hang"), method="POST", body=b"x" * 50_000_000, timeout_s=0.5)

    with pytest.raises((TimedOut, Unreachable)):
        await asyncio.wait_for(fetcher.fetch(ask), 10)
