"""One call of a client: who it is, what it says; and the protocol's plain answers."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import (
    Conflict,
    FeedloomError,
    FetchError,
    InvalidInput,
    NotAllowed,
    NotSignedIn,
)
from feedloom.model.reader import Folder, Subscription, User
from feedloom.serve.auth import Actor, authenticate_basic, authenticate_secret
from feedloom.serve.auth import services as services_of
from feedloom.serve.error_responses import problem_of
from feedloom.serve.routes import Endpoint
from feedloom.serve.services import Services
from feedloom.serve.sync.bodies import json_answer
from feedloom.serve.sync.feeds import shown_address
from feedloom.serve.sync.miniflux import shapes
from feedloom.serve.sync.miniflux.feed_settings import lists_of
from feedloom.serve.sync.miniflux.translation import category_shape, feed_shape
from feedloom.serve.sync.parameters import Given, read_given, row_id


@dataclass(frozen=True, slots=True)
class Call:
    request: Request
    given: Given
    user: User
    services: Services
    actor: Actor

    def id(self, name: str = "id") -> int:
        return row_id(self.request.path_params[name])

    async def categories(self) -> dict[int, shapes.Category]:
        root = Folder(await self.services.folders.root(self.user.id), "", None)
        folders = [root, *await self.services.syncing.folders(self.user.id)]
        return {folder.id: category_shape(folder, self.user) for folder in folders}

    async def feeds(self, found: Sequence[Subscription]) -> list[shapes.Feed]:
        """Show feeds; one whose folder came after the folders were read is left out."""
        categories = await self.categories()
        lists = lists_of(await self.services.rules.store.rules(self.user.id))
        return [
            feed_shape(
                feed,
                categories[feed.folder_id],
                url=shown_address(self.request, feed),
                lists=lists.get(feed.id, {}),
            )
            for feed in found
            if feed.folder_id in categories
        ]


Handler = Callable[[Call], Awaitable[Response]]


def reading(handler: Handler) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        return await handler(await _signed_in(request, writes=False))

    return endpoint


def writing(handler: Handler) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        return await handler(await _signed_in(request, writes=True))

    return endpoint


async def _signed_in(request: Request, *, writes: bool) -> Call:
    token = request.headers.get("x-auth-token", "").strip()
    if token:
        actor = await authenticate_secret(request, token, "miniflux")
    elif request.headers.get("authorization", "").lower().startswith("basic "):
        actor = await authenticate_basic(request, "miniflux")
    else:
        raise NotSignedIn("Access Unauthorized")
    if writes and not actor.may_write:
        raise NotAllowed("This app password is read-only.")
    given = await read_given(request)
    return Call(request, given, actor.user, services_of(request), actor)


def nothing() -> Response:
    """Say that it is done, with an empty body: clients want it so."""
    return Response(status_code=HTTPStatus.NO_CONTENT)


def error_answer(request: Request, error: FeedloomError) -> Response:
    problem = problem_of(request, error)
    status, headers = problem.status, dict(problem.headers)
    if isinstance(error, NotSignedIn):
        headers["WWW-Authenticate"] = 'Basic realm="Feedloom", charset="UTF-8"'
    if isinstance(error, InvalidInput | Conflict | FetchError):
        status = HTTPStatus.BAD_REQUEST
    return json_answer(shapes.Failure(problem.detail), status=status, headers=headers)
