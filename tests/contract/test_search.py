"""Search: the same words find the same things in the same order on both engines."""

from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from feedloom.flow.discovery.directory import Directory
from feedloom.flow.worker.maintenance import Indexer
from feedloom.model.feed import CleanHTML
from feedloom.model.reader import DirectoryWanted, Wanted
from feedloom.model.search_query import read_search
from feedloom.model.stages import DirectoryEntry
from feedloom.store import DirectoryStore, IndexStore
from tests.fakes import START, FixedClock
from tests.stores import Stores, article, refreshed

URL = "https://site.example/feed.xml"
HOSTILE = [
    '"',
    "'",
    "a OR b",
    "NEAR(a b)",
    "col:x",
    "*",
    "a*",
    "-",
    "--",
    "(a",
    "a)",
    "NOT a",
    "a & b | !c",
    "<->",
    "☃ 🎉",
    "\x00",
    "%_",
    "a" * 10_000,
    "feed:%",
    "before:never after:2026-13-45",
    'feed:"',
    "{}[]^~",
    "; DROP TABLE articles",
    "is:unread is:starred",
    "-only -negative",
]
OPERATORS = {
    "april": ["April showers", "Snow in April"],
    "APRIL snow": ["Snow in April"],
    "creme": ["Crème brûlée at home"],
    "CRÈME brûlée": ["Crème brûlée at home"],
    '"april showers"': ["April showers"],
    '"showers april"': [],
    "april -snow": ["April showers"],
    "april is:starred": [],
    "april is:unread": ["April showers", "Snow in April"],
    "feed:küchen april": ["April showers", "Snow in April"],
    "feed:garden april": [],
    "april before:2020-01-01": [],
    "april after:2020-01-01": ["April showers", "Snow in April"],
    "ada snow": ["Snow in April"],
    "nothing": [],
    "apr*": ["April showers", "Snow in April"],
    "APR* show*": ["April showers"],
    "apr* -show*": ["Snow in April"],
    "brul*": ["Crème brûlée at home"],
    "apr": [],
    "-sno*": ["April showers", "Crème brûlée at home"],
    "tag:cold": ["Snow in April"],
    "TAG:Cold snow": ["Snow in April"],
    'tag:"not there"': [],
    "tag:cold showers": [],
}


async def found(stores: Stores, user_id: int, text: str) -> list[str]:
    page = await stores.reading.articles(user_id, Wanted(text=text, limit=100))
    return [article.title for article in page.articles]


@pytest.fixture
async def reader(stores: Stores) -> int:
    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, URL, title="Küchenblog")
    await stores.deliver(URL, "Crème brûlée at home", "Snow in April", "April showers", at=START)
    await stores.reading.tag(ada.id, [2], "Cold")
    await Indexer(IndexStore(stores.work)).catch_up()
    return ada.id


async def test_operators_find_what_they_say(stores: Stores, reader: int):
    assert {text: await found(stores, reader, text) for text in OPERATORS} == OPERATORS


@pytest.mark.threat("A21")
async def test_hostile_queries_are_only_words(stores: Stores, reader: int):
    directory = DirectoryStore(stores.front)

    for text in HOSTILE:
        titles = await found(stores, reader, text)
        assert set(titles) <= {"Crème brûlée at home", "Snow in April", "April showers"}, text
        await directory.find(DirectoryWanted(text))


@pytest.mark.threat("A8")
async def test_nobody_finds_what_others_read(stores: Stores, reader: int):
    bob = await stores.person("bob@example.org")

    assert await found(stores, bob.id, "april") == []
    assert await found(stores, reader, "april") != []


async def test_changed_articles_are_found_by_their_new_words(stores: Stores, reader: int):
    feed = await stores.claim(URL)
    changed = article("Snow in April")._replace(
        title="Rain in May", content=CleanHTML("<p>It rains.</p>"), content_hash="other"
    )
    await stores.refreshes.store(refreshed(feed, (changed,)))

    await Indexer(IndexStore(stores.work)).catch_up()

    assert await found(stores, reader, "april") == ["April showers"]
    assert await found(stores, reader, "rain") == ["Rain in May"]


async def test_the_words_of_deleted_articles_and_feeds_are_not_kept(stores: Stores, reader: int):
    index = IndexStore(stores.work)
    assert len(await stores.rows("SELECT * FROM article_index")) == 3

    await stores.execute("DELETE FROM articles WHERE title = 'Snow in April'")
    # It went between being read and being indexed.
    await index.save_articles([(4711, "april", "", "snow")])

    assert len(await stores.rows("SELECT * FROM article_index")) == 2
    await stores.execute("DELETE FROM feeds")
    await index.save_feeds([(4711, "april")])
    assert await stores.rows("SELECT * FROM article_index") == []
    assert await stores.rows("SELECT * FROM feed_index") == []
    assert reader


@given(st.text(max_size=200))
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_anything_typed_can_be_read(text):
    query = read_search(text)

    assert all(word.isalnum() or "_" in word for term in query.terms for word in term.words)


def entry(title: str, host: str, **more: object) -> DirectoryEntry:
    return DirectoryEntry(
        title=title,
        feed_url=f"https://{host}/feed",
        site_url=f"https://{host}/",
        topic=str(more.get("topic", "news")),
        language=str(more.get("language", "en")),
        tags=("garden",) if more.get("tagged") else (),
    )


ENTRIES = [
    entry("Garden News", "gardennews.example"),
    entry("News of the world and everything in its garden", "world.example"),
    entry("Garden", "garden.example"),
    entry("Tulips", "tulips.example", tagged=True),
    entry("Le Jardin", "jardin.example", language="fr", topic="home"),
    entry("Älteste Gärten", "gaerten.example", language="de"),
    entry("Cars", "cars.example", topic="autos"),
]


@pytest.fixture
async def directory(stores: Stores) -> Directory:
    made = Directory(DirectoryStore(stores.front), FixedClock())
    await made.store.seed(ENTRIES, check=True)
    await Indexer(IndexStore(stores.work)).catch_up()
    return made


async def titles(directory: Directory, text: str, **more: object) -> list[str]:
    page = await directory.search(DirectoryWanted(text, **more))  # type: ignore[arg-type]
    return [feed.title for feed in page.feeds]


async def test_the_order_is_by_relevance(directory: Directory):
    assert await titles(directory, "garden") == [
        "Garden",
        "Garden News",
        "News of the world and everything in its garden",
        "Tulips",
    ]


async def test_every_field_is_searched_and_counts(stores: Stores, directory: Directory):
    await stores.execute(
        "INSERT INTO sites (input_url, url_key, canonical_url, domain, title,"
        " last_discovered_at) VALUES ('x', 'x', 'x', 'x', 'Motor pages', 0)"
    )
    await stores.execute(
        "UPDATE feeds SET description = 'All about engines',"
        " site_id = (SELECT max(id) FROM sites) WHERE title = 'Cars'"
    )
    await stores.execute(
        "INSERT INTO recent_items (feed_id, place, title)"
        " SELECT id, 0, 'Brakes explained' FROM feeds WHERE title = 'Cars'"
    )
    await stores.execute("UPDATE feeds SET topic_status = 'pending' WHERE topic = 'home'")
    await stores.execute("INSERT INTO index_queue (kind, id) SELECT 'feed', id FROM feeds")
    await Indexer(IndexStore(stores.work)).catch_up()

    for text in ("cars", "cars.example", "motor", "autos", "engines", "brakes"):
        assert await titles(directory, text) == ["Cars"], text
    assert await titles(directory, "fr") == ["Le Jardin"]
    # A topic that is only proposed is nobody's business yet.
    assert await titles(directory, "home") == []


async def test_an_exact_domain_comes_first(directory: Directory):
    assert (await titles(directory, "world.example"))[0].startswith("News of the world")


async def test_a_site_that_is_no_address_hides_no_feed(stores: Stores, directory: Directory):
    before = await titles(directory, "")
    await stores.execute("UPDATE feeds SET site_url = 'http://a..b/'")

    assert await titles(directory, "") == before


async def test_unhealthy_stale_and_other_feeds_come_later(stores: Stores, directory: Directory):
    await stores.execute("UPDATE feeds SET state = 'healthy'")
    assert (await titles(directory, "garden"))[0] == "Garden"

    await stores.execute("UPDATE feeds SET state = 'unhealthy' WHERE title = 'Garden'")
    assert (await titles(directory, "garden"))[0] == "Garden News"

    long_ago = int((START - timedelta(days=100)).timestamp() * 1_000_000)
    await stores.execute(
        "UPDATE feeds SET latest_item_published_at = :at WHERE title = 'Garden News'", at=long_ago
    )
    await stores.execute("UPDATE feeds SET state = 'healthy' WHERE title = 'Garden'")
    await stores.execute("UPDATE feeds SET is_canonical = false WHERE title = 'Garden'")
    assert (await titles(directory, "garden"))[0] == "Garden"


async def test_filters_and_pages_by_title(directory: Directory):
    assert await titles(directory, "", language="fr") == ["Le Jardin"]
    assert await titles(directory, "", topic="autos") == ["Cars"]
    seen: list[str] = []
    cursor = None
    while True:
        page = await directory.search(DirectoryWanted(limit=3), cursor)
        seen += [feed.title for feed in page.feeds]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert seen == sorted((e.title for e in ENTRIES), key=lambda t: t.encode().lower())


async def test_seeding_twice_changes_nothing(stores: Stores, directory: Directory):
    before = await stores.rows("SELECT * FROM feeds ORDER BY id")
    schedules = await stores.rows("SELECT * FROM feed_schedules ORDER BY feed_id")

    assert await directory.store.seed(ENTRIES, check=True) == 0

    assert await stores.rows("SELECT * FROM feeds ORDER BY id") == before
    assert await stores.rows("SELECT * FROM feed_schedules ORDER BY feed_id") == schedules


async def test_the_same_list_does_not_bring_back_what_is_gone_a_longer_one_does(
    stores: Stores, directory: Directory
):
    await stores.execute("DELETE FROM feeds WHERE id = 1")
    more = replace(ENTRIES[0], feed_url="https://another.example/feed.xml")

    again = await directory.store.seed(ENTRIES, check=True)
    longer = await directory.store.seed([*ENTRIES, more], check=True)

    assert (again, longer) == (0, 2)


async def test_listed_feeds_are_spread_over_a_week(stores: Stores, directory: Directory):
    rows = await stores.rows("SELECT next_run_at FROM feed_schedules ORDER BY next_run_at")

    gaps = [b["next_run_at"] - a["next_run_at"] for a, b in pairwise(rows)]
    assert set(gaps) == {7 * 86_400_000_000 // len(ENTRIES)}


async def planned(stores: Stores) -> list[int | None]:
    rows = await stores.rows("SELECT due_at FROM feed_schedules ORDER BY feed_id")
    return [row["due_at"] for row in rows]


async def test_looking_at_listed_feeds_can_be_switched_off_and_on_again(
    stores: Stores, directory: Directory
):
    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, "https://cars.example/feed")

    await directory.store.seed(ENTRIES, check=False)
    off = await planned(stores)
    await directory.store.seed(ENTRIES, check=True)
    on = await planned(stores)

    # What somebody reads is fetched all the same.
    assert [at is None for at in off] == [True] * 6 + [False]
    assert None not in on
    assert len(set(on)) == len(ENTRIES)


async def test_a_hidden_feed_that_nobody_reads_is_not_polled(stores: Stores, directory: Directory):
    [row] = await stores.rows("SELECT id FROM feeds WHERE title = 'Cars'")

    await directory.store.hide(row["id"], "ada@example.org")

    [left] = await stores.rows(
        "SELECT due_at, reason FROM feed_schedules WHERE feed_id = :id", id=row["id"]
    )
    assert left["due_at"] is None
    assert "unwanted" in left["reason"]


async def test_the_whole_directory_is_seeded_and_searchable(stores: Stores):
    directory = Directory(DirectoryStore(stores.front), FixedClock())

    assert await directory.seed(check=False) == 1473

    await Indexer(IndexStore(stores.work)).catch_up()
    assert "Ahead of AI" in await titles(directory, "ahead of ai")
    topics, languages = await directory.store.facets()
    assert sum(topics.values()) == 1473
    assert languages["en"] > 500


async def test_a_hidden_feed_stays_hidden(stores: Stores, directory: Directory):
    [row] = await stores.rows("SELECT id FROM feeds WHERE title = 'Cars'")

    await directory.store.hide(row["id"], "ada@example.org")
    await directory.store.seed(ENTRIES, check=True)

    assert await titles(directory, "cars") == []


@pytest.mark.parametrize(
    ("title", "text", "is_found"),
    [
        ("東京都の図書館が開館", "図書", True),
        ("東京都の図書館が開館", "館", True),
        ("東京都の図書館が開館", "京東", False),
        ("서울에서 열린 전시", "서울", True),
        ("ห้องสมุดแห่งใหม่", "สมุด", True),
        ("上海图书馆今天开放", "-图书", False),
    ],
)
async def test_any_part_of_a_text_without_spaces_is_found(
    stores: Stores, title: str, text: str, is_found: bool
):
    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, URL)
    await stores.deliver(URL, title, at=START)
    await Indexer(IndexStore(stores.work)).catch_up()

    assert await found(stores, ada.id, text) == ([title] if is_found else [])
