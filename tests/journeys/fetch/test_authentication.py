"""Basic and digest authentication, against a server that checks the digest itself."""

import hashlib
import re

import pytest
from aiohttp import web

from feedloom.model.stages import FetchRequest

USER, PASSWORD, REALM, NONCE = "ann", "s3cr:t w", "feeds", "c0ffee"
CHALLENGE = f'Digest realm="{REALM}", nonce="{NONCE}", qop="auth", algorithm={{}}, opaque="x"'
WRITTEN = "ann:s3cr%3At%20w@"


class Digest:
    """A server that wants a digest, on two ports of loopback."""

    def __init__(self, algorithm: str) -> None:
        self.algorithm = algorithm
        self.elsewhere = ""
        self.ports: list[int] = []
        self.heard: list[tuple[int, str]] = []

    async def answer(self, request: web.Request) -> web.Response:
        said = request.headers.get("Authorization", "")
        self.heard.append((request.url.port or 0, said))
        if request.path == "/moved":
            return web.Response(status=302, headers={"Location": self.elsewhere})
        if said.startswith("Digest ") and self._is_right(request, said):
            return web.Response(text="<rss/>")
        challenge = CHALLENGE.format(self.algorithm)
        return web.Response(status=401, headers={"WWW-Authenticate": challenge})

    def _is_right(self, request: web.Request, said: str) -> bool:
        word = dict(re.findall(r'(\w+)="?([^",]+)"?', said))

        def of(text: str) -> str:
            name = self.algorithm.replace("-", "").lower()
            return hashlib.new(name, text.encode()).hexdigest()

        secret = of(f"{USER}:{REALM}:{PASSWORD}")
        asked = of(f"{request.method}:{request.path_qs}")
        middle = f"{word['nonce']}:{word['nc']}:{word['cnonce']}:{word['qop']}"
        return bool(word["response"] == of(f"{secret}:{middle}:{asked}"))


@pytest.fixture(params=["MD5", "SHA-256"])
async def digest(request):
    made = Digest(request.param)
    app = web.Application()
    app.router.add_route("*", "/{tail:.*}", made.answer)
    runner = web.AppRunner(app)
    await runner.setup()
    for _ in range(2):
        await web.TCPSite(runner, "127.0.0.1", 0).start()
    made.ports = [address[1] for address in runner.addresses]
    yield made
    await runner.cleanup()


async def test_feed_behind_a_digest_is_fetched(fetcher, digest):
    url = f"http://{WRITTEN}127.0.0.1:{digest.ports[0]}/feed.xml?a=b"

    answer = await fetcher.fetch(FetchRequest(url))

    assert (answer.status, answer.body) == (200, b"<rss/>")
    assert len(digest.heard) == 2


async def test_wrong_password_is_the_server_s_answer(fetcher, digest):
    url = f"http://ann:wrong@127.0.0.1:{digest.ports[0]}/feed.xml"

    assert (await fetcher.fetch(FetchRequest(url))).status == 401
    assert len(digest.heard) <= 3


@pytest.mark.threat("S22")
async def test_no_digest_is_computed_for_another_origin(fetcher, digest):
    first, second = digest.ports
    digest.elsewhere = f"http://127.0.0.1:{second}/feed.xml"

    answer = await fetcher.fetch(FetchRequest(f"http://{WRITTEN}127.0.0.1:{first}/moved"))

    assert answer.status == 401
    assert [said for port, said in digest.heard if port == second] == [""]
