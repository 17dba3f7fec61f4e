"""Many hosts at once: connections are reused, bounded, and never wait for strangers."""

import asyncio

import pytest

from feedloom.fetch import HTTPFetcher, Limits
from feedloom.model.errors import TimedOut
from feedloom.model.stages import FetchRequest
from tests.journeys.fetch.conftest import AGENT, LOOPBACK, until
from tests.lines import hang_up
from tests.publisher import Answer


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
        answers = await asyncio.gather(
            *(fetcher.fetch(FetchRequest(url)) for url in batch)
        )
        assert {answer.status for answer in answers} == {200}
        most = max(most, fetcher.open_sockets)
    kept = fetcher.open_sockets
    await fetcher.close()

    assert most <= 20 + 25
    assert kept <= 20 + 25
    assert await until(lambda: publisher.open_lines == 0)


async def test_request_that_must_not_be_repeated_gets_a_fresh_connection(
    fetcher, publisher
):
    url = publisher.script("/hook", Answer(body=b"ok"))
    await fetcher.fetch(FetchRequest(url))

    for _ in range(3):
        await fetcher.fetch(FetchRequest(url, method="POST", body=b"{}"))

    assert publisher.count("/hook") == 4
    assert await until(lambda: publisher.open_lines == 1)


async def test_connection_the_server_closed_meanwhile_is_no_failure(fetcher, publisher):
    url = publisher.script(
        "/x", [Answer(body=b"1"), Answer(raw=b""), Answer(body=b"3")]
    )
    await fetcher.fetch(FetchRequest(url))

    assert (await fetcher.fetch(FetchRequest(url))).body == b"3"


@pytest.mark.threat("W1")
async def test_host_that_hangs_does_not_hold_up_others(publisher):
    fetcher = client(at_once=40, per_host=4)
    hanging = [
        asyncio.create_task(
            fetcher.fetch(FetchRequest(publisher.evil("hang"), timeout_s=30))
        )
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


async def test_time_does_not_pass_while_an_answer_waits_for_its_turn(
    fetcher, publisher
):
    url = publisher.feed()
    granted = asyncio.get_running_loop().create_future()
    asked: list[bool] = []

    def turn(*, whole: bool) -> asyncio.Future[None]:
        asked.append(whole)
        return granted

    fetching = asyncio.create_task(
        fetcher.fetch(FetchRequest(url, timeout_s=0.3, turn=turn))
    )
    assert await until(lambda: asked == [True])
    await asyncio.sleep(0.5)
    granted.set_result(None)

    assert (await fetching).status == 200


@pytest.mark.threat("S18")
async def test_time_goes_on_when_the_turn_has_come(fetcher):
    async def stall(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = b"HTTP/1.1 200 OK\r\ncontent-length: 300000\r\n\r\n"
        writer.write(head + b"x" * 100_000)
        await reader.read()
        await hang_up(writer)

    loop = asyncio.get_running_loop()
    asked: list[bool] = []

    def turn(*, whole: bool) -> asyncio.Future[None]:
        asked.append(whole)
        granted = loop.create_future()
        loop.call_later(0.1, granted.set_result, None)
        return granted

    server = await asyncio.start_server(stall, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(TimedOut):
            await fetcher.fetch(
                FetchRequest(f"http://127.0.0.1:{port}/", timeout_s=0.3, turn=turn)
            )

    assert asked == [False]
