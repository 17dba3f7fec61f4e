"""The ASGI application: all routes behind the authorization and the outer middleware."""

from collections import defaultdict
from collections.abc import Sequence

from starlette.applications import Starlette

from feedloom.serve import api, image_addresses, pages, proxied, sync
from feedloom.serve.middleware.asgi import OuterMiddleware
from feedloom.serve.middleware.authorization import Authorization
from feedloom.serve.middleware.bodies import Intake
from feedloom.serve.middleware.router import Router, negotiate
from feedloom.serve.middleware.turns import Turns
from feedloom.serve.routes import Route
from feedloom.serve.services import Services


def all_routes() -> tuple[Route, ...]:
    return (
        *sync.ROUTES,
        *proxied.ROUTES,
        *image_addresses.ROUTES,
        *negotiate(api.ROUTES, pages.ROUTES),
    )


class Application(Starlette):
    def __init__(
        self, routes: Sequence[Route], services: Services, documents: proxied.DocumentCache
    ) -> None:
        super().__init__()
        self.services = services
        by_path: dict[str, list[Route]] = defaultdict(list)
        for route in routes:
            by_path[route.path].append(route)
        intake, turns = Intake(), Turns()
        apps = {path: Authorization(group, intake, turns) for path, group in by_path.items()}
        # No other middleware is needed: no failure gets past these two.
        self.middleware_stack = OuterMiddleware(Router(apps))
        self.state.documents = documents
        self.recall = documents.recall


def build_application(services: Services) -> Starlette:
    routes = all_routes()
    application = Application(routes, services, proxied.DocumentCache())
    application.state.error_page = pages.error_page
    application.state.api_document = api.api_document(routes)
    return application
