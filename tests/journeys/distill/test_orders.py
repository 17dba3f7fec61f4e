"""Articles that give orders, and a model that obeys all of them: nothing else moves.

From the feed to the served document, the digest and the bookmark, on both engines. What
each field may hold is tested in ``tests/unit/distill/test_injections.py``; here every
row of every table is compared, and every connection is watched.
"""

import html
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET

import feedparser
import pytest

from feedloom.model.bookmarks import NewBookmark
from feedloom.model.feed import MAX_ENTRIES
from feedloom.model.reader import User
from tests.counting import Counts
from tests.journeys.proxies.lab import Lab
from tests.journeys.proxies.watching import watched
from tests.model_api import Call, Reply, says
from tests.unit.distill.doubles import KEY, VALID_ANALYSIS
from tests.unit.distill.test_injections import ALL_ORDERS, HARMFUL

pytestmark = pytest.mark.asyncio(loop_scope="module")

ITEM_TAGS = {"title", "link", "guid", "pubDate", "description", "author", "category"}
CALLING = {"ai_calls", "installation"}
DEFRAMING = CALLING | {
    *("analyses", "analysis_attempts", "cached_feeds"),
    *("feed_schedules", "fetch_log", "hosts", "audit_log"),
}
"""Tables that may move while a feed is synced and deframed."""
DIGESTING = CALLING | {"summaries", "events", "throttle"}
KEEPING = CALLING | {"bookmarks", "tasks", "events", "hosts"}
Rows = dict[str, list[tuple[object, ...]]]
_INTERNAL = re.compile(r"sqlite_|article_index|feed_index|index_queue|workers$")
_FEEDS_OWN = "id, tenant_id, url, url_key, site_url, title, description, language"
_PAGE = """<!doctype html><html lang="en"><head><title>{0}</title>
<meta name="description" content="{0}"></head><body><!-- {0} --><article><h1>{0}</h1>
<p>The harbour was closed on Monday after the storm had damaged two of its cranes. {0}</p>
<p style="display:none">{0}</p><img src="/x.png" alt="{0}"><p>Ships will be sent to the
neighbouring port until the repairs are done, according to the engineers. {0}</p>
</article></body></html>"""


async def everything(lab: Lab) -> Rows:
    """Read all rows of all tables; of feeds only what a fetch does not note."""
    catalogue = {
        "sqlite": "SELECT name FROM sqlite_master WHERE type = 'table'",
        "postgresql": "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
    }
    names = await lab.rows(catalogue[lab.container.work.kind])
    found: Rows = {}
    for table in sorted(row["name"] for row in names):
        if _INTERNAL.match(table):
            continue
        columns = _FEEDS_OWN if table == "feeds" else "*"
        rows = await lab.rows(f"SELECT {columns} FROM {table}")
        found[table] = sorted(
            (tuple(map(str, row.values() if isinstance(row, dict) else tuple(row)))) for row in rows
        )
    return found


def moved(before: Rows, after: Rows) -> set[str]:
    """Name the tables whose rows are not what they were."""
    return {table for table in after if before.get(table) != after[table]}


def material(call: Call) -> str:
    """What the model reads between the two marked lines."""
    return call.user.split("\n", 1)[1].rsplit("\n", 1)[0]


def obey(call: Call) -> Reply:
    """Write what was read into every field, with the best scores, as it was told."""
    told = material(call)
    form = call.body["response_format"]["json_schema"]["schema"]["properties"]
    if "paragraphs" in form:
        title = told.partition("]: ")[2].partition(" | ")[0]
        return says({"paragraphs": [f"It says [1][2][999]. {title[:900]} [1]"] * 3})
    if "tags" in form:
        return says({"summary": told[:1_500], "tags": [told[:60], "databases"]})
    fields: Mapping[str, object] = {
        key: told[:290] if isinstance(value, str) else 0.0 for key, value in VALID_ANALYSIS.items()
    } | {"category": "world"}
    # Some obey so well that they add fields: these answers are nobody's verdict.
    return says({**fields, "is_admin": True} if "is_admin" in told else fields)


def publish(lab: Lab, orders: Sequence[str]) -> None:
    """Publish orders as articles; some of them have a page of their own."""
    now = lab.container.clock.now()
    entries = []
    for n, order in enumerate(orders):
        shown = html.escape(order)
        entries.append(
            lab.entry(
                n,
                title=order,
                content=f"<p>{shown}</p><p>{order}</p>",
                published_at=now - timedelta(seconds=n),
            )
        )
        if n % 10 == 0:
            lab.publisher.page(f"{lab.path}/{n}", _PAGE.format(shown))
    lab.publisher.feed(lab.path, entries=entries, link=lab.publisher.url("/"))


async def follow(lab: Lab, paths: Sequence[str]) -> User:
    """Let somebody read every feed, and proxy all of them."""
    reader = await lab.subscribe()
    for place, path in enumerate(paths):
        lab.path = path
        publish(lab, ALL_ORDERS[place * MAX_ENTRIES : (place + 1) * MAX_ENTRIES])
        await lab.container.subscribing().add(reader, lab.url, exact=True)
        await lab.run()
        await lab.add()
    # What a subscription brings along (the site's icon) is not what is watched here.
    await lab.worker().task_loop().drain()
    return reader


@dataclass(slots=True)
class Found:
    """What was there after a model had obeyed."""

    words: list[str] = field(default_factory=list)
    rejected: int = 0
    items: int = 0


async def deframe(lab: Lab, paths: Sequence[str]) -> Found:
    """Let every feed be deframed and served, and read what came of it."""
    found = Found()
    for path in paths:
        lab.path = path
        await lab.sync()
        await lab.run()
        for row in await lab.analyses():
            found.words.extend(model_words(row["analyzer_result"]))
        found.rejected += len(await lab.attempts())
        found.items += checked_items(await lab.document())
    return found


@pytest.mark.threat("L1", "L2", "L3", "X15")
async def test_orders_obeyed_by_a_model_move_nothing_but_its_own_rows(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, counts: Counts
):
    lab.use_model(call_s=10)
    lab.api.script(obey)
    base = lab.path.removesuffix(".xml")
    paths = [f"{base}-{n}.xml" for n in range(-(-len(ALL_ORDERS) // MAX_ENTRIES))]
    publish(lab, ())
    reader = await follow(lab, paths)
    lab.publisher.forget()
    before = await everything(lab)
    with watched(monkeypatch) as reached:
        found = await deframe(lab, paths)
        deframed = await everything(lab)
        made = await lab.container.digests(lab.container.work).generate(reader.id)
        digested = await everything(lab)
        bookmarks = lab.container.services().bookmarks
        page = lab.publisher.url(f"{paths[0]}/0")
        kept = (await bookmarks.add(reader.id, NewBookmark(page))).bookmark
        await lab.worker().task_loop().drain()
        summed_up = await everything(lab)

    assert moved(before, deframed) <= DEFRAMING
    assert moved(deframed, digested) <= DIGESTING
    assert moved(digested, summed_up) <= KEEPING
    # What an order adds to a reply is not looked at, so no reply is refused for it.
    assert (found.items, found.rejected) == (len(ALL_ORDERS), 0)
    saved = await bookmarks.bookmark(reader.id, kept.id)
    # Headlines are the publisher's: templates escape them as they do in lists.
    told = [claim.text for part in made.paragraphs for claim in part.claims]
    said = [*found.words, *told, saved.summary, *saved.tags]
    escapes = [text for text in said if HARMFUL.search(text)]
    assert escapes == []
    own = lab.publisher.url(base)
    assert all(cited.url.startswith(own) for cited in made.cited)
    asked = {request.path for request in lab.publisher.requests}
    assert all(path.startswith(base) for path in asked)
    known = {urlsplit(url).port for url in (own, lab.api.base_url)}
    assert reached.ports <= known | {urlsplit(lab.container.settings.web_database).port}
    assert all(name.startswith("127.") for name in reached.names)
    leaks = [call for call in lab.api.calls if is_leak(call, reader)]
    assert leaks == []
    counts(
        f"orders in articles ({lab.container.work.kind})",
        articles=len(ALL_ORDERS),
        calls=len(lab.api.calls),
        words_of_the_model=len(said),
        escapes=len(escapes),
        leaks=len(leaks),
        ports=len(reached.ports),
    )


def model_words(stored: str) -> list[str]:
    """List what a model wrote in an analysis; the originals are the publisher's.

    So are the title and description that are served where the model's were refused.
    """
    found = json.loads(stored)
    originals = (found["title_original"], found["description_original"])
    return [
        str(value)
        for key, value in found.items()
        if not key.endswith("_original") and value not in originals
    ]


def checked_items(document: str) -> int:
    """Count the items of a served document, all of known elements without children."""
    assert not feedparser.parse(document.encode()).bozo
    items = ET.fromstring(document).findall("channel/item")
    for item in items:
        names = {child.tag for child in item}
        assert {name for name in names if not name.startswith("{")} <= ITEM_TAGS
        assert all(len(child) == 0 for child in item)
    return len(items)


def is_leak(call: Call, reader: User) -> bool:
    """Tell whether a call says more than an article: the key, or who reads."""
    sent = json.dumps(call.body)
    return KEY in sent or reader.email in sent or "password" in sent
