"""Pages of stories: followed ones, recent ones, and a single one."""

from collections.abc import Iterable

from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import InvalidInput
from feedloom.serve.auth import actor, services
from feedloom.serve.ids import path_id
from feedloom.serve.pages.formatting import SIGN_WORDS
from feedloom.serve.pages.forms import field
from feedloom.serve.pages.notices import redirect_back
from feedloom.serve.pages.renderer import render_page
from feedloom.serve.routes import Access, Route

_TOLD = {
    "read": "story-read",
    "followed": "story-followed",
    "unfollowed": "story-unfollowed",
    "muted": "story-muted",
    "unmuted": "story-unmuted",
}


async def overview(request: Request) -> Response:
    store, user_id = services(request).stories.store, actor(request).user.id
    followed = await store.followed(user_id)
    known = {line.id for line in followed}
    current = [line for line in await store.current(user_id) if line.id not in known]
    return await render_page(
        request, "reading/stories.html", lists=(("Followed", followed), ("Last 72 hours", current))
    )


async def show(request: Request) -> Response:
    board = await services(request).stories.board(actor(request).user.id, path_id(request))
    return await render_page(
        request, "reading/story.html", board=board, story=board.story, kinds=_kinds
    )


def _kinds(dimensions: Iterable[str]) -> str:
    return ", ".join(SIGN_WORDS[name] for name in dimensions)


async def mark(request: Request) -> Response:
    form = await request.form()
    user_id, story_id = actor(request).user.id, path_id(request)
    verb = field(form, "do")
    if verb not in _TOLD:
        raise InvalidInput(f"Unknown mark {verb!r}.", field="do")
    store = services(request).stories.store
    if verb == "read":
        await store.mark_read(user_id, story_id)
    else:
        await store.mark(user_id, story_id, verb)
    return redirect_back(form, f"/stories/{story_id}", _TOLD[verb])


ROUTES = (
    Route("/stories", overview, ("GET",), Access.PERSON),
    Route("/stories/{id}", show, ("GET",), Access.PERSON),
    Route("/stories/{id}/mark", mark, ("POST",), Access.PERSON),
)
