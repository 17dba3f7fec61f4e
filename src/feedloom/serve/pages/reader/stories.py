"""Stories: their pages; and lists with duplicates and stories folded into one row."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from starlette.requests import Request
from starlette.responses import Response

from feedloom.flow.stories import Fold, companions, fold_page
from feedloom.model.errors import InvalidInput
from feedloom.model.reader import Article, ArticlePage, User, Wanted
from feedloom.serve.auth import actor, services
from feedloom.serve.ids import path_id
from feedloom.serve.pages.appearance import appearance_of
from feedloom.serve.pages.formatting import SIGN_WORDS
from feedloom.serve.pages.forms import field, redirect_back
from feedloom.serve.pages.reader.places import Place
from feedloom.serve.pages.renderer import render_page
from feedloom.serve.routes import Access, Route
from feedloom.serve.services import Services

_MARKS = ("read", "followed", "unfollowed", "muted", "unmuted")
_FOLDED = frozenset({"all", "unread", "folder", "tag"})
"""The kinds of lists that are folded."""
_MOST_PAGES = 20
"""So many pages of nothing but folded rows are passed over at once."""


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
    if verb not in _MARKS:
        raise InvalidInput(f"Unknown mark {verb!r}.", field="do")
    store = services(request).stories.store
    if verb == "read":
        await store.mark_read(user_id, story_id)
    else:
        await store.mark(user_id, story_id, verb)
    return redirect_back(form, f"/stories/{story_id}", f"story-{verb}")


async def folded_page(
    services: Services, user: User, place: Place, page: ArticlePage, *, keep: int = 0
) -> tuple[ArticlePage, Mapping[int, Fold]]:
    """Fold a page of a list; the next one, where nothing of it is left."""
    look = appearance_of(user)
    if place.kind not in _FOLDED or not (look.fold_copies or look.fold_stories):
        return page, {}
    wanted = place.wanted()
    folds: Mapping[int, Fold] = {}
    for _ in range(_MOST_PAGES):
        items = [article.item_no for article in page.articles]
        kin = await services.stories.store.kin(user.id, items, wanted) if items else None
        if kin is None:
            break
        page, folds = fold_page(
            page, kin, copies=look.fold_copies, stories=look.fold_stories, keep=keep
        )
        if page.articles or page.next_cursor is None:
            break
        page = await services.reading.articles(user.id, replace(wanted, cursor=page.next_cursor))
    return page, folds


async def told_alike(services: Services, user: User, items: Sequence[int]) -> list[int]:
    """List the unread items that somebody has read with these."""
    look = appearance_of(user)
    if not items or not (look.fold_copies or look.cluster_read):
        return []
    kin = await services.stories.store.kin(user.id, items, Wanted())
    return companions(items, kin, copies=True, stories=look.cluster_read) if kin else []


async def story_of(services: Services, user_id: int, article: Article) -> tuple[int, int] | None:
    """Tell an article's story and how many other feeds have it; None where none has."""
    kin = await services.stories.store.kin(user_id, [article.item_no], Wanted())
    story = kin.stories.get(article.item_no) if kin else None
    if kin is None or story is None:
        return None
    told = (one for one in kin.articles if kin.stories.get(one.item_no) == story)
    feeds = {one.subscription_id for one in told} - {article.subscription_id}
    return (story, len(feeds)) if feeds else None


ROUTES = (
    Route("/stories", overview, ("GET",), Access.PERSON),
    Route("/stories/{id}", show, ("GET",), Access.PERSON),
    Route("/stories/{id}/mark", mark, ("POST",), Access.PERSON),
)
