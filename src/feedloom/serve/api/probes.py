"""What balancers and monitors ask."""

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from feedloom.serve.doors import Access, Door


async def live(_request: Request) -> Response:
    """Say that the process answers; nothing else is looked at."""
    return PlainTextResponse("ok\n")


DOORS = (Door("/healthz", live, ("GET",), Access.PUBLIC),)
