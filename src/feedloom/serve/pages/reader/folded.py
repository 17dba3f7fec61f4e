"""Lists with duplicates and stories folded into one row, as their reader prefers."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from feedloom.flow.stories import Fold, companions, fold_page
from feedloom.model.reader import Article, ArticlePage, User, Wanted
from feedloom.serve.pages.appearance import Appearance, appearance_of
from feedloom.serve.pages.reader.places import Place
from feedloom.serve.services import Services

_KINDS = frozenset({"all", "unread", "folder", "tag"})
_MOST_PAGES = 20
"""So many pages of nothing but folded rows are passed over at once."""


async def folded_page(
    services: Services,
    user_id: int,
    place: Place,
    look: Appearance,
    page: ArticlePage,
    *,
    keep: int = 0,
) -> tuple[ArticlePage, Mapping[int, Fold]]:
    """Fold a page of a list; the next one, where nothing of it is left."""
    if place.kind not in _KINDS or not (look.fold_copies or look.fold_stories):
        return page, {}
    wanted = place.wanted()
    folds: Mapping[int, Fold] = {}
    for _ in range(_MOST_PAGES):
        items = [article.item_no for article in page.articles]
        kin = await services.stories.store.kin(user_id, items, wanted) if items else None
        if kin is None:
            break
        page, folds = fold_page(
            page, kin, copies=look.fold_copies, stories=look.fold_stories, keep=keep
        )
        if page.articles or page.next_cursor is None:
            break
        page = await services.reading.articles(user_id, replace(wanted, cursor=page.next_cursor))
    return page, folds


async def told_alike(services: Services, user: User, items: Sequence[int]) -> list[int]:
    """List the unread items that somebody has read with these."""
    look = appearance_of(user)
    if not items or not (look.fold_copies or look.cluster_read):
        return []
    kin = await services.stories.store.kin(user.id, items, Wanted())
    if kin is None:
        return []
    return companions(items, kin, copies=True, stories=look.cluster_read)


async def story_of(services: Services, user_id: int, article: Article) -> tuple[int, int] | None:
    """Tell an article's story and how many other feeds have it; None where none has."""
    kin = await services.stories.store.kin(user_id, [article.item_no], Wanted())
    story = kin.stories.get(article.item_no) if kin else None
    if kin is None or story is None:
        return None
    told = (one for one in kin.articles if kin.stories.get(one.item_no) == story)
    feeds = {one.subscription_id for one in told} - {article.subscription_id}
    return (story, len(feeds)) if feeds else None
