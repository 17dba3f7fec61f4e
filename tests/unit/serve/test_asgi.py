"""The outermost layer: it answers whatever happens inside."""

import asyncio
from collections import Counter

import pytest
from starlette.responses import PlainTextResponse

from feedloom.serve.middleware.asgi import CROWDED, MOST_AT_ONCE, PART, OuterMiddleware
from tests.unit.serve.requests_made import make_request


async def through(middleware: OuterMiddleware, peer: str = "192.0.2.1") -> list[dict[str, object]]:
    sent: list[dict[str, object]] = []

    async def send(message):
        sent.append(message)

    request = make_request(peer=peer)
    await middleware(request.scope, request.receive, send)
    return sent


def headers_of(message) -> dict[bytes, bytes]:
    return dict(message["headers"])


@pytest.mark.threat("X13")
async def test_a_failure_inside_is_a_500_with_all_headers():
    async def broken(scope, receive, send):
        raise RuntimeError("secret")

    start, body = await through(OuterMiddleware(broken))

    assert start["status"] == 500
    assert b"content-security-policy" in headers_of(start)
    assert body["body"] == b"Internal Server Error\n"


async def test_what_a_route_says_about_a_header_stays():
    answer = PlainTextResponse("ok", headers={"Cache-Control": "public, max-age=5"})

    start, _ = await through(OuterMiddleware(answer))

    assert headers_of(start)[b"cache-control"] == b"public, max-age=5"


@pytest.mark.threat("W7")
async def test_too_many_at_once_are_turned_away():
    free = asyncio.Event()

    async def slow(scope, receive, send):
        await free.wait()
        await PlainTextResponse("ok")(scope, receive, send)

    middleware = OuterMiddleware(slow)
    peers = [f"198.51.100.{number % 250}" for number in range(MOST_AT_ONCE)]
    waiting = [asyncio.create_task(through(middleware, peer)) for peer in peers]
    await asyncio.sleep(0)

    start, _ = await through(middleware)
    free.set()
    served = await asyncio.gather(*waiting)

    assert start["status"] == 503
    assert headers_of(start)[b"retry-after"] == b"5"
    assert {messages[0]["status"] for messages in served} == {200}
    assert (await through(middleware))[0]["status"] == 200


@pytest.mark.threat("W14")
async def test_a_thousand_slow_answers_for_one_address_leave_room_for_others():
    free = asyncio.Event()

    async def slow(scope, receive, send):
        if scope["client"][0] == "192.0.2.1":
            await free.wait()
        await PlainTextResponse("ok")(scope, receive, send)

    middleware = OuterMiddleware(slow)
    waiting = [asyncio.create_task(through(middleware)) for _ in range(MOST_AT_ONCE)]
    await asyncio.sleep(0)

    start, _ = await through(middleware, "198.51.100.7")
    free.set()
    served = await asyncio.gather(*waiting)

    assert start["status"] == 200
    assert {messages[0]["status"] for messages in served[:CROWDED]} == {200}
    assert {messages[0]["status"] for messages in served[CROWDED:]} == {503}


@pytest.mark.threat("W7")
async def test_who_waits_for_a_body_keeps_nobody_from_being_served():
    async def reads(scope, receive, send):
        await receive()
        await PlainTextResponse("ok")(scope, receive, send)

    middleware, came = OuterMiddleware(reads), asyncio.Event()

    async def send_slowly() -> object:
        sent = []

        async def receive():
            await came.wait()
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message):
            sent.append(message)

        await middleware(make_request("POST").scope, receive, send)
        return sent[0]["status"]

    waiting = [asyncio.create_task(send_slowly()) for _ in range(2 * MOST_AT_ONCE)]
    await asyncio.sleep(0)

    start, _ = await through(middleware)
    came.set()

    assert start["status"] == 200
    assert set(await asyncio.gather(*waiting)) == {200}


@pytest.mark.threat("W15")
async def test_who_waits_to_be_read_keeps_nobody_from_being_served():
    async def answers(scope, receive, send):
        await PlainTextResponse(b"x" * (3 * PART + 1))(scope, receive, send)

    middleware, is_read = OuterMiddleware(answers), asyncio.Event()
    parts: list[int] = []

    async def read_slowly() -> None:
        async def send(message):
            await is_read.wait()
            parts.append(len(message.get("body", b"")))

        request = make_request()
        await middleware(request.scope, request.receive, send)

    waiting = [asyncio.create_task(read_slowly()) for _ in range(2 * MOST_AT_ONCE)]
    await asyncio.sleep(0)

    start, *_ = await through(middleware)
    is_read.set()
    await asyncio.gather(*waiting)

    assert start["status"] == 200
    assert Counter(parts) == {size: 2 * MOST_AT_ONCE * n for size, n in ((0, 1), (PART, 3), (1, 1))}


async def test_half_an_answer_breaks_off():
    async def half(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise RuntimeError("secret")

    with pytest.raises(RuntimeError):
        await through(OuterMiddleware(half))
