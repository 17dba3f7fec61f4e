"""Imports that are killed go on where they were, and end as if nothing had happened."""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast

import pytest

from feedloom.flow.reader.imports import MOST_STORED, Importing
from feedloom.model.errors import InvalidInput, NotAFeed, StoreUnavailable, Throttled
from feedloom.model.reader import FeedWish, Subscription, User
from feedloom.model.work import NewTask, Task, TaskKind
from feedloom.parse import read_opml
from feedloom.store import FolderStore, SubscriptionStore, TaskQueue
from feedloom.store.engine.scripts import WORKER, Insert, Script
from feedloom.store.reader.folders import MOST_FOLDERS
from feedloom.store.reader.subscriptions import MOST_SUBSCRIPTIONS
from tests.stores import Stores

FEEDS = 120
SHARED = range(0, FEEDS, 10)
"""Somebody else has these feeds, so that they are added one by one."""

T = TypeVar("T")


class Killed(BaseException):
    """The process dies here."""


class MortalStore(SubscriptionStore):
    """Writes so many times, then its process dies: before or after the write."""

    lives: int = 10_000

    async def subscribe(self, user_id: int, url: str, **wish: Any) -> Subscription:
        return await self._live(super().subscribe(user_id, url, **wish))

    async def subscribe_to_new(
        self, user_id: int, wishes: Sequence[FeedWish], *, tenant_id: int | None
    ) -> frozenset[str]:
        return await self._live(super().subscribe_to_new(user_id, wishes, tenant_id=tenant_id))

    async def _live(self, write: Coroutine[Any, Any, T]) -> T:
        self.lives -= 1
        if self.lives < 0:
            write.close()
            raise Killed
        made = await write
        if self.lives == 0:
            raise Killed
        return made


def document() -> bytes:
    rows = "".join(
        f'<outline text="Feed {n}" xmlUrl="https://site{n}.example/feed"/>' for n in range(FEEDS)
    )
    return (
        f'<opml><body><outline text="A"><outline text="B">{rows}</outline></outline>'
        '<outline text="Twice" xmlUrl="https://site3.example/feed"/>'
        '<outline text="Bad" xmlUrl="gopher://x"/><outline text="Empty"/></body></opml>'
    ).encode()


def importing(stores: Stores, subscriptions: SubscriptionStore) -> Importing:
    return Importing(
        subscriptions=subscriptions,
        folders=FolderStore(stores.work),
        tasks=stores.tasks,
        read=read_opml,
    )


async def claim(tasks: TaskQueue) -> Task:
    (task,) = [task for task in await tasks.claim(10) if task.kind == "import"]
    return task


async def state(stores: Stores, person: User) -> tuple[object, ...]:
    feeds = await stores.subscriptions.subscriptions(person.id)
    folders = await stores.folders.folders(person.id)
    paths = {folder.id: folder.path for folder in folders}
    return (
        sorted((f.title, f.url, paths.get(f.folder_id, "")) for f in feeds),
        sorted(paths.values()),
    )


@pytest.mark.threat("O6")
@pytest.mark.parametrize("lives", range(len(SHARED) + 3))
async def test_an_import_that_is_killed_ends_the_same(stores: Stores, lives: int):
    person = await stores.person()
    other = await stores.person("bea@example.org")
    for number in SHARED:
        await stores.subscriptions.subscribe(other.id, f"https://site{number}.example/feed")
    mortal = MortalStore(stores.work)
    mortal.lives = lives
    await importing(stores, mortal).start(person, document())
    first = await claim(stores.tasks)

    with pytest.raises(Killed):
        await importing(stores, mortal).run(first)
    await stores.tasks.release([first])
    again = await claim(stores.tasks)
    report = await importing(stores, SubscriptionStore(stores.work)).run(again)

    feeds, folders = await state(stores, person)
    assert isinstance(feeds, list)
    assert len(feeds) == FEEDS
    assert {folder for _, _, folder in feeds} == {"A/B"}
    assert folders == ["A", "A/B", "Empty"]
    assert (report["added"], report["known"], report["failed"]) == (FEEDS, 1, 1)
    assert (report["done"], report["total"]) == (FEEDS + 2, FEEDS + 2)


@pytest.mark.threat("O5", "Q12")
async def test_the_same_file_twice_at_once_is_one_task(stores: Stores):
    person = await stores.person()
    work = importing(stores, SubscriptionStore(stores.work))

    first = await work.start(person, document())
    second = await work.start(person, document())

    assert first == second


async def test_feeds_that_are_there_stay_where_they_are(stores: Stores):
    person = await stores.person()
    await stores.subscriptions.subscribe(person.id, "https://site7.example/feed", title="Mine")
    work = importing(stores, SubscriptionStore(stores.work))
    await work.start(person, document())

    report = await work.run(await claim(stores.tasks))

    feeds = await stores.subscriptions.subscriptions(person.id)
    mine = next(f for f in feeds if f.url == "https://site7.example/feed")
    assert (mine.title, mine.in_root) == ("Mine", True)
    assert (report["added"], report["known"]) == (FEEDS - 1, 2)


class GoneStore(SubscriptionStore):
    """A database that is not there."""

    async def subscribe_to_new(self, *_: Any, **__: Any) -> frozenset[str]:
        raise StoreUnavailable


@pytest.mark.threat("O6")
async def test_a_database_that_is_gone_is_no_reason_to_refuse_rows(stores: Stores):
    person = await stores.person()
    work = importing(stores, GoneStore(stores.work))
    await work.start(person, document())
    task = await claim(stores.tasks)

    with pytest.raises(StoreUnavailable):
        await work.run(task)


async def crowded(stores: Stores, person: User, insert: Callable[[int], Insert]) -> None:
    """Give somebody many rows that name their root folder."""
    [root] = await stores.rows(
        "SELECT id FROM folders WHERE user_id = :id AND is_root", id=person.id
    )

    def fill() -> Script[None]:
        yield insert(root["id"])

    await stores.work.write(WORKER, fill)


def refused(report: Mapping[str, object]) -> list[str]:
    """Return the titles of rows that could not be added."""
    return [title for title, *_ in cast("list[list[str]]", report["failures"])]


@pytest.mark.threat("W9")
async def test_a_folder_too_many_costs_only_the_rows_in_it(stores: Stores):
    person = await stores.person()
    await crowded(
        stores,
        person,
        lambda root: Insert(
            "folders",
            ("user_id", "parent_id", "name"),
            [(person.id, root, str(n)) for n in range(MOST_FOLDERS)],
        ),
    )
    listed = (
        '<opml><body><outline text="New"><outline text="In it"'
        ' xmlUrl="https://in.example/feed"/></outline>'
        '<outline text="Beside" xmlUrl="https://beside.example/feed"/></body></opml>'
    )
    work = importing(stores, SubscriptionStore(stores.work))
    await work.start(person, listed.encode())

    report = await work.run(await claim(stores.tasks))

    feeds = await stores.subscriptions.subscriptions(person.id)
    assert [feed.title for feed in feeds] == ["Beside"]
    assert (report["added"], report["failed"]) == (1, 1)
    assert refused(report) == ["In it"]


@pytest.mark.threat("W9")
async def test_a_list_is_added_up_to_the_quota(stores: Stores):
    person = await stores.person()
    await crowded(
        stores,
        person,
        lambda root: Insert(
            "subscriptions",
            ("user_id", "folder_id", "added_at"),
            [(person.id, root, 0) for _ in range(MOST_SUBSCRIPTIONS - 2)],
        ),
    )
    rows = "".join(f'<outline text="{n}" xmlUrl="https://site{n}.example/feed"/>' for n in range(5))
    work = importing(stores, SubscriptionStore(stores.work))
    await work.start(person, f"<opml><body>{rows}</body></opml>".encode())

    report = await work.run(await claim(stores.tasks))

    [left] = await stores.rows("SELECT count(*) AS n FROM feeds")
    assert (report["added"], report["failed"]) == (2, 3)
    assert refused(report) == ["2", "3", "4"]
    assert left["n"] == 2


async def test_what_is_no_list_is_refused_when_it_is_given(stores: Stores):
    person = await stores.person()
    work = importing(stores, SubscriptionStore(stores.work))

    with pytest.raises(NotAFeed):
        await work.start(person, b"<html></html>")
    with pytest.raises(InvalidInput):
        await work.start(person, b"  ")
    with pytest.raises(InvalidInput):
        await work.start(person, b"<opml><body/></opml>")
    with pytest.raises(InvalidInput):
        await work.start(person, b"x" * 10_000_001)


@pytest.mark.threat("O1")
async def test_a_list_with_too_many_rows_is_refused(stores: Stores):
    person = await stores.person()
    work = Importing(
        subscriptions=stores.subscriptions,
        folders=stores.folders,
        tasks=stores.tasks,
        read=lambda body: replace(read_opml(body), truncated=True),
    )

    with pytest.raises(InvalidInput, match="too many"):
        await work.start(person, document())


@pytest.mark.threat("W9")
async def test_imports_that_are_kept_take_only_so_much(stores: Stores):
    ada, bea = await stores.person(), await stores.person("bea@example.org")
    work = importing(stores, SubscriptionStore(stores.work))
    kept = NewTask(TaskKind.IMPORT, {"rows": "x" * MOST_STORED}, "kept", ada.id)
    await stores.tasks.add(kept)

    with pytest.raises(Throttled):
        await work.start(ada, document())

    assert await work.start(bea, document())
