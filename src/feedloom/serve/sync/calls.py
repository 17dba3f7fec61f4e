"""One request of a sync client, and a protocol's handlers as routes with CORS.

Cookies are never looked at here, so any origin may ask: the answer to a preflight says
so, and every answer and error carries the headers. What a person's browser remembers of
this site is of no use on these routes.
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from http import HTTPStatus
from typing import Generic, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from feedloom.flow.reader.imports import LARGEST_FILE
from feedloom.model.errors import FeedloomError, NotAllowed, NotFound, NotSignedIn
from feedloom.model.reader import Article, Folder, Subscription, User, Wanted
from feedloom.model.sync import ListedSubscription
from feedloom.model.urls import without_credentials
from feedloom.serve.auth import Actor, authenticate_secret
from feedloom.serve.auth import services as services_of
from feedloom.serve.middleware.turns import take_turn_of
from feedloom.serve.origin import own_address
from feedloom.serve.routes import STRANGER_BODY, Access, Endpoint, ErrorAnswer, Route
from feedloom.serve.services import Services
from feedloom.serve.sync.bodies import json_answer
from feedloom.serve.sync.parameters import Given, read_given, row_id
from feedloom.serve.wire.json_io import no_content

SYNC_BODY = 8 * 1_048_576
"""Ten thousand ids in one form, with room to spare."""
OPML_BODY = LARGEST_FILE + 65_536
BASIC = {"WWW-Authenticate": 'Basic realm="Feedloom", charset="UTF-8"'}
READ_ONLY = "This app password is read-only."
_CORS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": (
        "Date, ETag, Link, Retry-After, X-Feedbin-Record-Count, X-Request-Id"
    ),
}
_PREFLIGHT = _CORS | {
    "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
    "Access-Control-Allow-Headers": (
        "Authorization, Content-Type, Accept, If-None-Match, OCS-APIRequest, X-Auth-Token"
    ),
    "Access-Control-Max-Age": "600",
}


@dataclass(frozen=True, slots=True)
class Call:
    """Who asks, and what; with what most handlers do."""

    request: Request
    given: Given
    actor: Actor

    @property
    def user(self) -> User:
        return self.actor.user

    @property
    def user_id(self) -> int:
        return self.actor.user.id

    @property
    def services(self) -> Services:
        return services_of(self.request)

    def id(self, name: str = "id") -> int:
        return row_id(self.request.path_params[name])

    async def subscription(self) -> Subscription:
        return await self.services.subscriptions.subscription(self.user_id, self.id())

    async def article(self) -> Article:
        """Return the article that the path names; one that was removed is gone for good."""
        article = await self.services.reading.article(self.user_id, self.id("entry"))
        if article.hidden and not article.starred:
            raise NotFound("Article not found")
        return article

    async def folders(self) -> list[Folder]:
        return await self.services.syncing.folders(self.user_id)

    async def feeds(self) -> list[ListedSubscription]:
        return await self.services.syncing.feeds(self.user_id)

    def shown_url(self, feed: Subscription | ListedSubscription) -> str:
        """Return a feed's address as it may be shown; clients need one for every feed.

        Where starred articles of dropped feeds live on there is no feed behind: its
        address is the page that lists them.
        """
        if not feed.url:
            return f"{own_address(self.request)}/read/starred"
        return without_credentials(feed.url) if "@" in feed.url else feed.url

    async def mark_read(self, wanted: Wanted) -> None:
        await self.services.reading.mark_all(self.user_id, wanted, "read")

    async def rename_folder(self, folder: Folder, path: str) -> None:
        """Rename a folder to the last part of the path that a client gave it."""
        parents = folder.path.removesuffix(folder.name)
        await self.services.folders.rename(self.user_id, folder.id, path.removeprefix(parents))


C = TypeVar("C", bound=Call)
Handler = Callable[[C], Awaitable[object]]
"""What it returns is sent as JSON, a response as it is; nothing means that it is done."""
Table = Mapping[str, Handler[C]]
"""Handlers by methods and path: ``GET|POST /feeds/{id}``."""


@dataclass(frozen=True, slots=True)
class Endpoints(Generic[C]):
    """Makes routes of a protocol's handlers: they sign in before anything else."""

    make_call: Callable[[Request, Given, Actor], C]
    authenticate: Callable[[Request], Awaitable[Actor]]
    done: Callable[[], Response] = no_content
    access: Access = Access.OWN

    def routes(
        self,
        table: Table[C],
        *,
        writes: bool,
        body_limit: int = SYNC_BODY,
        stranger_limit: int = STRANGER_BODY,
    ) -> Iterator[Route]:
        for name, handler in table.items():
            methods, path = name.split(" ")
            yield Route(
                path,
                partial(self._answer, handler, writes=writes),
                tuple(methods.split("|")),
                self.access,
                reads=not writes,
                body_limit=body_limit,
                stranger_limit=stranger_limit,
            )

    async def _answer(self, handler: Handler[C], request: Request, *, writes: bool) -> Response:
        actor = await self.authenticate(request)
        if writes and not actor.may_write:
            raise NotAllowed(READ_ONLY)
        given = await read_given(request)
        if not writes:
            await take_turn_of(request, actor)
        found = await handler(self.make_call(request, given, actor))
        if isinstance(found, Response):
            return found
        return self.done() if found is None else json_answer(found)


def routes_of(
    bases: Iterable[str], routes: Iterable[Route], errors: ErrorAnswer
) -> Iterator[Route]:
    """Mount a protocol's routes under each of its bases, with CORS and its own errors."""
    routes = tuple(routes)

    def open_errors(request: Request, error: FeedloomError) -> Response:
        return _opened(errors(request, error))

    for base in bases:
        for route in routes:
            path, endpoint = base + route.path, partial(_open_answer, route.endpoint)
            yield replace(route, path=path, endpoint=endpoint, csrf=False, errors=open_errors)
        for path in dict.fromkeys(base + route.path for route in routes):
            yield Route(path, _preflight, ("OPTIONS",), Access.OWN, csrf=False)


def always(value: object) -> Handler[Call]:
    async def handler(_call: Call) -> object:
        return value

    return handler


async def client_token(request: Request, secret: str, protocol: str, email: str) -> str:
    """Return the token of an app password, for clients that sign in first."""
    if not email or not secret:
        raise NotSignedIn
    found = await authenticate_secret(request, secret, protocol, email=email)
    if found.app_password is None:
        raise NotSignedIn
    return await services_of(request).accounts.client_token(found.user, found.app_password, secret)


async def _preflight(_request: Request) -> Response:
    return Response(status_code=HTTPStatus.NO_CONTENT, headers=_PREFLIGHT)


async def _open_answer(endpoint: Endpoint, request: Request) -> Response:
    return _opened(await endpoint(request))


def _opened(response: Response) -> Response:
    response.headers.update(_CORS)
    return response
