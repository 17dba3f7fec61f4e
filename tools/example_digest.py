"""Write docs/example-digest.md: ``python -m tools.example_digest``.

A day of 300 invented articles from 40 feeds goes through the real thing: subscribed to,
stored, read back, told by the offline engine, kept, and written out with its sources.
"""

import asyncio
import html
import tempfile
from collections.abc import Iterable
from pathlib import Path

from feedloom.distill import AISettings, AIType, build_engine
from feedloom.flow.distill.digest import Digests
from feedloom.model.distilled.digests import Summary
from feedloom.model.distilled.requests import Digest, DigestArticle
from feedloom.model.feed import CleanHTML
from feedloom.model.stages import NewArticle
from feedloom.publish import digest_markdown
from feedloom.store import DatabaseURL, SummaryStore, SyncStore, open_database, upgrade
from tests.fakes import FixedClock
from tests.stores import Stores, article, refreshed
from tests.unit.distill.day import whole_day
from tests.unit.distill.doubles import NOON, MemorySpend, TalkingFetcher

PAGE = Path(__file__).parent.parent / "docs" / "example-digest.md"
_FEEDS = 40
_HEAD = """\
# An example of a digest

What `/digest` shows, from a day of {articles} invented articles in {feeds} feeds; made
without a language model.
`python -m tools.example_digest` writes this page, and a test compares it.

"""


def sources(day: Iterable[DigestArticle]) -> dict[str, list[DigestArticle]]:
    """Sort a day's articles by feed; the small papers share what is left of forty."""
    named: dict[str, list[DigestArticle]] = {}
    small: list[DigestArticle] = []
    for told in day:
        if told.source.startswith("Local paper"):
            small.append(told)
        else:
            named.setdefault(told.source, []).append(told)
    left = _FEEDS - len(named)
    for place, told in enumerate(small):
        named.setdefault(f"Local paper {place % left + 1}", []).append(told)
    return named


def as_new(told: DigestArticle) -> NewArticle:
    """Put an article into the form that feeds are stored in."""
    text = html.escape(told.excerpt)
    plain = article(told.title, guid=told.url, published_at=told.published_at)
    return plain._replace(
        url=told.url,
        content=CleanHTML(f"<p>{text}</p>"),
        summary=told.excerpt[:400],
        cluster_key=told.cluster_key or told.url,
    )


async def make(folder: Path) -> tuple[Summary, int]:
    """Store the day, write its digest, and tell how many feeds it came from."""
    url = DatabaseURL.parse(f"sqlite:///{folder / 'example.db'}")
    await upgrade(url, url)
    database = await open_database(url, worker=True)
    stores = Stores(database, database)
    person = await stores.person()
    feeds = sources(whole_day())
    for number, (title, told) in enumerate(feeds.items()):
        address = f"https://feed-{number}.example/feed.xml"
        await stores.subscriptions.subscribe(person.id, address, title=title)
        claimed = await stores.claim(address)
        articles = tuple(as_new(one) for one in told)
        await stores.refreshes.store(refreshed(claimed, articles, at=NOON))
    engine = build_engine(AISettings(type=AIType.OFFLINE), TalkingFetcher(dict), MemorySpend())
    digests = Digests(
        store=SummaryStore(database),
        reading=stores.reading,
        syncing=SyncStore(database),
        accounts=stores.accounts,
        digester=engine.digester,
        offline=engine.digester,
        clock=FixedClock(NOON),
    )
    summary = await digests.generate(person.id)
    await database.close()
    return summary, len(feeds)


def as_markdown(summary: Summary) -> str:
    """Write a kept digest with numbered sources."""
    articles = {
        one.item_no: DigestArticle(
            one.item_no, one.title, one.source, one.published_at, "", one.url
        )
        for one in summary.cited
    }
    digest = Digest(
        summary.paragraphs, summary.model, summary.article_count, summary.note, summary.left_out
    )
    return digest_markdown(digest, articles)


def page() -> str:
    """Make the whole page; twice gives the same."""
    with tempfile.TemporaryDirectory() as folder:
        summary, feeds = asyncio.run(make(Path(folder)))
    head = _HEAD.format(articles=len(whole_day()), feeds=feeds)
    return head + as_markdown(summary)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
