"""The ASGI application: routes of all doors behind one gate and one shell."""

from collections.abc import Iterable, Sequence
from http import HTTPStatus

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from feedloom.serve import api, pages, sync
from feedloom.serve.answers import answer_problem, problem_of_status
from feedloom.serve.doors import Door
from feedloom.serve.gate import Gate
from feedloom.serve.services import Services
from feedloom.serve.shell import Shell


def all_doors() -> tuple[Door, ...]:
    """List every door of the house, in the order they are tried."""
    return (*sync.DOORS, *api.DOORS, *pages.DOORS)


def build_application(services: Services) -> Starlette:
    """Put all doors together."""
    application = Starlette(
        routes=_routes(all_doors()),
        middleware=[Middleware(Shell)],
        exception_handlers={HTTPException: _no_such_address},
    )
    # It would build an address from the Host header, which anybody can set.
    application.router.redirect_slashes = False
    application.state.services = services
    application.state.error_page = pages.error_page
    return application


def _routes(doors: Iterable[Door]) -> Sequence[BaseRoute]:
    """Make one route per path, where its first door stands."""
    by_path: dict[str, list[Door]] = {}
    for door in doors:
        by_path.setdefault(door.path, []).append(door)
    return [
        Route(path, Gate(group), name=next((d.name for d in group if d.name), None))
        for path, group in by_path.items()
    ]


async def _no_such_address(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", HTTPStatus.NOT_FOUND)
    return answer_problem(request, problem_of_status(status))
