"""Bookmarks as rows: kept once, found by their words, enriched, brought along in bulk."""

from datetime import UTC, datetime, timedelta

import pytest

from feedloom.model.bookmarks import ARCHIVE, INBOX, Enriched, NewBookmark, WantedBookmarks
from feedloom.model.distilled.documents import ImportedPage
from feedloom.model.errors import BadAddress, NotFound
from feedloom.store import BookmarkStore
from tests.stores import Stores

PAGE = "https://site.example/a-page"


async def titles(stores: Stores, user_id: int, **wanted) -> list[str]:
    page = await BookmarkStore(stores.front).bookmarks(user_id, WantedBookmarks(**wanted))
    return [bookmark.title for bookmark in page.bookmarks]


def enriched(**changes) -> Enriched:
    given = {
        "title": "Found title",
        "description": "What the page says of itself.",
        "content": "# Heading\n\nThe Æther was mentioned in passing.",
        "summary": "Two sentences. Of a summary.",
        "tags": ("physics", "history"),
    }
    return Enriched(**(given | changes))


class TestKeeping:
    @pytest.mark.threat("D15")
    async def test_one_address_is_kept_once_however_it_is_written(self, stores: Stores):
        person = await stores.person()
        store = BookmarkStore(stores.front)
        first = await store.add(person.id, NewBookmark(PAGE, "First"))

        again = await store.add(
            person.id, NewBookmark("http://SITE.example/a-page/#part", "Second")
        )

        assert (first.is_new, again.is_new) == (True, False)
        assert again.bookmark == first.bookmark

    @pytest.mark.threat("S10", "X2")
    async def test_what_is_no_address_is_refused(self, stores: Stores):
        person = await stores.person()

        with pytest.raises(BadAddress):
            await BookmarkStore(stores.front).add(person.id, NewBookmark("javascript:1"))

    @pytest.mark.threat("A7")
    async def test_another_persons_bookmark_is_not_found(self, stores: Stores):
        ada, bob = await stores.person(), await stores.person("bob@example.org")
        store = BookmarkStore(stores.front)
        kept = (await store.add(ada.id, NewBookmark(PAGE))).bookmark

        for work in (
            store.bookmark(bob.id, kept.id),
            store.change(bob.id, kept.id, {"title": "Mine"}),
            store.delete(bob.id, kept.id),
            store.retry(bob.id, kept.id),
        ):
            with pytest.raises(NotFound):
                await work

        assert await titles(stores, bob.id) == []
        assert await store.tags(bob.id) == []

    async def test_archiving_is_dated_and_can_be_taken_back(self, stores: Stores):
        person = await stores.person()
        store = BookmarkStore(stores.front)
        kept = (await store.add(person.id, NewBookmark(PAGE))).bookmark

        archived = await store.change(person.id, kept.id, {"state": ARCHIVE})
        back = await store.change(person.id, kept.id, {"state": INBOX})

        assert (kept.state, archived.state, back.state) == (INBOX, ARCHIVE, INBOX)
        assert archived.archived_at is not None
        assert back.archived_at is None


class TestSearch:
    @pytest.mark.parametrize(
        "words",
        [
            "garden",
            "GARDE",
            "cafe",
            "Café",
            '"small garden"',
            "site example",
            "later",
            "zurich",
            "mentioned",
            "garden -winter",
            "aether",
        ],
    )
    async def test_words_of_every_part_find_it(self, stores: Stores, words: str):
        person = await stores.person()
        store, work = BookmarkStore(stores.front), BookmarkStore(stores.work)
        new = NewBookmark(PAGE, "A small garden", "Beside the café", ("Read later", "Zürich"))
        kept = (await store.add(person.id, new)).bookmark
        await store.add(person.id, NewBookmark("https://other.example/", "Unlike"))
        content = "# Heading\n\nThe aether was mentioned in passing."
        await work.finish_enriching(kept.id, enriched(content=content))

        assert await titles(stores, person.id, text=words) == ["A small garden"]

    @pytest.mark.parametrize(
        "words", ["arden", "garden -small", '"garden small"', "☃", "%", "_", "'", "\\", "a_b"]
    )
    async def test_what_is_not_there_finds_nothing(self, stores: Stores, words: str):
        person = await stores.person()
        await BookmarkStore(stores.front).add(person.id, NewBookmark(PAGE, "A small garden"))

        assert await titles(stores, person.id, text=words) == []

    async def test_a_changed_title_is_found_by_its_new_words(self, stores: Stores):
        person = await stores.person()
        store = BookmarkStore(stores.front)
        kept = (await store.add(person.id, NewBookmark(PAGE, "Old"))).bookmark

        await store.change(person.id, kept.id, {"title": "New", "tags": ["blue"]})

        assert await titles(stores, person.id, text="old") == []
        assert await titles(stores, person.id, text="new") == ["New"]
        assert await titles(stores, person.id, text="blue") == ["New"]

    async def test_tags_are_counted_and_chosen_by(self, stores: Stores):
        person = await stores.person()
        store = BookmarkStore(stores.front)
        for number, tags in enumerate([("b", "Ä"), ("b",), ()]):
            url = f"https://site.example/{number}"
            await store.add(person.id, NewBookmark(url, f"Page {number}", tags=tags))

        assert await store.tags(person.id) == [("b", 2), ("Ä", 1)]
        assert await titles(stores, person.id, tags=("Ä",)) == ["Page 0"]
        assert await titles(stores, person.id, tags=("b",)) == ["Page 1", "Page 0"]


class TestEnriching:
    async def test_what_was_found_fills_gaps_and_leaves_what_was_written(self, stores: Stores):
        person = await stores.person()
        store, work = BookmarkStore(stores.front), BookmarkStore(stores.work)
        new = NewBookmark(PAGE, "My title", tags=("mine", "history"))
        kept = (await store.add(person.id, new)).bookmark

        started = await work.start_enriching(kept.id)
        await work.finish_enriching(kept.id, enriched())

        found = await store.bookmark(person.id, kept.id)
        assert (kept.enrich_status, started and started.enrich_status) == ("pending", "running")
        assert (found.enrich_status, found.enrich_error) == ("done", None)
        assert found.title == "My title"
        assert found.description == "What the page says of itself."
        assert found.tags == ("mine", "history", "physics")

    async def test_a_part_that_failed_is_told(self, stores: Stores):
        person = await stores.person()
        store = BookmarkStore(stores.front)
        kept = (await store.add(person.id, NewBookmark(PAGE))).bookmark

        await BookmarkStore(stores.work).finish_enriching(
            kept.id, enriched(problem="No model today.")
        )

        found = await store.bookmark(person.id, kept.id)
        assert (found.enrich_status, found.enrich_error) == ("done", "No model today.")
        retried = await store.retry(person.id, kept.id)
        assert (retried.enrich_status, retried.enrich_error) == ("pending", None)

    async def test_one_that_is_gone_needs_nothing(self, stores: Stores):
        person = await stores.person()
        store, work = BookmarkStore(stores.front), BookmarkStore(stores.work)
        kept = (await store.add(person.id, NewBookmark(PAGE))).bookmark
        await store.delete(person.id, kept.id)

        assert await work.start_enriching(kept.id) is None
        await work.finish_enriching(kept.id, enriched())


class TestImport:
    async def test_pages_keep_their_dates_tags_and_places(self, stores: Stores):
        person = await stores.person()
        store = BookmarkStore(stores.front)
        at = datetime(2019, 5, 1, tzinfo=UTC)
        pages = [
            ImportedPage(PAGE, "Read", at, "A note", ("x",), to_read=False),
            ImportedPage("https://site.example/b", "To read"),
            ImportedPage("https://SITE.example/b/", "Twice"),
            ImportedPage("https://", "Not an address"),
        ]

        added = await store.add_many(person.id, pages)

        page = await store.bookmarks(person.id, WantedBookmarks())
        assert added == 2
        newest, oldest = page.bookmarks
        assert (newest.title, newest.state, newest.archived_at) == ("To read", INBOX, None)
        assert (oldest.added_at, oldest.archived_at, oldest.state) == (at, at, ARCHIVE)
        assert oldest.tags == ("x",)
        assert await titles(stores, person.id, text="note") == ["Read"]

    async def test_nothing_is_fetched_for_them_and_twice_adds_nothing(self, stores: Stores):
        person = await stores.person()
        store = BookmarkStore(stores.front)
        ahead = datetime(2999, 1, 1, tzinfo=UTC)
        pages = [
            ImportedPage(f"https://site.example/{n}", f"Page {n}", ahead) for n in range(1_200)
        ]

        first = await store.add_many(person.id, pages)
        second = await store.add_many(person.id, pages)

        assert (first, second) == (1_200, 0)
        assert await stores.tasks.claim(10) == []
        [newest] = (await store.bookmarks(person.id, WantedBookmarks(limit=1))).bookmarks
        now = await stores.operations.database_time()
        assert now - newest.added_at < timedelta(minutes=5)
        assert newest.enrich_status == "done"

    async def test_pages_of_a_list_follow_one_another(self, stores: Stores):
        person = await stores.person()
        store = BookmarkStore(stores.front)
        await store.add_many(
            person.id, [ImportedPage(f"https://site.example/{n}", f"{n}") for n in range(7)]
        )

        found, cursor = [], None
        while True:
            page = await store.bookmarks(
                person.id, WantedBookmarks(cursor=cursor, limit=3, with_content=True)
            )
            found += [bookmark.title for bookmark in page.bookmarks]
            cursor = page.next_cursor
            if cursor is None:
                break

        assert sorted(found) == [f"{n}" for n in range(7)]
        assert len(set(found)) == 7
