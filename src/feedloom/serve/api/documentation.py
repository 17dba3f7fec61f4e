"""The API document for programs; its page for people stands with the pages."""

from starlette.requests import Request
from starlette.responses import Response

from feedloom.serve.doors import Access, Door
from feedloom.serve.wire.speaking import answer


async def openapi(request: Request) -> Response:
    """Hand out the OpenAPI document."""
    headers = {"Cache-Control": "public, max-age=300"}
    return answer(request.app.state.api_document, headers=headers)


DOORS = (Door("/api/openapi.json", openapi, ("GET",), Access.PUBLIC),)
