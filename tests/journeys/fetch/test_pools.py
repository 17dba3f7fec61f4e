"""Many hosts at once: connections are reused, bounded, and never wait for strangers."""

import asyncio
import tracemalloc

import pytest

from feedloom.fetch import HTTPFetcher, Limits
from feedloom.fetch.client import BEGINNING
from feedloom.model.errors import TimedOut
from feedloom.model.stages import FetchRequest
from tests.journeys.fetch.conftest import AGENT, LOOPBACK, SlowRoom, until
from tests.publisher import Answer
from tests.publisher_evil import bomb


def client(**limits) -> HTTPFetcher:
    return HTTPFetcher(AGENT, allow_networks=LOOPBACK, limits=Limits(**limits))


async def test_connection_is_reused(fetcher, publisher):
    url = publisher.feed()

    for _ in range(20):
        await fetcher.fetch(FetchRequest(url))

    assert publisher.open_lines == fetcher.open_sockets == 1


async def test_connection_is_reused_after_a_redirect(fetcher, publisher):
    publisher.feed()
    url = publisher.redirect("/old", "/feed.xml")

    for _ in range(10):
        await fetcher.fetch(FetchRequest(url))

    assert publisher.open_lines == 1


@pytest.mark.threat("W7")
async def test_thousand_hosts_do_not_hold_a_thousand_sockets(publisher):
    fetcher = client(kept=20)
    publisher.feed()
    urls = [publisher.url("/feed.xml", host) for host in publisher.hosts(1000)]
    most = 0

    for start in range(0, len(urls), 25):
        batch = urls[start : start + 25]
        answers = await asyncio.gather(*(fetcher.fetch(FetchRequest(url)) for url in batch))
        assert {answer.status for answer in answers} == {200}
        most = max(most, fetcher.open_sockets)
    kept = fetcher.open_sockets
    await fetcher.close()

    assert most <= 20 + 25
    assert kept <= 20 + 25
    assert await until(lambda: publisher.open_lines == 0)


async def test_request_that_must_not_be_repeated_gets_a_fresh_connection(fetcher, publisher):
    url = publisher.script("/hook", Answer(body=b"ok"))
    await fetcher.fetch(FetchRequest(url))

    for _ in range(3):
        await fetcher.fetch(FetchRequest(url, method="POST", body=b"{}"))

    assert publisher.count("/hook") == 4
    assert await until(lambda: publisher.open_lines == 1)


async def test_connection_the_server_closed_meanwhile_is_no_failure(fetcher, publisher):
    url = publisher.script("/x", [Answer(body=b"1"), Answer(raw=b""), Answer(body=b"3")])
    await fetcher.fetch(FetchRequest(url))

    assert (await fetcher.fetch(FetchRequest(url))).body == b"3"


@pytest.mark.threat("W1")
async def test_host_that_hangs_does_not_hold_up_others(publisher):
    fetcher = client(at_once=40, per_host=4)
    hanging = [
        asyncio.create_task(fetcher.fetch(FetchRequest(publisher.evil("hang"), timeout_s=30)))
        for _ in range(50)
    ]
    assert await until(lambda: publisher.open_lines == 4)
    publisher.feed()

    for host in publisher.hosts(30):
        url = publisher.url("/feed.xml", host)
        assert (await fetcher.fetch(FetchRequest(url, timeout_s=5))).status == 200

    assert publisher.most_at_once("127.0.0.1") == 4
    for task in hanging:
        task.cancel()
    await asyncio.gather(*hanging, return_exceptions=True)
    await fetcher.close()


async def test_waiting_for_a_connection_counts_against_the_deadline(publisher):
    fetcher = client(per_host=1)
    hanging = asyncio.create_task(fetcher.fetch(FetchRequest(publisher.evil("hang"))))
    assert await until(lambda: publisher.open_lines == 1)

    with pytest.raises(TimedOut):
        await fetcher.fetch(FetchRequest(publisher.feed(), timeout_s=0.2))

    hanging.cancel()
    await asyncio.gather(hanging, return_exceptions=True)
    await fetcher.close()


@pytest.mark.threat("W7")
async def test_all_connections_together_are_bounded(publisher):
    fetcher = client(at_once=5)
    publisher.script("/slow", Answer(body=b"ok", delay_s=0.05))
    urls = [publisher.url("/slow", host) for host in publisher.hosts(30)]

    tasks = [asyncio.create_task(fetcher.fetch(FetchRequest(url))) for url in urls]
    most = 0
    while not all(task.done() for task in tasks):
        most = max(most, sum(publisher._now.values()))
        await asyncio.sleep(0.005)
    await asyncio.gather(*tasks)
    await fetcher.close()

    assert 1 < most <= 5


async def test_one_sessions_connections_are_closed_with_it(publisher):
    fetcher = client()
    for host in publisher.hosts(5):
        await fetcher.fetch(FetchRequest(publisher.url("/", host)))
    assert publisher.open_lines == 5

    await fetcher.close()

    assert await until(lambda: publisher.open_lines == 0)


LARGE = b"x" * 300_000


async def test_time_does_not_pass_while_an_answer_waits_for_room(fetcher, publisher):
    url = publisher.script("/x", Answer(body=LARGE))
    room = SlowRoom(delay_s=0.5)

    answer = await fetcher.fetch(FetchRequest(url, timeout_s=0.4, room=room))

    assert answer.body == LARGE
    assert sum(room.taken) == len(LARGE) - BEGINNING


@pytest.mark.threat("S18")
async def test_time_goes_on_when_there_is_room(fetcher, publisher):
    room = SlowRoom(delay_s=0.1)
    request = FetchRequest(publisher.evil("stall"), timeout_s=0.3, room=room)

    with pytest.raises(TimedOut):
        await fetcher.fetch(request)

    assert room.taken


@pytest.mark.threat("S17")
@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
async def test_bomb_waits_for_room_before_it_is_decoded(fetcher, publisher, encoding):
    bomb(encoding)
    room = SlowRoom(delay_s=30)
    tracemalloc.start()

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(1):
            await fetcher.fetch(FetchRequest(publisher.evil(f"bomb_{encoding}"), room=room))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert len(room.taken) == 1
    assert peak < 2_000_000
