"""One request of a client, the protocol's errors, who is signed in, and what this is."""

import platform
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from feedloom import __version__
from feedloom.model.errors import (
    Conflict,
    FeedloomError,
    FetchError,
    InvalidInput,
    NotFound,
    NotSignedIn,
)
from feedloom.model.reader import Folder, Wanted
from feedloom.serve.auth import Actor, authenticate_basic, authenticate_secret
from feedloom.serve.error_responses import problem_of
from feedloom.serve.sync import calls
from feedloom.serve.sync.bodies import json_answer
from feedloom.serve.sync.calls import BASIC, Endpoints
from feedloom.serve.sync.miniflux.shapes import Shape, category_shape, moment

_VERSION = "2.2.15"
"""The Miniflux release whose API this is."""
_DEFAULTS = {
    "theme": "system_serif",
    "language": "en_US",
    "timezone": "UTC",
    "entry_sorting_direction": "desc",
    "entry_sorting_order": "published_at",
    "stylesheet": "",
    "google_id": "",
    "openid_connect_id": "",
    "entries_per_page": 100,
    "keyboard_shortcuts": True,
    "show_reading_time": True,
    "entry_swipe": True,
    "gesture_nav": "tap",
    "display_mode": "standalone",
    "default_reading_speed": 265,
    "cjk_reading_speed": 500,
    "default_home_page": "unread",
    "categories_sorting_order": "alphabetical",
    "mark_read_on_view": True,
}
"""Settings of a person who never changed any: ours are other ones."""


class Call(calls.Call):
    __slots__ = ()

    async def categories(self) -> dict[int, Shape]:
        root = Folder(await self.services.folders.root(self.user_id), "", None)
        folders = [root, *await self.folders()]
        return {folder.id: category_shape(folder, self.user) for folder in folders}

    async def own_category(self, category_id: int) -> int:
        """Return the id of a category of the person's; else ``NotFound``."""
        if category_id not in await self.categories():
            raise NotFound
        return category_id


async def _authenticate(request: Request) -> Actor:
    token = request.headers.get("x-auth-token", "").strip()
    if token:
        return await authenticate_secret(request, token, "miniflux")
    if request.headers.get("authorization", "").lower().startswith("basic "):
        return await authenticate_basic(request, "miniflux")
    raise NotSignedIn("Access Unauthorized")


ENDPOINTS = Endpoints(Call, _authenticate)


def error_answer(request: Request, error: FeedloomError) -> Response:
    problem = problem_of(request, error)
    headers = problem.headers | (BASIC if isinstance(error, NotSignedIn) else {})
    is_callers = isinstance(error, InvalidInput | Conflict | FetchError)
    status = HTTPStatus.BAD_REQUEST if is_callers else problem.status
    return json_answer({"error_message": problem.detail}, status=status, headers=headers)


async def me(call: Call) -> object:
    password = call.actor.app_password
    used_at = password.last_used_at if password else None
    person = {
        "id": call.user_id,
        "username": call.user.email,
        "is_admin": call.user.is_operator,
        # A password that is used for the first time is used now.
        "last_login_at": moment(used_at or call.services.clock.now()),
    }
    return person | _DEFAULTS


async def mark_all_read(call: Call) -> None:
    """Mark everything read; a person can only mean themselves."""
    if call.id() != call.user_id:
        raise NotFound
    await call.mark_read(Wanted())


async def version(_call: Call) -> object:
    """Tell what this is: clients refuse a field that is empty."""
    return {
        "version": _VERSION,
        "commit": f"feedloom-{__version__}",
        "build_date": "unknown",
        "go_version": f"python{platform.python_version()}",
        "compiler": platform.python_implementation(),
        "arch": platform.machine(),
        "os": platform.system().lower(),
    }


async def unknown(call: Call) -> object:
    """Answer for every address there is not, after asking who is there.

    Of the accounts there is only an operator's own, by number or name.
    """
    own = {f"users/{call.user_id}", f"users/{call.user.email}"}
    is_own = call.user.is_operator and call.request.path_params["rest"] in own
    if is_own and call.request.method == "GET":
        return await me(call)
    raise NotFound("This API has no such endpoint.")


async def plain_version(_request: Request) -> Response:
    return PlainTextResponse(_VERSION)


async def health(_request: Request) -> Response:
    return PlainTextResponse("OK")
