"""What articles said before: kept with a refresh, shown to its readers, forgotten."""

import zlib
from datetime import timedelta

import pytest
from msgspec.structs import replace

from feedloom.model.feed import CleanHTML
from feedloom.model.reader import Role, Wanted
from feedloom.model.stages import NewRevision, Wording
from feedloom.store import RevisionStore
from feedloom.store.ingest.arrivals import MOST_REVISIONS
from tests.fakes import START
from tests.stores import Stores, article, refreshed

URL = "https://site.example/feed.xml"


async def rewrite(stores: Stores, before: str, after: str, *, number: int = 1) -> None:
    """Let the publisher change the headline of the article ``one``, and its text."""
    old = article("one")
    new = old._replace(title=after, content=CleanHTML(after), content_hash=f"hash {number}")
    feed = await stores.claim(URL)
    kept = {old.guid_hash: NewRevision(before, zlib.compress(f"Told {before}".encode()))}
    at = START + timedelta(hours=number)
    await stores.refreshes.store(replace(refreshed(feed, (new,), at=at), revisions=kept))


@pytest.fixture
async def reader(stores: Stores) -> int:
    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, URL)
    await stores.deliver(URL, "one", "two")
    await rewrite(stores, "one", "one and a half")
    return ada.id


async def test_a_revision_is_kept_and_the_article_is_marked(stores: Stores, reader: int):
    page = await stores.reading.articles(reader, Wanted())
    [kept] = await RevisionStore(stores.front).of_articles(reader, [1], 50)

    changed = {a.title: a.changed_at for a in page.articles}
    assert changed == {"one and a half": START + timedelta(hours=1), "two": None}
    assert (kept.title, kept.text, kept.item_no) == ("one", "Told one", 1)


async def test_changed_articles_are_searched_and_listed(stores: Stores, reader: int):
    async def titles(**wanted: object) -> list[str]:
        page = await stores.reading.articles(reader, Wanted(**wanted))  # type: ignore[arg-type]
        return [a.title for a in page.articles]

    assert await titles(text="is:changed") == ["one and a half"]
    assert await titles(changed=True) == ["one and a half"]
    assert await titles(changed=False) == ["two"]
    assert await RevisionStore(stores.front).latest(reader, 10) == [1]
    assert await stores.reading.count(reader, Wanted(changed=True)) == 1


async def test_what_stored_articles_say_is_told_by_guid(stores: Stores, reader: int):
    feed = await stores.claim(URL)
    two = article("two")

    found = await stores.refreshes.wordings(feed.feed_id, [two.guid_hash, "unknown"])

    assert found == {two.guid_hash: Wording("two", "two", CleanHTML("<p>two</p>"))}


async def test_of_one_article_the_latest_revisions_are_kept(stores: Stores, reader: int):
    for number in range(MOST_REVISIONS + 3):
        await rewrite(stores, f"old {number}", f"new {number}", number=number + 2)

    kept = await RevisionStore(stores.front).of_articles(reader, [1], 50)
    last = await RevisionStore(stores.front).of_articles(reader, [1], 2)

    assert [r.title for r in kept] == [f"old {n}" for n in range(3, MOST_REVISIONS + 3)]
    assert last == kept[-2:]


@pytest.mark.threat("A8")
async def test_nobody_sees_revisions_of_articles_that_are_not_theirs(stores: Stores, reader: int):
    bob = await stores.person("bob@example.org")
    await stores.subscriptions.subscribe(bob.id, "https://other.example/feed.xml")
    await stores.deliver("https://other.example/feed.xml", "other")
    store = RevisionStore(stores.front)

    assert await store.of_articles(bob.id, [1, 2], 50) == []
    assert await store.latest(bob.id, 10) == []
    assert await stores.reading.count(bob.id, Wanted(changed=True)) == 0


async def test_revisions_go_when_they_are_old(stores: Stores, reader: int):
    store = RevisionStore(stores.front)
    await stores.execute("UPDATE revisions SET changed_at = now_us() - 864000000000")
    await rewrite(stores, "one and a half", "two halves", number=200_000)

    await stores.cleanup.forget_revisions(9)
    assert [r.title for r in await store.of_articles(reader, [1], 50)] == ["one and a half"]
    await stores.execute("UPDATE revisions SET changed_at = now_us()")
    await stores.cleanup.forget_revisions(0)

    assert await store.of_articles(reader, [1], 50) == []
    assert (await stores.reading.article(reader, 1)).changed_at is None


async def test_revisions_go_with_the_last_person_who_could_read_them(stores: Stores, reader: int):
    bob = await stores.person("bob@example.org")
    await stores.subscriptions.subscribe(bob.id, URL)
    left = "SELECT count(*) AS n FROM revisions"
    await stores.execute("UPDATE revisions SET changed_at = now_us()")

    await stores.accounts.set_role(bob.id, Role.OPERATOR)
    await stores.accounts.delete(reader)
    await stores.cleanup.forget_revisions(90)
    assert (await stores.rows(left))[0]["n"] == 1
    [subscription] = await stores.subscriptions.subscriptions(bob.id)
    await stores.subscriptions.unsubscribe(bob.id, subscription.id)
    await stores.cleanup.forget_revisions(90)

    assert (await stores.rows(left))[0]["n"] == 0


async def test_revisions_go_with_their_feed(stores: Stores, reader: int):
    await stores.execute("DELETE FROM feeds")

    assert (await stores.rows("SELECT count(*) AS n FROM revisions"))[0]["n"] == 0
