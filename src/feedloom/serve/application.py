"""The ASGI application: routes of all doors behind one gate and one shell."""

from collections.abc import Sequence
from http import HTTPStatus

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Match
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

    def __init__(
        self, doors: Sequence[Door], services: Services, shelf: proxied.Shelf
    ) -> None:
        super().__init__()
        self.services = services
        self.kept = Kept()
        self._finder = Finder(doors)
        # Nothing else is needed around the doors: no failure passes gate and shell.
        self.middleware_stack = Shell(self._find)
        self.state.shelf = shelf
        self._front = proxied.Front(super().__call__, shelf)
        self.recall = self._front.recall

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        await self._front(scope, receive, send)

    async def _find(self, scope: Scope, receive: Receive, send: Send) -> None:
        found, more = self._finder.matches(scope)
        if found is Match.FULL:
            scope.update(more)
            await self._finder.handle(scope, receive, send)
        elif scope["type"] == "http":
            problem = problem_of_status(HTTPStatus.NOT_FOUND)
            answer = answer_problem(Request(scope), problem)
            await answer(scope, receive, send)
        else:
            await self.router(scope, receive, send)


def build_application(services: Services) -> Starlette:
    """Put all doors together."""
    doors = all_doors()
    application = Application(doors, services, proxied.Shelf())
    application.state.error_page = pages.error_page
    application.state.api_document = api.api_document(doors)
    return application
