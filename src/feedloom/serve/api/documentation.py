"""The API document for programs; the page for people is in ``pages``."""

from starlette.requests import Request
from starlette.responses import Response

from feedloom.serve.routes import Access, Route
from feedloom.serve.wire.json_io import answer


async def openapi(request: Request) -> Response:
    headers = {"Cache-Control": "public, max-age=300"}
    return answer(request.app.state.api_document, headers=headers)


ROUTES = (Route("/api/openapi.json", openapi, ("GET",), Access.PUBLIC),)
