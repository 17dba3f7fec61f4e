"""Who is signed in, which release this is like, and whether it lives."""

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from feedloom.model.errors import NotFound
from feedloom.model.reader import Wanted
from feedloom.serve.sync.bodies import json_answer
from feedloom.serve.sync.miniflux import shapes
from feedloom.serve.sync.miniflux.calls import Call, nothing
from feedloom.serve.sync.miniflux.translation import moment

VERSION = "2.2.15"
"""The Miniflux release whose API this is."""


async def me(call: Call) -> Response:
    password = call.actor.app_password
    used_at = password.last_used_at if password else None
    return json_answer(
        shapes.Person(
            id=call.user.id,
            username=call.user.email,
            is_admin=call.user.is_operator,
            last_login_at=moment(used_at) if used_at else None,
        )
    )


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
    return json_answer(
        shapes.Version(
            version=VERSION,
            commit="",
            build_date="",
            go_version="",
            compiler="",
            arch="",
            os="",
        )
    )


async def plain_version(_request: Request) -> Response:
    return PlainTextResponse(VERSION)


async def health(_request: Request) -> Response:
    return PlainTextResponse("OK")
