"""Requests through real proxies: they arrive, and lead no further inside than before."""

import ssl
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import trustme

from feedloom.fetch import AllowList, HTTPFetcher, Proxy, Wire
from feedloom.model.errors import BlockedAddress, ConfigError, Unreachable
from feedloom.model.stages import FetchRequest, Purpose
from tests.journeys.fetch.conftest import AGENT
from tests.outbound_proxies import http_proxy, socks_proxy, with_login
from tests.publisher import HOME, Publisher

pytestmark = pytest.mark.threat("S28")

ONLY_HOME = AllowList.parse(f"{HOME}/32")
OTHER = "127.0.7.1"


@pytest.fixture(params=["http", "socks5"])
async def proxy(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[str]:
    running = http_proxy(tmp_path) if request.param == "http" else socks_proxy()
    async with running as url:
        yield url


@pytest.fixture
async def through(proxy: str) -> AsyncIterator[HTTPFetcher]:
    """A client behind a proxy that may reach one address on loopback."""
    made = client(with_login(proxy))
    yield made
    await made.close()


def client(proxy: str, wire: Wire | None = None) -> HTTPFetcher:
    return HTTPFetcher(AGENT, allow_networks=ONLY_HOME, wire=wire, proxy=Proxy.parse(proxy))


async def test_feed_is_fetched_through_the_proxy(through, publisher, proxy):
    url = publisher.feed()
    document = (await through.fetch(FetchRequest(url, direct=True))).body

    answer = await through.fetch(FetchRequest(url))

    assert (answer.status, answer.body) == (200, document)
    directly, forwarded = publisher.requests
    assert "via" not in directly.headers
    assert ("via" in forwarded.headers) == proxy.startswith("http:")
    assert "proxy-authorization" not in forwarded.headers


async def test_secure_feed_is_verified_through_the_proxy(proxy):
    authority = trustme.CA()
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(HOME).configure_cert(server)
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    fetcher = client(with_login(proxy), Wire(tls=trusting))

    async with Publisher(tls=server) as publisher:
        publisher.page("/", "hello")
        url = f"https://{HOME}:{publisher.port}/"
        answer = await fetcher.fetch(FetchRequest(url))
        await fetcher.close()

    assert answer.body == b"hello"


async def test_proxy_that_refuses_is_told_from_a_site_that_does(proxy, publisher):
    fetcher = client(with_login(proxy, ("ann", "wrong")))
    url = publisher.feed()

    if proxy.startswith("http:"):
        assert (await fetcher.fetch(FetchRequest(url))).status == 401
        url = url.replace("http:", "https:")
    with pytest.raises(Unreachable, match="outbound proxy"):
        await fetcher.fetch(FetchRequest(url))
    await fetcher.close()

    assert publisher.requests == []


@pytest.mark.parametrize("kind", ["http", "socks5"])
async def test_proxy_that_is_gone_is_said(publisher, unused_tcp_port, kind):
    fetcher = client(f"{kind}://127.0.0.1:{unused_tcp_port}")

    with pytest.raises(Unreachable, match="outbound proxy"):
        await fetcher.fetch(FetchRequest(publisher.feed()))
    await fetcher.close()


@pytest.mark.threat("S9")
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_redirect_into_the_private_network_is_blocked(through, publisher, status):
    secret = publisher.page("/secret", "private", host=OTHER)

    with pytest.raises(BlockedAddress):
        await through.fetch(FetchRequest(publisher.redirect("/a", secret, status=status)))

    assert publisher.count("/secret") == 0


@pytest.mark.parametrize(
    "host",
    [
        *("10.0.0.1", "169.254.169.254", "[::1]", "[::ffff:10.0.0.1]", "127.0.0.2"),
        *("localhost", "intranet", "router.local", "db.internal", "a.home.arpa"),
        *("printer.lan", "LOCALHOST.", "x.localhost"),
    ],
)
async def test_private_places_are_not_asked_of_the_proxy(through, publisher, host):
    with pytest.raises(BlockedAddress):
        await through.fetch(FetchRequest(f"http://{host}:{publisher.port}/"))

    assert publisher.requests == []


async def test_name_that_leads_inside_is_not_asked_of_the_proxy(proxy, publisher):
    async def lookup(host: str) -> list[str]:
        return ["10.1.2.3"]

    fetcher = client(with_login(proxy), Wire(lookup=lookup))

    with pytest.raises(BlockedAddress):
        await fetcher.fetch(FetchRequest("http://rebind.example/"))
    await fetcher.close()


async def test_names_are_left_to_a_proxy_that_looks_them_up():
    asked: list[str] = []

    async def lookup(host: str) -> list[str]:
        asked.append(host)
        return ["10.1.2.3"]

    async with socks_proxy() as url:
        fetcher = client(with_login(url).replace("socks5:", "socks5h:"), Wire(lookup=lookup))
        with pytest.raises(Unreachable):
            await fetcher.fetch(FetchRequest("http://nowhere.invalid/"))
        await fetcher.close()

    assert asked == []


async def test_places_an_operator_named_are_reached_without_the_proxy(publisher):
    url = publisher.page("/v1", "hello", host=OTHER)
    fetcher = HTTPFetcher(
        AGENT,
        trusted_origins={Purpose.MODEL: frozenset({url})},
        proxy=Proxy.parse("socks5://127.0.0.1:9"),
    )

    answer = await fetcher.fetch(FetchRequest(url, sink=Purpose.MODEL))
    await fetcher.close()

    assert answer.status == 200


@pytest.mark.parametrize(
    "text", ["proxy.example:80", "ftp://p.example", "socks4://p.example", "http://", "http://p:x"]
)
def test_what_is_no_proxy_is_refused(text):
    with pytest.raises(ConfigError):
        Proxy.parse(text)


def test_ports_are_the_usual_ones():
    assert Proxy.parse("socks5h://[::1]").url == "socks5://[::1]:1080"
    assert Proxy.parse("http://a:b@p.example").url == "http://a:b@p.example:8080"
