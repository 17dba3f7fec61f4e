"""One request of a client: its sender and parameters; and the protocol's basic responses."""

from collections.abc import Sequence
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import Conflict, FeedloomError, FetchError, InvalidInput, NotSignedIn
from feedloom.model.reader import Folder, Subscription
from feedloom.serve.auth import Actor, authenticate_basic, authenticate_secret
from feedloom.serve.error_responses import problem_of
from feedloom.serve.sync import calls
from feedloom.serve.sync.bodies import json_answer
from feedloom.serve.sync.calls import BASIC, Endpoints
from feedloom.serve.sync.feeds import shown_address
from feedloom.serve.sync.miniflux import shapes
from feedloom.serve.sync.miniflux.feed_settings import lists_of
from feedloom.serve.sync.miniflux.translation import category_shape, feed_shape


class Call(calls.Call):
    __slots__ = ()

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


async def _authenticate(request: Request) -> Actor:
    token = request.headers.get("x-auth-token", "").strip()
    if token:
        return await authenticate_secret(request, token, "miniflux")
    if request.headers.get("authorization", "").lower().startswith("basic "):
        return await authenticate_basic(request, "miniflux")
    raise NotSignedIn("Access Unauthorized")


ENDPOINTS = Endpoints(Call, _authenticate)


def nothing() -> Response:
    """Say that it is done, with an empty body: clients want it so."""
    return Response(status_code=HTTPStatus.NO_CONTENT)


def error_answer(request: Request, error: FeedloomError) -> Response:
    problem = problem_of(request, error)
    headers = problem.headers | (BASIC if isinstance(error, NotSignedIn) else {})
    is_callers = isinstance(error, InvalidInput | Conflict | FetchError)
    status = HTTPStatus.BAD_REQUEST if is_callers else problem.status
    return json_answer({"error_message": problem.detail}, status=status, headers=headers)
