"""Programs that other people wrote, against a running server.

newsboat (Nextcloud News and Miniflux modes), the published Python clients of Miniflux,
Fever and Google Reader. What they change must arrive here, and the other way round.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import freshrss_api
import libgreader
import miniflux
import pytest
from libgreader.url import ReaderUrl

from feedloom.app import Container
from feedloom.model.reader import Article, Order, User, Wanted
from feedloom.store import ReadingStore
from tests.factories_feeds import entries
from tests.journeys.sync.newsboat import Newsboat
from tests.publisher import Answer, Publisher
from tests.serving import Server, publisher, server

__all__ = ["publisher", "server"]

EMAIL = "ada@example.org"


@dataclass(slots=True)
class Setting:
    """A server with one person, a feed in a folder and one in the root."""

    server: Server
    publisher: Publisher
    user: User
    secret: str

    async def states(self) -> dict[str, tuple[bool, bool]]:
        """Tell which titles are unread and starred."""

        async def look(container: Container) -> tuple[Article, ...]:
            wanted = Wanted(order=Order.ITEM_ASC, limit=1000)
            store = ReadingStore(container.web)
            return (await store.articles(self.user.id, wanted)).articles

        found = await self.server.call(look)
        return {a.title: (a.unread, a.starred) for a in found}

    async def mark(self, title: str, mark: str) -> None:
        """Mark something as another device would."""

        async def set_mark(container: Container) -> None:
            store = ReadingStore(container.web)
            page = await store.articles(self.user.id, Wanted(limit=1000))
            items = [a.item_no for a in page.articles if a.title == title]
            await store.mark(self.user.id, items, mark)

        await self.server.call(set_mark)


@pytest.fixture
async def setting(server: Server, publisher: Publisher) -> Setting:
    blog = publisher.feed("/blog.xml", title="Blog & Söhne")
    news = publisher.feed("/news.xml", title="News", kind="atom", entries=entries(3, start=11))

    async def move_in(container: Container) -> tuple[User, str]:
        user = await container.accounts.store.create(EMAIL, None)
        _, secret = await container.accounts.add_app_password(user, "client")
        folder = await container.folders().ensure(user.id, ("Tech",))
        await container.subscribing().add(user, blog, exact=True, folder_id=folder)
        await container.subscribing().add(user, news, exact=True)
        return user, secret

    user, secret = await server.call(move_in)
    await server.refresh_all()
    return Setting(server, publisher, user, secret)


async def test_newsboat_syncs_with_nextcloud_news(setting: Setting, tmp_path: Path):
    newsboat = Newsboat.configure(
        tmp_path / "newsboat",
        "ocnews",
        f'ocnews-url "{setting.server.url}"',
        f'ocnews-login "{EMAIL}"',
        f'ocnews-password "{setting.secret}"',
        'ocnews-flag-star "s"',
    )
    assert await asyncio.to_thread(newsboat.reload) == "6 unread articles"
    assert "Blog & Söhne" in newsboat.feeds()
    assert set(newsboat.articles().values()) == {True}

    await setting.mark("Entry 2", "read")
    setting.publisher.bump("/blog.xml")
    await setting.server.refresh_all()
    said = await asyncio.to_thread(newsboat.reload)

    shown = newsboat.articles()
    states = await setting.states()
    assert shown == {title: unread for title, (unread, _) in states.items()}
    assert said == f"{sum(shown.values())} unread articles"

    # The list starts with newsboat's own "Starred"; the newest article is on top.
    keys = [
        ("Your feeds", "\x1bOB\n"),
        ("Articles in feed", "N"),
        ("Toggling read flag", "\x05"),
        ("Flags:", "s\n"),
        ("updated", "q"),
        ("Your feeds", "q"),
    ]
    await asyncio.to_thread(newsboat.press, keys)

    after = await setting.states()
    assert [t for t in after if states[t][0] and not after[t][0]] == ["Entry 1001"]
    assert [t for t in after if after[t][1]] == ["Entry 3"]
    assert await asyncio.to_thread(newsboat.reload) == "5 unread articles"


@pytest.mark.parametrize("source", ["ocnews", "miniflux"])
async def test_newsboat_reads_what_names_no_author_and_no_kind_of_file(
    setting: Setting, tmp_path: Path, source: str
):
    bare = setting.publisher.script("/bare.xml", [Answer(body=BARE, headers=RSS)])

    async def subscribe(container: Container) -> None:
        await container.subscribing().add(setting.user, bare, exact=True)

    await setting.server.call(subscribe)
    await setting.server.refresh_all()
    newsboat = Newsboat.configure(
        tmp_path / "newsboat",
        source,
        f'{source}-url "{setting.server.url}/"',  # as it stands in a browser
        f'{source}-login "{EMAIL}"',
        f'{source}-password "{setting.secret}"',
    )

    assert await asyncio.to_thread(newsboat.reload) == "7 unread articles"


BARE = (
    b'<rss version="2.0"><channel><title>Bare</title><item><title>Only this</title>'
    b'<guid isPermaLink="false">1</guid><enclosure url="https://files.example/x"/>'
    b"</item></channel></rss>"
)
RSS = {"Content-Type": "application/rss+xml"}


async def test_newsboat_syncs_with_miniflux(setting: Setting, tmp_path: Path):
    newsboat = Newsboat.configure(
        tmp_path / "newsboat",
        "miniflux",
        f'miniflux-url "{setting.server.url}"',
        f'miniflux-login "{EMAIL}"',
        f'miniflux-password "{setting.secret}"',
    )
    assert await asyncio.to_thread(newsboat.reload) == "6 unread articles"

    await setting.mark("Entry 1", "read")
    await asyncio.to_thread(newsboat.reload)
    states = await setting.states()
    assert newsboat.articles() == {t: unread for t, (unread, _) in states.items()}

    # From 2.35 on it has stars in this mode, and a list of them before all feeds.
    has_stars = newsboat.lists_stars()
    star: list[tuple[str, str]] = []
    if has_stars:
        newsboat.say('miniflux-flag-star "s"')
        newsboat.say("confirm-mark-feed-read no")
        star = [("Articles in feed", "\x05"), ("Flags:", "s\n"), ("updated", "A")]
    keys = [
        ("Your feeds", "\x1bOB\n" if has_stars else "\n"),
        *(star or [("Articles in feed", "A")]),
        ("Marking feed read", "q"),
        ("Your feeds", "q"),
    ]
    await asyncio.to_thread(newsboat.press, keys)

    after = await setting.states()
    left = [title for title, (unread, _) in after.items() if unread]
    assert left == ["Entry 11", "Entry 12", "Entry 13"]
    assert len([title for title, (_, starred) in after.items() if starred]) == len(star[:1])


async def test_a_homepage_is_enough_to_add_a_feed(setting: Setting):
    feed = setting.publisher.feed("/site/feed.xml", title="Site", host="127.0.0.4")
    link = '<link rel="alternate" type="application/rss+xml" href="/site/feed.xml">'
    home = setting.publisher.page("/", f"<title>S</title>{link}", host="127.0.0.4")
    program = await setting.server.program(EMAIL)
    path = "/index.php/apps/news/api/v1-3/feeds"

    async with working(setting.server):
        added = await program.post(path, json={"url": home, "folderId": None})
    again = await program.post(path, json={"url": home})
    nothing = await program.post(path, json={"url": "http://127.0.0.1:9/"})

    assert (added.status, added.json()["feeds"][0]["url"]) == (200, feed)
    assert again.status == 409
    assert (nothing.status, list(nothing.json())) == (422, ["message"])


async def test_newsboat_is_refused_with_a_wrong_password(setting: Setting, tmp_path: Path):
    newsboat = Newsboat.configure(
        tmp_path / "newsboat",
        "ocnews",
        f'ocnews-url "{setting.server.url}"',
        f'ocnews-login "{EMAIL}"',
        'ocnews-password "wrong"',
    )

    with pytest.raises(AssertionError, match="Authentication failed"):
        await asyncio.to_thread(newsboat.reload)


def read_with_miniflux(client: miniflux.Client) -> None:
    """Read and mark as the published Miniflux client does."""
    assert client.me()["username"] == EMAIL
    assert client.get_version()["version"]
    found = client.get_entries(order="id", direction="asc")
    assert found["total"] == len(found["entries"]) == 6
    entries = found["entries"]
    first = next(one for one in entries if one["feed"]["title"] == "Blog & Söhne")
    assert client.get_entry(first["id"]) == first
    assert client.get_feed_entry(first["feed_id"], first["id"]) == first
    assert client.update_entries([first["id"]], "read")
    assert client.toggle_bookmark(first["id"])
    assert client.save_entry(first["id"])
    assert client.fetch_entry_content(first["id"])["content"] == first["content"]
    changed = client.get_entry(first["id"])
    assert (changed["status"], changed["starred"]) == ("read", True)
    assert client.get_entries(starred=True)["total"] == 1
    assert sum(client.get_feed_counters()["unreads"].values()) == 5
    client.mark_feed_entries_as_read(first["feed_id"])
    assert client.get_entries(status="unread")["total"] == 3


def manage_with_miniflux(client: miniflux.Client, url: str) -> None:
    """Manage feeds as the published Miniflux client does."""
    feeds = {feed["title"]: feed for feed in client.get_feeds()}
    assert set(feeds) == {"Blog & Söhne", "News"}
    assert feeds["Blog & Söhne"]["category"]["title"] == "Tech"
    category = client.create_category("Later")
    client.update_feed(feeds["News"]["id"], category_id=category["id"], title="Neu")
    assert client.get_feed(feeds["News"]["id"])["title"] == "Neu"
    assert len(client.get_category_entries(category["id"])["entries"]) == 3
    client.mark_category_entries_as_read(category["id"])
    with pytest.raises(miniflux.ClientError, match="just now"):
        client.refresh_all_feeds()
    assert client.refresh_feed(feeds["News"]["id"])
    assert [found["url"] for found in client.discover(url)][:1] == [url]
    made = client.create_feed(url, category_id=category["id"])
    assert client.get_feed(made)["feed_url"] == url
    assert url in client.export_feeds()
    with pytest.raises(miniflux.BadRequest):
        client.create_feed(url)
    client.delete_feed(made)
    with pytest.raises(miniflux.ResourceNotFound):
        client.get_feed(made)
    assert len(client.get_category_feeds(category["id"])) == 1
    entry = client.get_category_entries(category["id"], limit=1)["entries"][0]
    assert client.get_category_entry(category["id"], entry["id"]) == entry
    assert client.refresh_category(category["id"])
    client.update_category(category["id"], "Much later")
    client.delete_category(category["id"])
    assert [feed["title"] for feed in client.get_feeds()] == ["Blog & Söhne"]


def move_with_miniflux(client: miniflux.Client, url: str) -> None:
    """Take lists in and out and look at what surrounds entries."""
    outline = f'<outline type="rss" text="More" xmlUrl="{url}"/></body>'
    client.import_feeds(client.export_feeds().replace("</body>", outline))
    feeds = {feed["title"]: feed for feed in client.get_feeds()}
    assert set(feeds) == {"Blog & Söhne", "More"}
    with pytest.raises(miniflux.ResourceNotFound):
        client.get_feed_icon(feeds["More"]["id"])
    with pytest.raises(miniflux.ResourceNotFound):
        client.get_enclosure(100)
    client.delete_feed(feeds["More"]["id"])
    assert client.get_integrations_status() is True
    client.mark_user_entries_as_read(client.me()["id"])
    assert client.get_entries(status="unread")["total"] == 0


@asynccontextmanager
async def working(server: Server) -> AsyncIterator[None]:
    """Let a worker fetch new feeds and do tasks meanwhile, as in every installation."""

    async def drain(container: Container) -> None:
        worker = container.worker()
        await worker.feed_loop().drain()
        await worker.task_loop().drain()

    async def work() -> None:
        while True:
            await server.call(drain)
            await asyncio.sleep(0.05)

    task = asyncio.create_task(work())
    yield
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


async def test_the_published_miniflux_client(setting: Setting):
    more = setting.publisher.feed("/more.xml", title="More", host="127.0.0.3")

    def use() -> None:
        with miniflux.Client(setting.server.url, api_key=setting.secret) as client:
            read_with_miniflux(client)
            manage_with_miniflux(client, more)
            move_with_miniflux(client, more)
        with miniflux.Client(setting.server.url, EMAIL, setting.secret) as client:
            client.me()
        with (
            miniflux.Client(setting.server.url, api_key="wrong") as client,
            pytest.raises(miniflux.AccessUnauthorized),
        ):
            client.me()

    async with working(setting.server):
        await asyncio.to_thread(use)

    assert await setting.states() == {
        "Entry 1": (False, True),
        "Entry 2": (False, False),
        "Entry 3": (False, False),
    }


def use_fever(url: str, secret: str) -> dict[str, list[int]]:
    """Do what the published Fever client can do."""
    client = freshrss_api.FreshRSSAPI(host=url, username=EMAIL, password=secret)
    feeds = client.get_feeds()
    assert {feed["title"] for feed in feeds["feeds"]} == {"Blog & Söhne", "News"}
    groups = client.get_groups()
    assert [group["title"] for group in groups["groups"]] == ["Tech"]
    unread = client.get_unreads()
    assert len(unread) == 6
    assert unread[0].html
    answer = client.set_mark("read", unread[0].id)
    assert str(unread[0].id) not in answer["unread_item_ids"].split(",")
    client.set_mark("saved", unread[1].id)
    client.set_mark("saved", unread[1].id)
    saved = [item.id for item in client.get_saved()]
    left = [item.id for item in client.get_unreads()]
    with pytest.raises(freshrss_api.AuthenticationError):
        freshrss_api.FreshRSSAPI(host=url, username=EMAIL, password="wrong")
    return {"saved": saved, "left": left}


async def test_the_published_fever_client(setting: Setting):
    found = await asyncio.to_thread(use_fever, setting.server.url, setting.secret)

    states = list((await setting.states()).values())
    assert states[0] == (False, False)
    assert states[1] == (True, True)
    assert found == {"saved": [2], "left": [2, 3, 4, 5, 6]}


def use_google_reader(url: str, secret: str) -> list[str]:
    """Do what the published Google Reader client can do."""
    auth = libgreader.ClientAuthMethod(EMAIL, secret)
    reader = libgreader.GoogleReader(auth)
    assert reader.getUserInfo()["userName"] == EMAIL
    assert reader.buildSubscriptionList()
    feeds = {feed.title: feed for feed in reader.getFeeds()}
    assert set(feeds) == {"Blog & Söhne", "News"}
    assert [category.label for category in reader.getCategories()] == ["Tech"]
    assert feeds["News"].unread == 3
    blog = feeds["Blog & Söhne"]
    blog.loadItems()
    assert len(blog.getItems()) == 3
    first = blog.getItems()[0]
    first.markRead()
    first.markStarred()
    reader.markFeedAsRead(feeds["News"])
    assert reader.subscribe("feed/" + url) is True
    assert reader.unsubscribe("feed/" + url) is True
    return [first.title]


async def test_the_published_google_reader_client(
    setting: Setting, monkeypatch: pytest.MonkeyPatch
):
    # It knows only one server, which is gone.
    base = f"{setting.server.url}/api/greader.php"
    login = f"{base}/accounts/ClientLogin"
    monkeypatch.setattr(libgreader.ClientAuthMethod, "CLIENT_URL", login)
    for name, value in vars(ReaderUrl).items():
        if isinstance(value, str) and value.startswith("https://www.google.com/reader"):
            own = value.replace("https://www.google.com", base)
            monkeypatch.setattr(ReaderUrl, name, own)
    more = setting.publisher.feed("/more.xml", title="More", host="127.0.0.3")

    async with working(setting.server):
        marked = await asyncio.to_thread(use_google_reader, more, setting.secret)

    states = await setting.states()
    assert marked == ["Entry 3"]
    assert [t for t, (unread, _) in states.items() if unread] == ["Entry 1", "Entry 2"]
    assert [t for t, (_, starred) in states.items() if starred] == marked
