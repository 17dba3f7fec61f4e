"""The documentation site: its built files, handed out as they are to everybody.

``tools/build_docs.py`` builds it into the folder beside this module: for a wheel when
the wheel is built, in a clone with ``make docs``. Never: a path that was not built.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from feedloom.model.errors import NotFound
from feedloom.serve.pages.assets import Asset, answer_asset, read_folder
from feedloom.serve.routes import Access, Route

FOLDER = Path(__file__).parent / "built"
_FOR_A_MINUTE = "public, max-age=60"
_NOT_BUILT = "The documentation isn't built. Run `make docs` in a clone to build it."


@cache
def _files() -> dict[str, Asset]:
    return read_folder(FOLDER)


def find_page(files: Mapping[str, Asset], name: str) -> Asset:
    """Find a file of the site; ``NotFound`` says so when there is no site at all."""
    if not files:
        raise NotFound(_NOT_BUILT)
    found = files.get(name or "index.html")
    if found is None:
        raise NotFound
    return found


async def _page(request: Request) -> Response:
    found = find_page(_files(), request.path_params["name"])
    return answer_asset(request, found, _FOR_A_MINUTE)


async def _into_the_folder(_request: Request) -> Response:
    return RedirectResponse("/docs/", 308)


ROUTES = (
    Route("/docs", _into_the_folder, ("GET",), Access.PUBLIC),
    Route("/docs/{name:path}", _page, ("GET",), Access.PUBLIC),
)
