"""The JSON API explained to people."""

from starlette.requests import Request
from starlette.responses import Response

from feedloom.serve.doors import Access, Door
from feedloom.serve.pages.rendering import render_page


async def api_docs(request: Request) -> Response:
    """Show the API document as a page."""
    document = request.app.state.api_document
    return await render_page(request, "api_docs.html", document=document)


DOORS = (Door("/api/docs", api_docs, ("GET",), Access.ANYONE),)
