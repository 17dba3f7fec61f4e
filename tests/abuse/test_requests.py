"""Requests that want to take all: memory stays bounded and others are answered."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from itertools import islice

import pytest
import pytest_asyncio

from feedloom.serve.middleware.bodies import MOST_UNFINISHED
from tests.abuse.lab import MOST_MB, forget_peak
from tests.abuse.senders import SHAPES, Attack, Sender, Served, attacks, credentials, head, serving

pytestmark = [pytest.mark.faults, pytest.mark.asyncio(loop_scope="module")]

AT_ONCE = 20
IMPORT = "/api/greader.php/reader/api/0/subscription/import"
SIGN_IN = head("POST", "/auth/login", length=1_000) + b"email="


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server(tmp_path_factory) -> AsyncIterator[Served]:
    async with serving(tmp_path_factory.mktemp("served")) as made:
        yield made


@pytest.fixture
def served(server: Served) -> Served:
    forget_peak(server.pid)
    return server


async def slow_senders(served: Served, places: list[str]) -> list[Sender]:
    """Begin a body at each place, and say no more."""
    senders = []
    for place in places:
        sender = await Sender.open(served.port, place)
        await sender.send(SIGN_IN)
        senders.append(sender)
    return senders


@pytest.mark.threat("W3", "W7")
@pytest.mark.parametrize("level", ["stranger", "reader"])
async def test_no_body_at_any_route_takes_all(served: Served, counts, scaled, level):
    # In short each route gets one of the shapes, and all shapes have their turn.
    all_of_them = attacks()
    chosen = list(islice(all_of_them, 0, None, scaled(len(SHAPES) + 1, 1)))
    at_once = asyncio.Semaphore(AT_ONCE)

    async def run(number: int, attack: Attack) -> tuple[str, int]:
        async with at_once:
            known = level == "reader"
            headers = credentials(attack.route, served.reader) if known else {}
            address = f"127.0.1.{number % 200 + 1}"
            return str(attack), await attack.run(served.port, address, headers)

    running = [asyncio.create_task(run(*pair)) for pair in enumerate(chosen)]
    read = []
    while not all(task.done() for task in running):
        read += await served.reads(1)
    answers = await asyncio.gather(*running)

    counts("abuse", requests=len(chosen))
    assert [told for told in answers if told[1] >= 500] == []
    assert set(read) == {200}
    assert served.peak_mb() < MOST_MB


@pytest.mark.threat("W3")
@pytest.mark.parametrize(("path", "size"), [(IMPORT, 16_700_000), ("/websub/unknown", 4_000_000)])
async def test_unfinished_bodies_of_strangers_are_not_kept(served: Served, path, size):
    senders = [await Sender.open(served.port) for _ in range(60)]

    async def send(sender: Sender) -> int:
        await sender.send(head("POST", path, length=size + 1))
        await sender.send_parts([b"x" * 65_536] * (size // 65_536), chunked=False)
        return await sender.status()

    statuses = await asyncio.gather(*(send(sender) for sender in senders))
    read = await served.reads(5)
    await asyncio.gather(*(sender.close() for sender in senders))

    assert set(statuses) <= {400, 401, 404, 413}
    assert set(read) == {200}
    assert served.peak_mb() < MOST_MB / 2


@pytest.mark.threat("W3", "W7")
async def test_unfinished_imports_of_a_reader_are_bounded(served: Served):
    headers = {"Authorization": f"GoogleLogin auth={served.reader}"}
    senders = [await Sender.open(served.port) for _ in range(60)]
    size = 9_500_000

    async def send(sender: Sender) -> None:
        await sender.send(head("POST", IMPORT, length=size + 1, headers=headers))
        await sender.send_parts([b"x" * 65_536] * (size // 65_536), chunked=False)

    sending = [asyncio.create_task(send(sender)) for sender in senders]
    read = await served.reads(20)
    await asyncio.gather(*sending)
    answered = [await s.status() for s in senders if s.is_answered]
    await asyncio.gather(*(sender.close() for sender in senders))

    assert set(read) == {200}
    assert set(answered) == {429}
    assert len(answered) >= 50
    assert served.peak_mb() < MOST_MB


@pytest.mark.threat("W3", "W7")
async def test_two_thousand_slow_senders_hold_nobody_up(served: Served):
    places = [f"127.0.2.{number % 20 + 1}" for number in range(2_000)]

    senders = await slow_senders(served, places)
    read = await served.reads(20)
    refused = Counter([await s.status() for s in senders if s.is_answered])
    waiting = Counter(
        place for place, sender in zip(places, senders, strict=True) if not sender.is_answered
    )
    await asyncio.gather(*(sender.close() for sender in senders))

    assert read == [200] * 20
    # Where connecting took long, the first were told that they are too slow.
    assert set(refused) <= {408, 429}
    assert max(waiting.values(), default=0) <= MOST_UNFINISHED
    assert served.peak_mb() < MOST_MB


@pytest.mark.threat("W7")
async def test_a_thousand_slow_bodies_of_one_address_are_its_own_loss(served: Served):
    senders = await slow_senders(served, ["127.0.3.1"] * 1_100)
    signed_in = await served.reads(5)
    pages = await served.reads(5, "/auth/login")
    refused = Counter([await s.status() for s in senders if s.is_answered])
    await asyncio.gather(*(sender.close() for sender in senders))

    assert signed_in + pages == [200] * 10
    assert set(refused) <= {408, 429}
    assert refused.total() >= 1_100 - MOST_UNFINISHED
