"""The ASGI application: routes of all doors behind one gate and one shell."""

from http import HTTPStatus

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response

from feedloom.serve import api, pages, sync
from feedloom.serve.answers import answer_problem, problem_of_status
from feedloom.serve.doors import Door
from feedloom.serve.finding import Finder
from feedloom.serve.representations import joined
from feedloom.serve.services import Services
from feedloom.serve.shell import Shell


def all_doors() -> tuple[Door, ...]:
    """List every door of the house."""
    return (*sync.DOORS, *joined(api.DOORS, pages.DOORS))


def build_application(services: Services) -> Starlette:
    """Put all doors together."""
    doors = all_doors()
    application = Starlette(
        routes=[Finder(doors)],
        middleware=[Middleware(Shell)],
        exception_handlers={HTTPException: _no_such_address},
    )
    # It would build an address from the Host header, which anybody can set.
    application.router.redirect_slashes = False
    application.state.services = services
    application.state.error_page = pages.error_page
    application.state.api_document = api.api_document(doors)
    return application


async def _no_such_address(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", HTTPStatus.NOT_FOUND)
    return answer_problem(request, problem_of_status(status))
