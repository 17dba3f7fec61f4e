"""The ASGI application: routes of all doors behind one gate and one shell."""

from http import HTTPStatus
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from feedloom.serve import api, pages, proxied, sync
from feedloom.serve.answers import answer_problem, problem_of_status
from feedloom.serve.doors import Door
from feedloom.serve.entrance.finding import Finder
from feedloom.serve.entrance.representations import joined
from feedloom.serve.entrance.shell import Shell
from feedloom.serve.services import Services
from feedloom.serve.wire.keeping import Kept


def all_doors() -> tuple[Door, ...]:
    """List every door of the house."""
    return (*sync.DOORS, *proxied.DOORS, *joined(api.DOORS, pages.DOORS))


class Application(Starlette):
    """All doors, and in front of them what memory can answer."""

    def __init__(self, shelf: proxied.Shelf, **more: Any) -> None:
        super().__init__(**more)
        self.state.shelf = shelf
        self._front = proxied.Front(super().__call__, shelf)
        self.recall = self._front.recall

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        await self._front(scope, receive, send)


def build_application(services: Services) -> Starlette:
    """Put all doors together."""
    doors = all_doors()
    application = Application(
        proxied.Shelf(),
        routes=[Finder(doors)],
        middleware=[Middleware(Shell)],
        exception_handlers={HTTPException: _no_such_address},
    )
    # It would build an address from the Host header, which anybody can set.
    application.router.redirect_slashes = False
    application.state.services = services
    application.state.kept = Kept()
    application.state.error_page = pages.error_page
    application.state.api_document = api.api_document(doors)
    return application


async def _no_such_address(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", HTTPStatus.NOT_FOUND)
    return answer_problem(request, problem_of_status(status))
