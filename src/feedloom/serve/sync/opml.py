"""OPML import and export, the same for every protocol."""

from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import InvalidInput, ParseError
from feedloom.model.reader import User
from feedloom.serve.services import Services
from feedloom.serve.sync.parameters import read_document
from feedloom.serve.sync.tasks import wait_for_task

_HEADERS = {"Content-Disposition": 'attachment; filename="subscriptions.opml"'}


async def export_answer(services: Services, user: User) -> Response:
    body = await services.exporting.opml(user)
    return Response(body, headers=_HEADERS, media_type="text/xml; charset=utf-8")


async def import_body(services: Services, user: User, request: Request) -> None:
    """Import the list in a request's body, and wait a while until it is done.

    Clients list subscriptions right after. What takes longer goes on without them.
    """
    try:
        task_id = await services.importing.start(user, await read_document(request))
    except ParseError as error:
        raise InvalidInput(str(error)) from error
    await wait_for_task(services, user, task_id)
