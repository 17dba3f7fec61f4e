"""Headers on every answer, whoever asks for whatever; cookies; limits; request ids."""

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import ClassVar

import pytest
import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from feedloom.serve import server_options
from feedloom.serve.middleware.asgi import OuterMiddleware
from feedloom.serve.middleware.server import (
    MOST_HEADERS,
    MOST_HEADS,
    MOST_PIPELINED,
    PatientProtocol,
)
from feedloom.serve.pages.assets import asset_url
from feedloom.store.engine.scripts import WORKER, sql
from tests.journeys.fetch.conftest import until
from tests.lines import hang_up
from tests.serving import HTML, HTMX, Server, Visitor
from tests.unit.serve.requests_made import make_request

EVERYWHERE = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


@pytest.mark.threat("X13")
@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("GET", "/", HTML, 200),
        ("GET", "/auth/login", HTML, 200),
        ("GET", "/dashboard", HTML, 401),
        ("GET", "/feeds", HTMX, 401),
        ("GET", "/feeds", {}, 401),
        ("GET", "/nowhere", HTML, 404),
        ("GET", "/nowhere", {}, 404),
        ("DELETE", "/auth/login", HTML, 405),
        ("GET", "/api/openapi.json", {}, 200),
        ("GET", "/healthz", {}, 200),
        ("GET", "/robots.txt", {}, 200),
        ("GET", "/static/x/none.css", {}, 404),
        ("GET", asset_url("feedloom.css"), {}, 200),
        ("POST", "/auth/login", {"Origin": "https://evil.example"}, 403),
        ("GET", "/index.php/apps/news/api/v1-3/feeds", {}, 401),
        ("GET", "/fever/?api", {}, 200),
        ("OPTIONS", "/fever/", {}, 204),
        ("GET", "/view/none.xml", {}, 404),
        ("HEAD", "/auth/login", HTML, 200),
        ("PROPFIND", "/auth/login", HTML, 405),
    ],
)
async def test_protection_is_on_every_answer(shared_server, method, path, headers, status):
    reply = await shared_server.visitor().ask(method, path, headers=headers)

    assert reply.status == status
    for name, value in EVERYWHERE.items():
        assert reply.headers[name] == value or path.startswith("/view/"), name
    policy = reply.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert re.fullmatch(r"[0-9a-f]{16}", reply.headers["X-Request-Id"])


@pytest.mark.threat("X13")
async def test_a_failure_of_our_own_is_a_500_with_protection_and_no_details(server):
    ada = await server.register("ada@example.org")

    def broken():
        yield sql("ALTER TABLE article_states RENAME TO gone")

    await server.call(lambda container: container.work.write(WORKER, broken))
    page = await ada.get("/dashboard", headers=HTML)
    answer = await ada.get("/feeds")

    for reply in (page, answer):
        assert reply.status == 500
        assert "default-src 'none'" in reply.headers["Content-Security-Policy"]
        assert "Traceback" not in reply.text
        assert "article_states" not in reply.text


@pytest.mark.threat("A18")
async def test_private_answers_are_never_stored(shared_server):
    ada = await shared_server.register("cache@example.org")

    for path in ("/dashboard", "/settings/security", "/api/me", "/auth/password"):
        reply = await ada.get(path, headers=HTML)
        assert reply.headers["Cache-Control"] == "private, no-store", path
        assert reply.headers["Vary"].startswith("Accept, HX-Request"), path
    listed = await ada.get("/feeds")
    assert listed.headers["Cache-Control"] == "private, no-cache"


@pytest.mark.threat("X12")
async def test_an_address_that_is_markup_is_shown_as_text(shared_server):
    reply = await shared_server.visitor().get("/<script>alert(1)</script>?<b>", headers=HTML)

    assert reply.status == 404
    assert "<script>alert" not in reply.text
    assert "<b>" not in reply.text


@pytest.mark.threat("A13")
async def test_cookies_over_plain_http(shared_server):
    visitor = shared_server.visitor()

    page = await visitor.get("/auth/login", headers=HTML)

    line = page.cookies["feedloom_guest"]
    assert "HttpOnly" in line
    assert "SameSite=lax" in line
    assert "Path=/" in line
    assert "Secure" not in line


@pytest.mark.threat("A13")
async def test_cookies_over_tls_are_bound_to_the_host(serve):
    server = serve(base_url="https://feeds.example")
    visitor = server.visitor()

    page = await visitor.get("/auth/login", headers=HTML)
    ada = await server.register("ada@example.org")

    assert list(page.cookies) == ["__Host-feedloom_guest"]
    assert "Secure" in page.cookies["__Host-feedloom_guest"]
    assert "__Host-feedloom_session" in ada.cookies
    assert page.headers["Strict-Transport-Security"].startswith("max-age=")


@pytest.mark.threat("A12")
async def test_forwarding_headers_count_only_from_trusted_proxies(serve):
    headers = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.9"}
    plain, trusting = serve(), serve(trusted_proxies="127.0.0.0/8")

    ignored = await plain.visitor(**headers).get("/auth/login", headers=HTML)
    believed = await trusting.visitor(**headers).get("/auth/login", headers=HTML)

    assert list(ignored.cookies) == ["feedloom_guest"]
    assert list(believed.cookies) == ["__Host-feedloom_guest"]
    assert "Strict-Transport-Security" not in ignored.headers


async def test_a_session_shows_the_address_a_trusted_proxy_names(serve):
    server = serve(trusted_proxies="127.0.0.1")
    await server.register("ada@example.org")
    visitor = server.visitor(**{"X-Forwarded-For": "198.51.100.1, 203.0.113.9"})
    token = await visitor.open_form("/auth/login")
    form = {"email": "ada@example.org", "password": "correct horse battery", "csrf_token": token}
    await visitor.post("/auth/login", data=form)

    page = await visitor.get("/settings/security", headers=HTML)

    assert "203.0.113.9" in page.text
    assert "198.51.100.1" not in page.text


@pytest.mark.threat("W3")
async def test_a_body_larger_than_announced_is_cut(shared_server):
    ada = await shared_server.register("big@example.org")

    async def endless() -> AsyncIterator[bytes]:
        for _ in range(40):
            yield b"x" * 65_536

    reply = await ada.post(
        "/api/folders", data=endless(), headers={"Content-Type": "application/json"}
    )

    assert reply.status == 413
    assert reply.json()["type"] == "urn:feedloom:problem:too_much_sent"


@pytest.mark.threat("W3")
@pytest.mark.parametrize(("parts", "name"), [(11, 'name="f"; filename="x"'), (1_100, "name=f")])
async def test_a_form_with_too_many_parts_is_refused(shared_server, parts, name):
    visitor = shared_server.visitor()
    line = "--b"
    one = f"{line}\r\nContent-Disposition: form-data; {name}\r\n\r\n\r\n"
    body = (one * parts + f"{line}--\r\n").encode()

    reply = await visitor.post(
        "/auth/login", data=body, headers={"Content-Type": "multipart/form-data; boundary=b"}
    )

    assert reply.status == 400


async def raw(server: Server, sent: bytes, *, within_s: float = 5.0) -> bytes:
    """Send bytes as they are and return what comes until the line closes."""
    host, port = server.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        writer.write(sent)
        await writer.drain()
        async with asyncio.timeout(within_s):
            return await reader.read(65_536)
    finally:
        await hang_up(writer)


@pytest.mark.threat("W3")
async def test_an_endless_head_is_refused(shared_server):
    head = b"GET / HTTP/1.1\r\nHost: x\r\nX-Long: " + b"a" * 200_000

    answer = await raw(shared_server, head)

    assert answer.startswith(b"HTTP/1.1 400")


@pytest.mark.threat("W3")
@pytest.mark.parametrize(("lines", "status"), [(MOST_HEADERS - 2, 200), (MOST_HEADERS, 400)])
async def test_many_small_headers_are_refused_too(shared_server, lines, status):
    head = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + b"a:\r\n" * lines

    # Nothing says that the last one is the last where there are too many.
    answer = await raw(shared_server, head + b"\r\n" * (status == 200))

    assert answer.startswith(b"HTTP/1.1 %d" % status)


async def test_what_is_no_http_is_refused(shared_server):
    answer = await raw(shared_server, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n")

    assert answer.startswith(b"HTTP/1.1 400")
    assert b"content-security-policy: default-src 'none'" in answer
    assert b"x-content-type-options: nosniff" in answer


@pytest.mark.threat("W3")
@pytest.mark.parametrize(
    "sent",
    [
        b"GET /healthz\r\n\r\n",
        b"GET /healthz HTTP/0.9\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
        b"GET http://other.example/healthz HTTP/1.1\r\nHost: a\r\n\r\n",
        b"CONNECT other.example:443 HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET * HTTP/1.1\r\nHost: a\r\n\r\n",
    ],
)
async def test_requests_that_servers_read_differently_are_refused(shared_server, sent):
    answer = await raw(shared_server, sent)

    assert answer.startswith(b"HTTP/1.1 400")
    assert answer.count(b"HTTP/1.1") == 1


@pytest.mark.threat("W3")
async def test_a_slow_caller_does_not_hold_up_others(shared_server):
    host, port = shared_server.url.removeprefix("http://").split(":")
    lines = [await asyncio.open_connection(host, int(port)) for _ in range(50)]
    for _, writer in lines:
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ")

    async with asyncio.timeout(10):
        reply = await shared_server.visitor().get("/healthz")

    await asyncio.gather(*(hang_up(writer) for _, writer in lines))
    assert reply.status == 200


class Impatient(PatientProtocol):
    """The server's own protocol, in a hurry."""

    head_s = 0.2


async def answer(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer at once, without a look at what else was announced."""
    assert scope["type"] == "http"
    head = [(b"content-length", b"2")]
    await send({"type": "http.response.start", "status": 200, "headers": head})
    await send({"type": "http.response.body", "body": b"ok"})


@asynccontextmanager
async def listening(protocol: type[PatientProtocol], app: ASGIApp = answer) -> AsyncIterator[int]:
    """Serve with a protocol; hand out the port."""
    options = {**server_options(), "http": protocol}
    server = uvicorn.Server(uvicorn.Config(app, port=0, lifespan="off", **options))
    running = asyncio.create_task(server.serve())
    assert await until(lambda: server.started)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    await running


@pytest.mark.threat("W7")
async def test_an_address_with_too_many_unfinished_heads_waits_less():
    class Crowded(PatientProtocol):
        head_s = 60.0
        crowded_s = 0.5
        heads: ClassVar[Counter[str]] = Counter()

    async with listening(Crowded) as port:
        lines = [
            await asyncio.open_connection("127.0.0.1", port, local_addr=(peer, 0))
            for peer in ["127.0.0.5"] * (MOST_HEADS + 20) + ["127.0.0.6"]
        ]
        assert await until(lambda: Crowded.heads["127.0.0.5"] == MOST_HEADS)
        neighbour, writer = lines[-1]
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        answered = await neighbour.readuntil(b"ok")
        closed = sum(reader.at_eof() for reader, _ in lines)
        await asyncio.gather(*(hang_up(writer) for _, writer in lines))

    assert answered.startswith(b"HTTP/1.1 200")
    assert closed == 20
    assert not Crowded.heads


@pytest.mark.threat("W7")
async def test_when_all_connections_are_taken_who_has_most_loses_one(monkeypatch):
    monkeypatch.setattr("feedloom.serve.middleware.server.most_connections", lambda: 8)
    async with listening(PatientProtocol) as port:
        lines = [
            await asyncio.open_connection("127.0.0.1", port, local_addr=(peer, 0))
            for peer in ["127.0.0.5"] * 8 + ["127.0.0.6"] * 4
        ]
        for _, writer in lines[8:]:
            writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        answered = [await reader.readuntil(b"ok") for reader, _ in lines[8:]]
        await asyncio.gather(*(hang_up(writer) for _, writer in lines))

    assert len(answered) == 4


@pytest.mark.threat("W3")
@pytest.mark.parametrize(("sent", "answered"), [(MOST_PIPELINED, MOST_PIPELINED), (5_000, 0)])
async def test_only_so_many_requests_wait_on_one_connection(sent: int, answered: int):
    asked, may_go_on = asyncio.Event(), asyncio.Event()

    async def slow_answer(scope: Scope, receive: Receive, send: Send) -> None:
        asked.set()
        await may_go_on.wait()
        await answer(scope, receive, send)

    head = b"GET / HTTP/1.1\r\nHost: x\r\n"
    async with listening(PatientProtocol, slow_answer) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write((head + b"\r\n") * (sent - 1) + head + b"Connection: close\r\n\r\n")
        await asked.wait()
        may_go_on.set()
        taken = b""
        with suppress(ConnectionResetError):
            taken = await reader.read()
        await hang_up(writer)

    assert taken.count(b"\r\n\r\nok") == answered


@pytest.mark.threat("W15")
async def test_who_does_not_read_an_answer_is_hung_up_on_and_who_reads_slowly_is_not():
    class Hasty(PatientProtocol):
        taking_s = 0.5

    size, ended = 8_000_000, asyncio.Event()

    async def long_answer(scope: Scope, receive: Receive, send: Send) -> None:
        answer = PlainTextResponse(b"x" * size)
        answer.raw_headers.append((b"connection", b"close"))
        await OuterMiddleware(answer)({**scope, "app": surrounded}, receive, send)
        ended.set()

    surrounded = make_request().app
    async with listening(Hasty, long_answer) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=4_096)
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        await asyncio.wait_for(ended.wait(), 30)
        await hang_up(writer)

        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=4_096)
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        await reader.readuntil(b"\r\n\r\n")
        taken = 0
        while part := await reader.read(400_000):
            taken += len(part)
            if taken < size // 4:
                await asyncio.sleep(0.001)
        await hang_up(writer)

    assert taken == size


@pytest.fixture
async def impatient():
    """Open a line to a server that does not wait long."""
    async with listening(Impatient) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        yield reader, writer
        await hang_up(writer)


@pytest.mark.threat("W3")
async def test_a_head_that_never_ends_is_hung_up_on(impatient):
    reader, writer = impatient
    writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n")

    async with asyncio.timeout(5):
        rest = await reader.read()

    assert rest == b""


@pytest.mark.threat("W3")
@pytest.mark.parametrize(
    ("asked", "more"),
    [
        (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\r\n"),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\nx", b"x"),
    ],
    ids=["line ends", "body"],
)
async def test_who_dribbles_after_an_answer_is_hung_up_on(impatient, asked, more):
    reader, writer = impatient
    writer.write(asked)
    answered = await reader.readuntil(b"ok")

    # Well before an idle line is closed; and more of the same does not put it off.
    async with asyncio.timeout(10):
        while not reader.at_eof():
            writer.write(more)
            with suppress(TimeoutError, ConnectionError):
                await asyncio.wait_for(reader.read(), 0.05)

    assert answered.startswith(b"HTTP/1.1 200")


@pytest.mark.threat("W3")
async def test_line_ends_between_requests_do_no_harm(impatient):
    reader, writer = impatient

    for _ in range(3):
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert (await reader.readuntil(b"ok")).startswith(b"HTTP/1.1 200")
        writer.write(b"\r\n")


@pytest.mark.both_engines
@pytest.mark.threat("A2")
async def test_a_session_in_use_changes_its_token(server):
    ada = await server.register("ada@example.org")
    before = dict(ada.cookies)

    def aged():
        yield sql("UPDATE sessions SET seen_at = seen_at - 600000000")
        yield sql("UPDATE sessions SET created_at = created_at - 86400000000")
        yield sql("UPDATE sessions SET rotated_at = rotated_at - 86400000000")

    async def age() -> None:
        await server.call(lambda container: container.work.write(WORKER, aged))

    def old() -> Visitor:
        return Visitor(ada.url, cookies=dict(before))

    await age()
    ada_told = await ada.get("/api/me")
    told_too = await old().get("/api/me")
    used = await ada.get("/api/me")
    under_way = await old().get("/api/me")
    after = dict(ada.cookies)
    await age()
    over = await old().get("/api/me")
    again = await ada.get("/api/me")

    assert len({str(cookies) for cookies in (before, after, ada.cookies)}) == 3
    assert (ada_told.status, told_too.status, used.status) == (200, 200, 200)
    # Only one request brings a new token, and those sent before it came still count.
    assert (told_too.cookies, under_way.cookies) == ({}, {})
    assert (under_way.status, over.status, again.status) == (200, 401, 200)


async def test_an_open_page_keeps_its_cookie_alive(server):
    ada = await server.register("ada@example.org")

    def aged():
        yield sql("UPDATE sessions SET seen_at = seen_at - 600000000")

    fresh = await ada.get("/api/me")
    await server.call(lambda container: container.work.write(WORKER, aged))
    stale = await ada.get("/api/me")
    again = await ada.get("/api/me")

    assert fresh.cookies == {}
    assert "Max-Age=2592000" in stale.cookies["feedloom_session"]
    assert again.cookies == {}


@pytest.mark.threat("A2")
async def test_a_session_ends_with_its_time(server):
    ada = await server.register("ada@example.org")

    def over_soon():
        yield sql("UPDATE sessions SET expires_at = now_us() + 3000000")

    await server.call(lambda container: container.work.write(WORKER, over_soon))
    # Nothing is written when the time comes: what was found before does not hold.
    before = await ada.get("/api/me")
    await asyncio.sleep(3.1)
    after = await ada.get("/api/me")

    assert (before.status, after.status) == (200, 401)


def test_no_page_has_a_script_or_style_of_its_own():
    folder = Path("src/feedloom/serve/pages/templates")
    inline = re.compile(
        r"<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=|javascript:", re.IGNORECASE
    )

    guilty = [path.name for path in folder.rglob("*.html") if inline.search(path.read_text())]

    assert guilty == []


@pytest.mark.threat("W6")
async def test_a_visitor_who_knows_nothing_gets_no_cookie_from_assets(shared_server):
    visitor: Visitor = shared_server.visitor()

    for path in ("/healthz", asset_url("feedloom.css"), "/robots.txt"):
        assert (await visitor.get(path)).cookies == {}
