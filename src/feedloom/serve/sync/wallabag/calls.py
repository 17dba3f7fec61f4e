"""One request of a client: its sender and parameters; and the protocol's errors."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import FeedloomError, InvalidInput, NotSignedIn
from feedloom.model.reader import Bookmark
from feedloom.serve.auth import Actor, authenticate_secret
from feedloom.serve.error_responses import problem_of
from feedloom.serve.sync import calls
from feedloom.serve.sync.bodies import json_answer
from feedloom.serve.sync.calls import Endpoints
from feedloom.serve.sync.parameters import row_id

if TYPE_CHECKING:
    from feedloom.store import BookmarkStore

BASE = "/wallabag"
_SCHEME = "bearer "
_MOST_TAGS = 50
_LONGEST_TAG = 255


class Call(calls.Call):
    __slots__ = ()

    @property
    def store(self) -> BookmarkStore:
        return self.services.bookmarks

    def id(self, name: str = "id") -> int:
        return row_id(self.request.path_params[name].removesuffix(".json"))

    async def bookmark(self) -> Bookmark:
        return await self.store.bookmark(self.user.id, self.id())

    def tags(self) -> list[str]:
        """Read tags between commas."""
        named = ",".join(self.given.texts("tags")).split(",")
        trimmed = (" ".join(tag.split()) for tag in named)
        found = list(dict.fromkeys(tag for tag in trimmed if tag))
        if len(found) > _MOST_TAGS or any(len(tag) > _LONGEST_TAG for tag in found):
            raise InvalidInput("At most 50 tags of 255 characters.", field="tags")
        return found


async def _authenticate(request: Request) -> Actor:
    header = request.headers.get("authorization", "").strip()
    token = header[len(_SCHEME) :].strip()
    if not token or not header.lower().startswith(_SCHEME):
        raise NotSignedIn("An access token is required.")
    return await authenticate_secret(request, token, "wallabag")


ENDPOINTS = Endpoints(Call, _authenticate)


def error_answer(request: Request, error: FeedloomError) -> Response:
    problem = problem_of(request, error)
    status, headers = problem.status, dict(problem.headers)
    if isinstance(error, NotSignedIn):
        headers["WWW-Authenticate"] = 'Bearer realm="Feedloom", error="invalid_grant"'
        return refusal(error, problem.detail, status, headers)
    if isinstance(error, InvalidInput):
        status = HTTPStatus.BAD_REQUEST
    told = {"error": {"code": int(status), "message": problem.detail}}
    return json_answer(told, status=status, headers=headers)


def refusal(error: FeedloomError, detail: str, status: int, headers: dict[str, str]) -> Response:
    """Refuse in OAuth's words."""
    signs_in = isinstance(error, NotSignedIn)
    word = "invalid_grant" if signs_in else "invalid_request"
    told = {"error": word, "error_description": detail}
    return json_answer(told, status=status, headers=headers)
