"""Bodies are judged as they come: how large, how slow, how many, and whose."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import Throttled, TooMuchSent
from feedloom.model.reader import Role, User
from feedloom.serve.auth import Actor
from feedloom.serve.middleware import bodies
from feedloom.serve.middleware.bodies import Body, Intake, expect_body
from feedloom.serve.routes import Access, Route
from tests.unit.serve.requests_made import make_request

Receive = Callable[[], Any]


async def nothing(_request: Request) -> Response:
    return Response()


DOOR = Route("/x", nothing, ("POST",), Access.OWN, body_limit=1_000_000, stranger_limit=10)


def pieces(*sizes: int, more: bool = True) -> Receive:
    left = [b"x" * size for size in sizes]

    async def receive() -> dict[str, object]:
        part = left.pop(0)
        return {"type": "http.request", "body": part, "more_body": more or bool(left)}

    return receive


def sent(receive: Receive, *, user: int = 0, intake: Intake | None = None, **more: Any) -> Body:
    request = make_request("POST", **more)
    if user:
        request.state.actor = Actor(User(user, f"{user}@example.org", Role.READER))
    return Body(receive, request.scope, DOOR, intake or Intake())


class Hasty(Body):
    grace_s = 0.01


@pytest.mark.threat("W3")
async def test_a_body_that_does_not_come_is_given_up():
    async def silence() -> dict[str, object]:
        await asyncio.Event().wait()
        return {}

    body = Hasty(silence, make_request("POST").scope, DOOR, Intake())

    with pytest.raises(HTTPException) as caught:
        await body.receive()
    assert caught.value.status_code == 408


@pytest.mark.threat("W3")
async def test_a_body_that_dribbles_is_given_up_and_one_that_comes_is_not():
    class Slow(Body):
        grace_s = 0.2
        slowest_bytes_s = 100_000

    async def dribble() -> dict[str, object]:
        await asyncio.sleep(0.05)
        return {"type": "http.request", "body": b"x", "more_body": True}

    request = make_request("POST")
    request.state.actor = Actor(User(1, "ada@example.org", Role.READER))
    slow = Slow(dribble, request.scope, DOOR, Intake())
    steady = Slow(pieces(*[50_000] * 10), request.scope, DOOR, Intake())

    async def all_of(body: Body, parts: int) -> None:
        for _ in range(parts):
            await body.receive()

    with pytest.raises(HTTPException) as caught:
        await all_of(slow, 1_000)
    await all_of(steady, 10)
    assert caught.value.status_code == 408


@pytest.mark.threat("W3")
async def test_a_body_is_counted_as_it_comes():
    body = sent(pieces(6, 6))

    await body.receive()
    with pytest.raises(TooMuchSent):
        await body.receive()


@pytest.mark.threat("W3")
async def test_a_body_that_announces_too_much_is_not_waited_for():
    async def never() -> None:
        raise AssertionError("nothing may be read")

    with pytest.raises(TooMuchSent):
        await sent(never, headers={"Content-Length": "11"}).receive()


@pytest.mark.threat("W3")
async def test_who_is_known_may_send_more():
    by_proof = make_request("POST", headers={"Content-Length": "500"})
    expect_body(by_proof, "a hub")

    person = await sent(pieces(500), user=1, headers={"Content-Length": "500"}).receive()
    hub = await Body(pieces(500), by_proof.scope, DOOR, Intake()).receive()

    assert len(person["body"]) == len(hub["body"]) == 500


@pytest.mark.threat("W7")
async def test_one_sender_has_only_so_many_bodies_on_the_way():
    intake = Intake()
    mine = [sent(pieces(1), intake=intake) for _ in range(bodies.MOST_UNFINISHED)]
    for body in mine:
        await body.receive()

    with pytest.raises(Throttled):
        await sent(pieces(1), intake=intake).receive()
    # Neither a neighbour nor a person at the same address is held up.
    await sent(pieces(1), intake=intake, peer="192.0.2.2").receive()
    await sent(pieces(1), intake=intake, user=1).receive()
    mine[0].close()
    await sent(pieces(1), intake=intake).receive()


@pytest.mark.threat("W7")
async def test_an_address_of_the_new_kind_counts_with_its_neighbours():
    intake = Intake()
    for number in range(bodies.MOST_UNFINISHED):
        peer = f"2001:db8::{number + 1:x}"
        await sent(pieces(1), intake=intake, peer=peer).receive()

    with pytest.raises(Throttled):
        await sent(pieces(1), intake=intake, peer="2001:db8::ffff").receive()
    await sent(pieces(1), intake=intake, peer="2001:db8:0:1::1").receive()


@pytest.mark.threat("W7")
async def test_what_is_in_memory_is_counted_until_it_is_answered(monkeypatch):
    monkeypatch.setattr(bodies, "MOST_HELD_KNOWN", 2_000)
    intake = Intake()
    first = sent(pieces(900, more=False), user=1, intake=intake)
    await first.receive()

    with pytest.raises(Throttled):
        await sent(pieces(200), user=1, intake=intake).receive()
    with pytest.raises(Throttled):
        await sent(pieces(700), user=2, intake=intake).receive()
    # What people send takes nothing from strangers.
    await sent(pieces(5, more=False), intake=intake).receive()
    first.close()
    await sent(pieces(700), user=2, intake=intake).receive()


@pytest.mark.threat("W7")
async def test_some_who_hold_all_they_can_leave_room_for_others(monkeypatch):
    monkeypatch.setattr(bodies, "MOST_HELD_KNOWN", 64_000)
    intake = Intake()
    for user in range(1, 6):
        for _ in range(64 >> user - 1):
            await sent(pieces(500), user=user, intake=intake).receive()
        with pytest.raises(Throttled):
            await sent(pieces(500), user=user, intake=intake).receive()

    assert (await sent(pieces(500), user=6, intake=intake).receive())["body"]
    assert intake.held["user 1"] == 32_000


async def test_nothing_is_left_in_the_books():
    intake = Intake()
    for user in (0, 1):
        body = sent(pieces(4, 4, more=False), user=user, intake=intake)
        await body.receive()
        await body.receive()
        body.close()
        body.close()

    assert intake == Intake()
