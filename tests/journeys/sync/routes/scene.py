"""What a request of the table meets: one person's feeds, and all that it may change.

The state is read from the store, whole: a row says what it changes, and whatever else
changed is a failure.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from feedloom.model.bookmarks import NewBookmark
from feedloom.model.reader import Order, Subscription, Wanted
from tests.journeys.sync.desk import Desk, Person, Reply
from tests.journeys.sync.routes.forms import Said

State = dict[str, Any]
"""Items, feeds, folders, tags, rules, what is due, bookmarks."""

TITLES = ("one", "two", "three")


@dataclass(frozen=True, slots=True)
class Scene:
    """A person with a feed in a folder, one in the root, and marks on three items.

    Item 1 is unread, 2 is read, 3 is unread and starred, 4 stands in the root; 5 would
    be the next. ``later`` is a tag on 1.
    """

    desk: Desk
    ada: Person
    inside: Subscription
    outside: Subscription
    folder: int
    root: int
    icon: int
    hash: str
    """The hash of item 1's GUID."""
    offered: str
    """A feed that somebody else reads."""
    kept: int
    """The id of a bookmark that has the tags ``paper`` and ``ink``."""
    search: int
    """The id of the saved search ``Numbers``, which finds item 2."""

    async def state(self) -> State:
        """Read all that belongs to the person."""
        user = self.ada.user.id
        stores, container = self.desk.stores, self.desk.container
        everything = Wanted(order=Order.ITEM_ASC, limit=1000, include_hidden=True)
        articles = (await stores.reading.articles(user, everything)).articles
        feeds = await stores.subscriptions.subscriptions(user)
        folders = {f.id: f.path for f in await stores.folders.folders(user)}
        rules = await container.services().rules.store.rules(user)
        due = await stores.rows(
            "SELECT f.url FROM subscriptions s JOIN feeds f ON f.id = s.feed_id"
            " JOIN feed_schedules x ON x.feed_id = f.id"
            " WHERE s.user_id = :user AND x.due_at <= now_us()",
            user=user,
        )
        saved = await stores.rows(
            "SELECT title, state, pinned, tags FROM bookmarks WHERE user_id = :user ORDER BY id",
            user=user,
        )
        searches = await container.services().saved_searches.searches(user)
        return {
            "searches": {search.name for search in searches},
            "items": {a.item_no: _words(a.unread, a.starred, a.hidden) for a in articles},
            "tags": {a.item_no: set(a.tags) for a in articles if a.tags},
            "feeds": {f.url: (f.title, folders.get(f.folder_id, "")) for f in feeds},
            "folders": set(folders.values()),
            "rules": {(r.field, r.pattern) for r in rules},
            "due": {row["url"] for row in due},
            "bookmarks": [
                (r["title"], r["state"], bool(r["pinned"]), *json.loads(r["tags"])) for r in saved
            ],
        }


def _words(unread: bool, starred: bool, hidden: bool) -> str:
    flags = {"unread": unread, "starred": starred, "hidden": hidden}
    return " ".join(word for word, is_set in flags.items() if is_set)


async def set_scene(desk: Desk) -> Scene:
    """Let somebody new move in."""
    ada = await desk.person()
    user = ada.user.id
    inside = await desk.subscribe(ada, *TITLES, folder="Tech", title="Inside")
    outside = await desk.subscribe(ada, "four", title="Outside")
    await desk.give_icon(inside.url, "image/png", b"\x89PNG")
    await desk.stores.reading.mark(user, [2], "read")
    await desk.stores.reading.mark(user, [3], "starred")
    await desk.stores.reading.tag(user, [1], "later")
    page = NewBookmark("https://pages.example/kept", "Kept", tags=("paper", "ink"))
    kept = await desk.container.services().bookmarks.add(user, page)
    await desk.container.indexer().catch_up()
    search = await desk.container.services().saved_searches.save(user, "Numbers", "two")
    offered = await desk.published("elsewhere")
    # Nothing is due: what a request makes due shows, and the next claim is quick.
    await desk.stores.execute(
        "UPDATE feed_schedules SET due_at = now_us() + 1000000000000 WHERE due_at <= now_us()"
    )
    first = await desk.stores.reading.article(user, 1)
    shown = await desk.stores.subscriptions.subscription(user, inside.id)
    assert shown.favicon_id is not None
    return Scene(
        desk,
        ada,
        inside,
        outside,
        folder=inside.folder_id,
        root=outside.folder_id,
        icon=shown.favicon_id,
        hash=first.guid_hash,
        offered=offered,
        kept=kept.bookmark.id,
        search=search.id,
    )


Change = Callable[[Scene, State], None]
"""Turns the state before into the one that must be after."""


@dataclass(frozen=True, slots=True)
class Row:
    """One route with one method: what is said, what comes back, what changes."""

    shows: Callable[[Scene, Reply], object]
    """Whether the answer is right."""
    said: Callable[[Scene], Said] = lambda _: {}
    names: Callable[[Scene], dict[str, object]] = lambda _: {}
    """What the variables of the path are."""
    changes: Change | None = None
    status: int = 200
    document: bool = False
    """Its body is a document, not parameters."""
    operator: bool = False
    works: bool = False
    """A worker does it while the client waits."""


OPML = (
    '<opml version="2.0"><body><outline text="Got">'
    '<outline type="rss" text="Imported" xmlUrl="{url}"/></outline></body></opml>'
)


def marked(change: str, *items: int) -> Change:
    """Say that items become read, unread, starred, unstarred or hidden."""
    word = {"read": "unread", "unstarred": "starred"}.get(change, change)
    adds = word == change

    def apply(_: Scene, state: State) -> None:
        for item in items:
            words = set(state["items"][item].split()) - {word}
            kept = words | ({word} if adds else set())
            if "hidden" in kept:
                kept -= {"unread"}
            order = ("unread", "starred", "hidden")
            state["items"][item] = " ".join(w for w in order if w in kept)

    return apply


def gone(*, starred_stay: bool = True) -> Change:
    """Say that the feed inside is left; its starred item stays, in a feed of its own."""

    def apply(scene: Scene, state: State) -> None:
        del state["feeds"][scene.inside.url]
        for item in (1, 2):
            del state["items"][item]
        state["tags"].clear()
        if starred_stay:
            state["items"][3] = "starred"
            state["feeds"][""] = ("Unsubscribed", "")

    return apply


def renamed(title: str) -> Change:
    """Say that the feed inside gets a title."""

    def apply(scene: Scene, state: State) -> None:
        folder = state["feeds"][scene.inside.url][1]
        state["feeds"][scene.inside.url] = (title, folder)

    return apply


def moved(folder: str) -> Change:
    """Say that the feed inside moves."""

    def apply(scene: Scene, state: State) -> None:
        title = state["feeds"][scene.inside.url][0]
        state["feeds"][scene.inside.url] = (title, folder)

    return apply


def joined(title: str = "A feed", folder: str = "") -> Change:
    """Say that the feed offered is read from now on."""

    def apply(scene: Scene, state: State) -> None:
        state["feeds"][scene.offered] = (title, folder)
        state["items"][5] = "unread"
        # Whoever is new may be the reason that there is news.
        state["due"].add(scene.offered)

    return apply


def both(*changes: Change) -> Change:
    """Say that several things change."""

    def apply(scene: Scene, state: State) -> None:
        for change in changes:
            change(scene, state)

    return apply


def folder_made(path: str) -> Change:
    """Say that there is a new folder."""
    return lambda _, state: state["folders"].add(path)


def folder_gone(path: str = "Tech") -> Change:
    """Say that a folder is no more."""
    return lambda _, state: state["folders"].discard(path)


def due(*urls: Callable[[Scene], str]) -> Change:
    """Say that feeds are to be fetched now."""

    def apply(scene: Scene, state: State) -> None:
        state["due"] |= {url(scene) for url in urls}

    return apply
