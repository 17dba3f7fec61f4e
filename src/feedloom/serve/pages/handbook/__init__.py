"""The documentation site, built here by ``tools/build_docs.py``; and the page of the JSON API."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from feedloom.model.errors import NotFound
from feedloom.serve.pages.assets import Asset, answer_asset, read_folder
from feedloom.serve.pages.renderer import render_page
from feedloom.serve.routes import Access, Route

FOLDER = Path(__file__).parent / "built"


@cache
def _files() -> dict[str, Asset]:
    return read_folder(FOLDER)


def find_page(files: Mapping[str, Asset], name: str) -> Asset:
    """Find a file of the site; ``NotFound`` says so when there is no site at all."""
    if not files:
        raise NotFound("The documentation isn't built. Run `make docs` in a clone to build it.")
    found = files.get(name or "index.html")
    if found is None:
        raise NotFound
    return found


async def _page(request: Request) -> Response:
    found = find_page(_files(), request.path_params["name"])
    return answer_asset(request, found, "public, max-age=60")


async def _into_the_folder(_request: Request) -> Response:
    return RedirectResponse("/docs/", 308)


async def _api_docs(request: Request) -> Response:
    return await render_page(request, "api_docs.html", document=request.app.state.api_document)


ROUTES = (
    Route("/api/docs", _api_docs, ("GET",), Access.ANYONE),
    Route("/docs", _into_the_folder, ("GET",), Access.PUBLIC),
    Route("/docs/{name:path}", _page, ("GET",), Access.PUBLIC),
)
