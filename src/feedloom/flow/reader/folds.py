"""A page of a list in; the same page with one row per group of duplicates or per story out. Pure.

Folding is display: nothing is marked by it and every count stays what it was. The first
of a group in the order of the list stands for all of them.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from feedloom.model.reader import Article, ArticlePage
from feedloom.model.stories import Kin

_ADDRESS = 12
"""So much of a cluster key tells the address."""


@dataclass(frozen=True, slots=True)
class Fold:
    """What a row stands for beside its own article."""

    others: Sequence[Article]
    """Newest first."""
    feeds: int
    """How many other feeds they come from."""
    story_id: int | None = None
    """None where they are identical, not only about the same event."""

    @property
    def unread(self) -> int:
        return sum(article.unread for article in self.others)


def fold_page(
    page: ArticlePage, kin: Kin, *, copies: bool, stories: bool, keep: int = 0
) -> tuple[ArticlePage, Mapping[int, Fold]]:
    """Leave out the rows that another stands for, but ``keep``; tell what each stands for."""
    groups = _groups(kin, copies=copies, stories=stories)
    group_of = {article.item_no: group for group in groups for article in group}
    identical = _groups(kin, copies=True, stories=False)
    copy_count = {article.item_no: len(group) for group in identical for article in group}
    place = {item: number for number, item in enumerate(kin.listed)}
    rows, folds = [], {}
    for article in page.articles:
        group = group_of.get(article.item_no)
        if group is None:
            rows.append(article)
            continue
        first = min(
            (one.item_no for one in group if one.item_no in place),
            key=place.__getitem__,
            default=article.item_no,
        )
        if article.item_no == first:
            is_copy = copy_count.get(article.item_no) == len(group)
            story = None if is_copy else kin.stories.get(article.item_no)
            folds[article.item_no] = _fold(article, group, story)
        elif article.item_no != keep:
            continue
        rows.append(article)
    return replace(page, articles=tuple(rows)), folds


def companions(items: Collection[int], kin: Kin, *, copies: bool, stories: bool) -> list[int]:
    """List the other items that tell the same as some of these."""
    groups = _groups(kin, copies=copies, stories=stories)
    named = ([article.item_no for article in group] for group in groups)
    return [item for group in named if not set(items).isdisjoint(group) for item in group]


def _groups(kin: Kin, *, copies: bool, stories: bool) -> list[list[Article]]:
    """Group what several feeds have; one feed's own articles are never the same."""
    by_address = defaultdict(list)
    for article in kin.articles:
        by_address[article.cluster_key[:_ADDRESS]].append(article)
    named: dict[object, int] = {}
    found: dict[int, list[Article]] = {}
    for article in kin.articles:
        story = kin.stories.get(article.item_no)
        keys: list[object] = [story] if stories and story else []
        if copies:
            keys += _copy_keys(article, story, by_address[article.cluster_key[:_ADDRESS]])
        group = next((named[key] for key in keys if key in named), article.item_no)
        for key in keys:
            named.setdefault(key, group)
        found.setdefault(group, []).append(article)
    return [group for group in found.values() if _feeds(group) > 1]


def _copy_keys(article: Article, story: int | None, same: Sequence[Article]) -> list[object]:
    title = " ".join(article.title.casefold().split())
    address = article.cluster_key[:_ADDRESS]
    # Some feeds give all their articles one address.
    is_own = len(same) == _feeds(same)
    keys: list[object] = [address if is_own else (address, title)]
    if story and article.summary:
        keys.append((story, title, article.summary))
    return keys


def _feeds(articles: Sequence[Article]) -> int:
    return len({article.subscription_id for article in articles})


def _fold(article: Article, group: Sequence[Article], story: int | None) -> Fold:
    others = sorted(
        (one for one in group if one.item_no != article.item_no),
        key=lambda one: (one.published_at, one.item_no),
        reverse=True,
    )
    feeds = {one.subscription_id for one in others} - {article.subscription_id}
    return Fold(others, len(feeds), story)
