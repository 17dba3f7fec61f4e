"""Who is signed in, which release of Miniflux this matches, and the health check."""

import platform

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from feedloom import __version__
from feedloom.model.errors import NotFound
from feedloom.model.reader import Wanted
from feedloom.serve.sync.bodies import json_answer
from feedloom.serve.sync.miniflux.calls import Call, nothing
from feedloom.serve.sync.miniflux.translation import moment

VERSION = "2.2.15"
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


async def me(call: Call) -> Response:
    password = call.actor.app_password
    used_at = password.last_used_at if password else None
    person = {
        "id": call.user.id,
        "username": call.user.email,
        "is_admin": call.user.is_operator,
        # A password that is used for the first time is used now.
        "last_login_at": moment(used_at or call.services.clock.now()),
    }
    return json_answer(person | _DEFAULTS)


async def mark_all_read(call: Call) -> Response:
    """Mark everything read; a person can only mean themselves."""
    if call.id() != call.user.id:
        raise NotFound
    await call.services.reading.mark_all(call.user.id, Wanted(), "read")
    return nothing()


async def integrations(_call: Call) -> Response:
    """Tell whether entries can be saved somewhere: among the bookmarks."""
    return json_answer({"has_integrations": True})


async def version(_call: Call) -> Response:
    """Tell what this is: clients refuse a field that is empty."""
    return json_answer(
        {
            "version": VERSION,
            "commit": f"feedloom-{__version__}",
            "build_date": "unknown",
            "go_version": f"python{platform.python_version()}",
            "compiler": platform.python_implementation(),
            "arch": platform.machine(),
            "os": platform.system().lower(),
        }
    )


async def unknown(call: Call) -> Response:
    """Answer for every address there is not, after asking who is there.

    Of the accounts there is only an operator's own, by number or name.
    """
    own = {f"users/{call.user.id}", f"users/{call.user.email}"}
    is_own = call.user.is_operator and call.request.path_params["rest"] in own
    if is_own and call.request.method == "GET":
        return await me(call)
    raise NotFound("This API has no such endpoint.")


async def plain_version(_request: Request) -> Response:
    return PlainTextResponse(VERSION)


async def health(_request: Request) -> Response:
    return PlainTextResponse("OK")
