"""The JSON API explained to people."""

from starlette.requests import Request
from starlette.responses import Response

from feedloom.serve.pages.renderer import render_page
from feedloom.serve.routes import Access, Route


async def api_docs(request: Request) -> Response:
    document = request.app.state.api_document
    return await render_page(request, "api_docs.html", document=document)


ROUTES = (Route("/api/docs", api_docs, ("GET",), Access.ANYONE),)
