"""The ASGI application: all routes behind the authorization and the outer middleware."""

from collections.abc import Sequence
from http import HTTPStatus

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Match
from starlette.types import Receive, Scope, Send

from feedloom.serve import api, pages, proxied, sync
from feedloom.serve.error_responses import answer_problem, problem_of_status
from feedloom.serve.middleware.asgi import OuterMiddleware
from feedloom.serve.middleware.representations import negotiate
from feedloom.serve.middleware.router import Router
from feedloom.serve.routes import Route
from feedloom.serve.services import Services


def all_routes() -> tuple[Route, ...]:
    return (*sync.ROUTES, *proxied.ROUTES, *negotiate(api.ROUTES, pages.ROUTES))


class Application(Starlette):
    """All routes, and in front of them what memory can answer."""

    def __init__(
        self,
        routes: Sequence[Route],
        services: Services,
        documents: proxied.DocumentCache,
    ) -> None:
        super().__init__()
        self.services = services
        self._finder = Router(routes)
        # No other middleware is needed: no failure gets past these two.
        self.middleware_stack = OuterMiddleware(self._find)
        self.state.documents = documents
        self.recall = documents.recall

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
    routes = all_routes()
    application = Application(routes, services, proxied.DocumentCache())
    application.state.error_page = pages.error_page
    application.state.api_document = api.api_document(routes)
    return application
