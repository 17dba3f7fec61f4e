"""Lists of feeds in and out: OPML, the same for every protocol."""

import asyncio

from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import InvalidInput, ParseError
from feedloom.model.reading import User
from feedloom.serve.services import Services

_WAIT_S = 10.0
_LOOK_EVERY_S = 0.05
_HEADERS = {"Content-Disposition": 'attachment; filename="subscriptions.opml"'}


async def export_answer(services: Services, user: User) -> Response:
    """Answer with somebody's subscriptions as OPML."""
    body = await services.exporting.opml(user)
    return Response(body, headers=_HEADERS, media_type="text/xml; charset=utf-8")


async def import_body(services: Services, user: User, request: Request) -> None:
    """Import the list in a request's body, and wait a while until it is done.

    Clients list subscriptions right after. What takes longer goes on without them.
    """
    try:
        task_id = await services.importing.start(user, await request.body())
    except ParseError as error:
        raise InvalidInput(str(error)) from error
    loop = asyncio.get_running_loop()
    ends_at = loop.time() + _WAIT_S
    while loop.time() < ends_at:
        task = await services.tasks.find(user.id, task_id)
        if task.done_at is not None:
            return
        await asyncio.sleep(_LOOK_EVERY_S)
