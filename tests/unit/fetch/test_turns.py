"""An answer that waits for its turn: little of it is kept, and nothing is lost."""

import asyncio
import gzip
from dataclasses import dataclass, field

import pytest

from feedloom.fetch.lines import BEGINNING, READ_AT_ONCE, STEP, Reply, Request
from feedloom.model.errors import FetchError, TooLarge, Unreachable
from tests.unit.fetch.test_lines import ANSWERS, STAYS, bring, cut, new_line

LIMIT = 1_000_000
LARGE = b"<rss>" + b"x" * (2 * BEGINNING)
HUGE = LARGE + b"x" * STEP
ROOM = BEGINNING + STEP
"""So much of it is there before a second turn is asked for."""
HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n"


@dataclass
class Turns:
    """Gives room at once, or when it is told to."""

    at_once: bool = False
    asked: list[bool] = field(default_factory=list)
    granted: asyncio.Future[None] | None = None

    def __call__(self, *, whole: bool) -> asyncio.Future[None] | None:
        self.asked.append(whole)
        if self.at_once:
            return None
        self.granted = asyncio.get_running_loop().create_future()
        return self.granted

    def grant(self) -> None:
        assert self.granted is not None
        self.granted.set_result(None)


class Transport(asyncio.Transport):
    """A connection that brings nothing while it is told not to read."""

    def __init__(self) -> None:
        self.line = new_line()
        self.is_paused = self.is_closed = False
        self.coming: list[bytes | None] = []
        self.line.connection_made(self)

    def write(self, data) -> None:
        pass

    def abort(self) -> None:
        self.is_closed = True

    def is_closing(self) -> bool:
        return self.is_closed

    def pause_reading(self) -> None:
        self.is_paused = True

    def resume_reading(self) -> None:
        self.is_paused = False
        asyncio.get_running_loop().call_soon(self.bring)

    def bring(self, *pieces: bytes | None) -> None:
        """Bring what comes; None is the end of the connection."""
        for piece in pieces:
            self.coming += [None] if piece is None else cut(piece, READ_AT_ONCE)
        while self.coming and not self.is_paused and not self.is_closed:
            piece = self.coming.pop(0)
            if piece is None:
                self.is_closed = True
                self.line.connection_lost(None)
            else:
                bring(self.line, piece)


def asking(
    turns: Turns, limit: int = LIMIT
) -> tuple[Transport, asyncio.Task[Reply | FetchError]]:
    transport = Transport()

    async def ask() -> Reply | FetchError:
        try:
            return await transport.line.ask(Request("GET", b"", b"", limit, turns))
        except FetchError as error:
            return error

    return transport, asyncio.create_task(ask())


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize("name", ANSWERS)
async def test_an_answer_is_the_same_whenever_its_turn_comes(name, size, at_once):
    turns = Turns(at_once)
    transport, task = asking(turns)
    await settle()

    transport.bring(*cut(ANSWERS[name], size))
    if name not in STAYS:
        transport.bring(None)
    await settle()
    if not at_once:
        assert not task.done()
        turns.grant()
    reply = await asyncio.wait_for(task, 1)

    assert isinstance(reply, Reply)
    assert (reply.status, reply.body) == (200, b"hello")
    assert transport.line.may_be_kept == (name in STAYS)
    assert turns.asked == [True]


@pytest.mark.parametrize("framed", [True, False])
async def test_no_more_than_a_beginning_is_taken_before_its_turn(framed):
    turns = Turns()
    transport, task = asking(turns)
    await settle()
    head = HEAD % len(LARGE) if framed else b"HTTP/1.1 200 OK\r\n\r\n"

    transport.bring(head, *cut(LARGE, 10_000), None)
    waiting = sum(len(piece) for piece in transport.coming if piece)
    assert turns.asked == [False]
    assert len(LARGE) - waiting < BEGINNING + 10_000
    turns.grant()
    reply = await asyncio.wait_for(task, 1)

    assert isinstance(reply, Reply)
    assert reply.body == LARGE
    assert turns.asked == [False]


@pytest.mark.threat("W1")
@pytest.mark.parametrize("framed", [True, False])
async def test_what_grows_on_and_on_takes_turns(framed):
    turns = Turns()
    transport, task = asking(turns, limit=10 * STEP)
    await settle()
    document = b"x" * (3 * STEP)
    head = HEAD % len(document) if framed else b"HTTP/1.1 200 OK\r\n\r\n"
    came = []

    transport.bring(head, *cut(document, 10_000), None)
    while not task.done():
        came.append(len(document) - sum(map(len, filter(None, transport.coming))))
        turns.grant()
        await settle()
    reply = await task

    assert isinstance(reply, Reply)
    assert reply.body == document
    rooms = [BEGINNING, BEGINNING + STEP, BEGINNING + 2 * STEP]
    assert came == pytest.approx(rooms, abs=30_000)
    assert turns.asked == [False] * 3


async def test_what_came_whole_asks_for_no_further_turn():
    turns = Turns(at_once=True)
    transport, task = asking(turns, limit=10 * STEP)
    await settle()

    transport.bring(HEAD % len(HUGE) + HUGE[:ROOM], HUGE[ROOM:])
    reply = await asyncio.wait_for(task, 1)

    assert isinstance(reply, Reply)
    assert reply.body == HUGE
    assert turns.asked == [False]
    assert transport.line.may_be_kept


@pytest.mark.threat("S19")
async def test_a_line_whose_end_came_while_it_was_not_listened_to_is_not_used_again():
    turns = Turns(at_once=True)
    transport, task = asking(turns, limit=10 * STEP)
    await settle()

    transport.bring(HEAD % len(HUGE) + HUGE[:ROOM])
    turns.at_once = False
    transport.bring(HUGE[ROOM:-1])
    assert transport.is_paused
    bring(transport.line, HUGE[-1:])  # the layers below had read it
    reply = await asyncio.wait_for(task, 1)

    assert isinstance(reply, Reply)
    assert reply.body == HUGE
    assert not transport.line.may_be_kept


async def test_a_connection_that_breaks_before_a_further_turn_is_no_end():
    turns = Turns(at_once=True)
    transport, task = asking(turns, limit=10 * STEP)
    await settle()

    transport.bring(HEAD % len(HUGE), HUGE[:ROOM])
    turns.at_once = False
    transport.bring(HUGE[ROOM:-1])
    transport.line.connection_lost(ConnectionResetError(104, "reset"))
    await settle()
    assert not task.done()
    turns.grant()

    assert isinstance(await asyncio.wait_for(task, 1), Unreachable)


async def test_what_is_packed_stays_so_until_its_turn():
    turns = Turns()
    transport, task = asking(turns)
    await settle()
    packed = gzip.compress(b"x" * LIMIT)
    head = HEAD.replace(b"OK\r\n", b"OK\r\nContent-Encoding: gzip\r\n") % len(packed)

    transport.bring(head + packed)
    await settle()
    reading = transport.line._reading
    assert reading is not None
    assert reading._body is not None
    assert reading._body.is_packed
    assert reading._body.beginning() == packed
    turns.grant()
    reply = await asyncio.wait_for(task, 1)

    assert isinstance(reply, Reply)
    assert len(reply.body) == LIMIT


@pytest.mark.parametrize("at_once", [True, False])
async def test_what_is_too_large_is_found_out_in_its_turn(at_once):
    turns = Turns(at_once)
    transport, task = asking(turns, limit=BEGINNING)
    await settle()

    transport.bring(b"HTTP/1.1 200 OK\r\n\r\n", *cut(LARGE, 10_000))
    if not at_once:
        turns.grant()

    assert isinstance(await asyncio.wait_for(task, 1), TooLarge)
    assert transport.is_closed


async def test_a_bomb_is_found_out_in_its_turn():
    turns = Turns()
    transport, task = asking(turns, limit=10_000)
    await settle()
    packed = gzip.compress(bytes(LIMIT))
    head = HEAD.replace(b"OK\r\n", b"OK\r\nContent-Encoding: gzip\r\n") % len(packed)

    transport.bring(head + packed)
    await settle()
    turns.grant()

    assert isinstance(await asyncio.wait_for(task, 1), TooLarge)


@pytest.mark.threat("S19")
async def test_what_follows_an_answer_that_waits_is_no_other_answer():
    turns = Turns()
    transport, task = asking(turns)
    await settle()

    transport.bring(ANSWERS["length"])
    transport.bring(ANSWERS["length"].replace(b"hello", b"other"))
    turns.grant()
    reply = await asyncio.wait_for(task, 1)

    assert isinstance(reply, Reply)
    assert reply.body == b"hello"
    assert transport.is_closed
    assert not transport.line.may_be_kept


@pytest.mark.threat("S19")
async def test_a_line_that_was_not_listened_to_is_not_used_again():
    turns = Turns()
    transport, task = asking(turns)
    await settle()

    body = LARGE[: BEGINNING + 2]
    transport.bring(HEAD % len(body) + body[:-1], ANSWERS["length"])
    bring(transport.line, body[-1:])  # the layers below had read it
    assert transport.coming
    turns.grant()
    reply = await asyncio.wait_for(task, 1)

    assert isinstance(reply, Reply)
    assert reply.body == body
    assert not transport.line.may_be_kept


async def test_a_connection_that_breaks_meanwhile_is_no_end():
    turns = Turns()
    transport, task = asking(turns)
    await settle()

    transport.bring(HEAD % len(LARGE) + LARGE[: 2 * BEGINNING])
    transport.line.connection_lost(ConnectionResetError(104, "reset"))
    await settle()
    assert not task.done()
    turns.grant()

    assert isinstance(await asyncio.wait_for(task, 1), Unreachable)


async def test_who_is_not_waited_for_any_more_takes_no_turn():
    turns = Turns()
    transport, task = asking(turns)
    await settle()
    transport.bring(ANSWERS["length"])
    await settle()

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    turns.grant()
    await settle()

    assert transport.is_closed


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 304 Not Modified\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nLocation: /b\r\n\r\n",
        b"HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\nhello",
        b"HTTP/1.1 404 Not Found\r\n\r\n" + LARGE,
    ],
    ids=["unchanged", "redirect", "error", "large error"],
)
async def test_what_needs_no_room_waits_for_no_turn(answer):
    turns = Turns()
    transport, task = asking(turns)
    await settle()

    transport.bring(answer)

    assert isinstance(await asyncio.wait_for(task, 1), Reply)
    assert turns.asked == []
