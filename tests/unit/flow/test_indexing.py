"""Indexing: one row that cannot be read keeps back no other, and does not come back."""

from collections.abc import Sequence

import pytest
import structlog

from feedloom.flow.worker.maintenance import Indexer
from feedloom.model.stages import IndexArticle, IndexFeed
from feedloom.store import IndexStore
from tests.factories_feeds import NO_ADDRESSES


class Index(IndexStore):
    """An ``IndexStore`` that forgets what was saved, as the real one does."""

    def __init__(
        self, articles: Sequence[IndexArticle] = (), feeds: Sequence[IndexFeed] = ()
    ) -> None:
        self.articles = {article.id: article for article in articles}
        self.feeds = {feed.id: feed for feed in feeds}
        self.words: dict[int, str] = {}

    async def pending_articles(self, limit: int) -> list[IndexArticle]:
        return list(self.articles.values())[:limit]

    async def pending_feeds(self, limit: int) -> list[IndexFeed]:
        return list(self.feeds.values())[:limit]

    async def save_articles(self, rows: Sequence[tuple[int, str, str, str]]) -> None:
        for id_, *words in rows:
            del self.articles[id_]
            self.words[id_] = " ".join(words)

    async def save_feeds(self, rows: Sequence[tuple[int, str]]) -> None:
        for id_, words in rows:
            del self.feeds[id_]
            self.words[id_] = words


@pytest.mark.parametrize("url", [*NO_ADDRESSES, "no address", ""])
async def test_a_feed_without_a_usable_site_is_found_by_its_other_words(url):
    index = Index(feeds=[IndexFeed(1, "Garden", url, ("Tulips",))])

    assert await Indexer(index).catch_up() == 1
    assert index.words[1].split() == ["garden", "tulips"]


async def test_a_feed_is_found_by_its_host():
    index = Index(feeds=[IndexFeed(1, "", "https://News.Example/x", ())])

    await Indexer(index).catch_up()

    assert "example" in index.words[1]


async def test_a_text_that_cannot_be_read_costs_its_words_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
):
    def read(content: str, *, limit: int) -> str:
        return str(int(content)) if content.isdecimal() else content[:limit]

    monkeypatch.setattr("feedloom.flow.worker.maintenance.to_text", read)
    index = Index(
        [IndexArticle(1, "First", "Ann", "1" * 5_000), IndexArticle(2, "Second", "Bob", "tulips")]
    )
    with structlog.testing.capture_logs() as logs:
        assert await Indexer(index).catch_up() == 2

    assert index.articles == {}
    assert index.words[1].split() == ["first", "ann"]
    assert index.words[2].split() == ["second", "bob", "tulips"]
    assert [line["article"] for line in logs] == [1]
