"""Routes: an address, who may use it, and its endpoint.

Each module of this package exports ``ROUTES``; the application collects them and puts
authorization in front of all of them. There is no other way to add an address. Modules
of the JSON API declare each route above its endpoint, the others in a table.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import FeedloomError

Endpoint = Callable[[Request], Awaitable[Response]]
ErrorAnswer = Callable[[Request, FeedloomError], Response]

SMALL_BODY = 1_048_576
STRANGER_BODY = 65_536


class Access(StrEnum):
    PUBLIC = "public"
    """Everybody, alike: who asks is not even looked up. For assets and probes."""
    ANYONE = "anyone"
    """Everybody; a signed-in browser is known."""
    PERSON = "person"
    """A session cookie, or an app password as bearer token."""
    OPERATOR = "operator"
    """Like PERSON, for people who run the installation."""
    PROGRAM = "program"
    """Basic with email and app password, or a bearer token; never cookies."""
    OWN = "own"
    """The endpoint authenticates by itself, through ``serve.auth``."""


@dataclass(frozen=True, slots=True)
class Operation:
    summary: str
    gives: Mapping[int, type | None]
    """Statuses of success, and what their bodies are; None for no body."""
    takes: type | None = None
    """What the body is."""
    takes_kind: str = "application/json"
    asks: type | None = None
    """What the query is."""
    refuses: tuple[int, ...] = ()
    """Statuses of failure beyond those any route has."""
    kinds: Mapping[int, str] = field(default_factory=dict)
    """Media types of bodies that are no JSON."""


@dataclass(frozen=True, slots=True)
class Route:
    path: str
    endpoint: Endpoint
    methods: tuple[str, ...]
    access: Access
    csrf: bool = True
    """Whether unsafe methods need a token; matters for browsers only."""
    name: str | None = None
    errors: ErrorAnswer | None = None
    """A protocol's own error bodies; problem documents or pages otherwise."""
    reads: bool = False
    """Its unsafe methods only read, so that a read-only app password may use them."""
    body_limit: int = SMALL_BODY
    """How much somebody may send who is known."""
    stranger_limit: int = STRANGER_BODY
    """How much anybody else may send, where ``body_limit`` is not less."""
    per_minute: int = 0
    """How often one person may use it; 0 for no limit."""
    about: Operation | None = None
    """Present for routes of the JSON API."""
