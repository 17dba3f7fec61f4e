"""Looking articles up by address and by story: by index, however many there are."""

from collections.abc import Callable

import pytest

from feedloom.model.feed import Format, ParsedFeed
from feedloom.model.reader import Wanted
from feedloom.store.distilled.proxied_feeds import _DEFRAMED
from feedloom.store.engine.scripts import WORKER, Query, Scope, Script, Statement, sql
from feedloom.store.ingest.arrivals import _recognise
from feedloom.store.ingest.merge import _by_address
from feedloom.store.reader.article_lists import list_articles
from feedloom.store.reader.stories import find_kin
from tests.stores import Stores, article

USER = 1
LISTING_NOTHING = ParsedFeed(Format.RSS, "", (), ())


def _fresh_tables() -> Script[None]:
    # Pages that the rows of other tests have left would count as rows.
    yield sql("TRUNCATE articles CASCADE")


def _second(script: Script[object]) -> Statement:
    next(script)
    return script.send(())


LOOKUPS: dict[str, tuple[str, Callable[[], Statement]]] = {
    "deframed": ("articles_url", lambda: sql(_DEFRAMED, hashes=["x"], most=1.0)),
    "renamed": ("articles_url", lambda: next(_recognise(1, [article("x")], LISTING_NOTHING))),
    "merged": ("articles_url", lambda: _second(_by_address(1, 2))),
    "story": ("articles_cluster", lambda: next(list_articles(USER, Wanted(cluster_key="x")))),
    "story read": ("articles_cluster", lambda: next(find_kin(USER, [1], Wanted()))),
}


@pytest.mark.parametrize("name", LOOKUPS)
async def test_articles_are_found_by_index(stores: Stores, name: str):
    index, ask = LOOKUPS[name]
    is_sqlite = stores.front.kind == "sqlite"

    def plan() -> Script[list[str]]:
        asked = ask()
        assert isinstance(asked, Query)
        if not is_sqlite:
            # There are no rows, and then reading all of them is quickest.
            yield sql("SET LOCAL enable_seqscan = off")
        how = "QUERY PLAN" if is_sqlite else "(COSTS OFF)"
        rows = yield sql(f"EXPLAIN {how} {asked.text}", **asked.params)
        return [str(tuple(row)[-1]) for row in rows]

    if not is_sqlite:
        await stores.work.write(WORKER, _fresh_tables)
    found = await stores.front.read(Scope(user_id=USER), plan)

    # Without rows PostgreSQL takes any index of the feed: all cost the same.
    wanted = index if is_sqlite or name.startswith("story") else " using articles_"
    assert any(wanted in line for line in found), found
    scanned = ("SCAN a", "SCAN o", "SCAN n", "Seq Scan on articles")
    assert not [line for line in found if line.strip(" ->").startswith(scanned)], found
