"""A web in memory: site shapes that answer like servers, and a runner for discoveries."""

from collections.abc import Callable
from datetime import UTC, datetime
from urllib.parse import urljoin, urlsplit

from feedloom.discover import Discovery, Reply, Request, read_input
from feedloom.model.errors import FetchError, ParseError, RedirectError, Unreachable
from feedloom.model.stages import Discovered, FetchResponse
from feedloom.parse.parser import read_fast
from feedloom.parse.raw import Unsure
from tests.corpus.sites import Served, Shape

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
BASES = ("http://alpha.example", "http://beta.example")
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PERMANENT = frozenset({301, 308})


class MemoryWeb:
    """Answers as the fetcher would; counts every request, redirects included."""

    def __init__(self, shape: Shape) -> None:
        self.served: Served = shape.served(BASES, NOW)
        self.requests: list[str] = []
        self._down = shape.down

    def fetch(self, request: Request) -> FetchResponse:
        url, permanent, is_permanent = request.url, None, True
        for hop in range(request.max_redirects + 1):
            status, headers, body = self._get(url)
            if status not in _REDIRECTS:
                return FetchResponse(url, status, headers, body, permanent, hops=hop)
            url = urljoin(url, headers["location"])
            is_permanent = is_permanent and status in _PERMANENT
            permanent = url if is_permanent else permanent
        raise RedirectError

    def _get(self, url: str) -> tuple[int, dict[str, str], bytes]:
        self.requests.append(url)
        parts = urlsplit(url)
        base = f"{parts.scheme}://{parts.netloc}"
        if base not in BASES or BASES.index(base) in self._down:
            raise Unreachable
        host = BASES.index(base)
        if host >= len(self.served.hosts):
            raise Unreachable
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        answer = self.served.answer_to(host, path)
        body = answer.body if isinstance(answer.body, bytes) else answer.body.encode()
        return answer.status, dict(answer.headers), body


def reply_to(web: MemoryWeb, request: Request) -> Reply:
    """Fetch and read, as the flow does."""
    try:
        fetched = web.fetch(request)
    except FetchError as error:
        return Reply(error=error)
    return read_reply(fetched)


def read_reply(fetched: FetchResponse) -> Reply:
    """Read an answer with the parser that the flow uses."""
    try:
        parsed = read_fast(
            fetched.body, url=fetched.url, content_type=fetched.content_type, now=NOW
        )
    except Unsure:
        # Nothing in the corpus is meant to take guessing.
        return Reply(fetched=fetched, error=ParseError())
    except ParseError as error:
        return Reply(fetched=fetched, error=error)
    return Reply(fetched=fetched, parsed=parsed)


def _in_order(requests: list[Request]) -> Request:
    return requests.pop(0)


def run(
    web: MemoryWeb,
    *,
    choose: Callable[[list[Request]], Request] = _in_order,
    hub: str | None = None,
    at_once: int = 4,
) -> Discovered:
    """Run a discovery to its end; ``choose`` says which request is answered next."""
    discovery = Discovery(read_input(web.served.pasted), now=NOW, hub=hub, at_once=at_once)
    waiting: list[Request] = []
    while True:
        waiting += discovery.next_requests()
        if not waiting:
            break
        request = choose(waiting)
        discovery.answer(request.url, reply_to(web, request))
    return discovery.result()
