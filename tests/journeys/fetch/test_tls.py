"""Certificates are verified, and against the name that was asked for."""

import asyncio
import socket
import ssl
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest
import trustme

from feedloom.fetch import HTTPFetcher, Wire
from feedloom.fetch.client import BEGINNING
from feedloom.model.errors import BadTLS, Unreachable
from feedloom.model.stages import FetchRequest
from tests.journeys.fetch.conftest import AGENT, LOOPBACK, SlowRoom
from tests.publisher import Answer, Publisher

pytestmark = pytest.mark.threat("S20")

NAME = "feeds.example"
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


async def on_loopback(host: str) -> list[str]:
    return ["127.0.0.1"]


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


def server_tls(authority: trustme.CA, *names: str, **kind) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*names, **kind).configure_cert(context)
    return context


def client(authority: trustme.CA | None) -> HTTPFetcher:
    tls = None
    if authority is not None:
        tls = ssl.create_default_context()
        authority.configure_trust(tls)
    return HTTPFetcher(AGENT, allow_networks=LOOPBACK, wire=Wire(lookup=on_loopback, tls=tls))


async def ask(fetcher: HTTPFetcher, context: ssl.SSLContext, name: str = NAME) -> int:
    async with Publisher(tls=context) as publisher:
        publisher.page("/", "hello")
        try:
            answer = await fetcher.fetch(FetchRequest(f"https://{name}:{publisher.port}/"))
        finally:
            await fetcher.close()
        return answer.status


async def test_good_certificate_is_accepted_for_its_name(authority):
    assert await ask(client(authority), server_tls(authority, NAME)) == 200


async def test_certificate_of_an_unknown_authority_is_refused(authority):
    with pytest.raises(BadTLS):
        await ask(client(None), server_tls(authority, NAME))


async def test_certificate_for_another_name_is_refused(authority):
    with pytest.raises(BadTLS):
        await ask(client(authority), server_tls(authority, "other.example"))


async def test_certificate_is_checked_against_the_name_not_the_address(authority):
    with pytest.raises(BadTLS):
        await ask(client(authority), server_tls(authority, "127.0.0.1"))


async def test_certificate_of_an_address_serves_that_address(authority):
    tls = server_tls(authority, "127.0.0.1")

    assert await ask(client(authority), tls, "127.0.0.1") == 200


async def test_expired_certificate_is_refused(authority):
    expired = server_tls(
        authority, NAME, not_before=LONG_AGO, not_after=LONG_AGO + timedelta(days=90)
    )

    with pytest.raises(BadTLS):
        await ask(client(authority), expired)


async def test_old_version_of_the_protocol_is_refused(authority):
    old = server_tls(authority, NAME)
    old.set_ciphers("ALL:@SECLEVEL=0")
    with pytest.warns(DeprecationWarning, match="TLSv1_1 is deprecated"):
        old.maximum_version = ssl.TLSVersion.TLSv1_1
    with pytest.warns(DeprecationWarning, match="TLSv1 is deprecated"):
        old.minimum_version = ssl.TLSVersion.TLSv1

    assert await blocking_handshake(authority, old) is BadTLS


async def blocking_handshake(
    authority: trustme.CA, context: ssl.SSLContext
) -> type[Exception] | None:
    """Ask a server that, unlike asyncio's, says goodbye after a failed handshake."""
    fetcher = client(authority)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        serving = asyncio.create_task(asyncio.to_thread(serve_handshake, listening, context))
        try:
            await fetcher.fetch(FetchRequest(f"https://{NAME}:{port}/", timeout_s=10))
        except Unreachable as error:
            return type(error)
        finally:
            await serving
            await fetcher.close()
    return None


def serve_handshake(listening: socket.socket, context: ssl.SSLContext) -> None:
    line, _ = listening.accept()
    with line, suppress(ssl.SSLError):
        context.wrap_socket(line, server_side=True).close()


async def handshake_with(answer: bytes, authority: trustme.CA) -> None:
    """Ask a server that answers a handshake with something else and hangs up."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(answer)
        writer.close()

    fetcher = client(authority)
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    try:
        await fetcher.fetch(FetchRequest(f"https://{NAME}:{port}/", timeout_s=10))
    finally:
        await fetcher.close()
        server.close()


async def test_server_that_speaks_no_tls_is_refused(authority):
    with pytest.raises(BadTLS):
        await handshake_with(b"HTTP/1.1 400 Bad Request\r\n\r\n", authority)


async def test_server_that_hangs_up_during_the_handshake_is_unreachable(authority):
    with pytest.raises(Unreachable):
        await handshake_with(b"", authority)


@pytest.mark.parametrize("waits", [True, False])
@pytest.mark.parametrize("framed", [True, False], ids=["a length", "until the end"])
@pytest.mark.parametrize("size", [1_000, 200_000, 2_000_000])
async def test_an_answer_comes_whole_also_when_it_waits_for_room(authority, size, framed, waits):
    body = b"<rss>" + b"x" * size
    head = b"content-length: %d\r\n" % len(body) if framed else b""
    raw = b"HTTP/1.1 200 OK\r\n" + head + b"\r\n" + body
    fetcher, room = client(authority), SlowRoom()
    async with Publisher(tls=server_tls(authority, NAME)) as publisher:
        publisher.script("/", Answer(raw=raw))
        url = f"https://{NAME}:{publisher.port}/"
        try:
            answer = await fetcher.fetch(FetchRequest(url, room=room if waits else None))
        finally:
            await fetcher.close()

    assert answer.body == body
    assert bool(room.taken) == (waits and size > BEGINNING)
