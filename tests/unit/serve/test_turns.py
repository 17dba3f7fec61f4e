"""One person's requests take turns; others have turns of their own."""

import asyncio
from contextlib import AsyncExitStack

import pytest
from starlette.requests import ClientDisconnect

from feedloom.model.errors import Throttled
from feedloom.serve.middleware.turns import AT_ONCE, AT_ONCE_EACH, MOST_WAITING, Turns, take_turn
from tests.unit.serve.requests_made import make_request

pytestmark = pytest.mark.threat("W15")


class Reading:
    """A request that has asked for a turn and goes on until it is told to end."""

    def __init__(self, turns: Turns, user_id: int, credential: str) -> None:
        self.has_turn = False
        self._end = asyncio.Event()
        self.request = make_request()
        self._turns = turns
        self.task = asyncio.create_task(self._run(user_id, credential))

    async def _run(self, user_id: int, credential: str) -> None:
        async with AsyncExitStack() as stack:
            self.request.scope["state"] |= {"turns": self._turns, "until_answered": stack}
            await take_turn(self.request, user_id, credential)
            await take_turn(self.request, user_id, credential)
            self.has_turn = True
            await self._end.wait()

    async def end(self) -> None:
        self._end.set()
        await self.task


async def read(turns: Turns, count: int, user_id: int, credential: str) -> list[Reading]:
    readings = [Reading(turns, user_id, credential) for _ in range(count)]
    for _ in range(5):
        await asyncio.sleep(0)
    return readings


def reading(readings: list[Reading]) -> int:
    return sum(one.has_turn for one in readings)


async def end(*readings: Reading) -> None:
    await asyncio.gather(*(one.end() for one in readings))


async def test_an_app_leaves_turns_to_its_persons_browser_and_a_person_to_others():
    turns = Turns()
    app = await read(turns, AT_ONCE, 1, "app 1")
    browser = await read(turns, AT_ONCE, 1, "session 1")
    phone = await read(turns, 1, 1, "app 2")
    neighbour = await read(turns, 1, 2, "session 2")

    assert (reading(app), reading(browser)) == (AT_ONCE_EACH, AT_ONCE - AT_ONCE_EACH)
    assert (reading(phone), reading(neighbour)) == (0, 1)
    await end(*app[:AT_ONCE_EACH])
    await asyncio.sleep(0)
    assert phone[0].has_turn
    await end(*app, *browser, *phone, *neighbour)
    assert reading(app) == AT_ONCE


async def test_who_asks_for_too_much_is_told_to_wait():
    turns = Turns()
    app = await read(turns, AT_ONCE_EACH + MOST_WAITING + 1, 1, "app 1")

    with pytest.raises(Throttled):
        await app[-1].task
    await end(*app[:-1])
    await end(*await read(turns, 1, 1, "app 1"))


async def test_nothing_is_made_for_who_has_left():
    turns = Turns()
    app = await read(turns, AT_ONCE_EACH + 1, 1, "app 1")
    app[-1].request.scope["state"]["is_gone"] = True

    await end(*app[:-1])

    with pytest.raises(ClientDisconnect):
        await app[-1].task
    assert not app[-1].has_turn
