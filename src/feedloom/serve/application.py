"""The ASGI application: routes of all doors behind one set of middleware."""

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from feedloom.serve.services import Services


async def _healthz(_request: Request) -> Response:
    return PlainTextResponse("ok\n")


def build_application(services: Services) -> Starlette:
    """Put all doors together."""
    application = Starlette(routes=[Route("/healthz", _healthz)])
    application.state.services = services
    return application
