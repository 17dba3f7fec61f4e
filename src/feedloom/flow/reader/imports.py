"""Imports of feed lists: a file becomes a task that resumes after a crash.

The file is read when it is uploaded, so that a bad one is refused at once. Its rows
travel in the task. Feeds that nobody has are added some dozens at once, others one by
one. Invalid rows are skipped and reported with the reason. Rows added by an earlier attempt
that was killed are counted once.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, cast

from feedloom.model.errors import Conflict, FeedloomError, InvalidInput, StoreError, Throttled
from feedloom.model.reader import FeedWish, User
from feedloom.model.urls import url_key
from feedloom.model.work import NewTask, Task, TaskKind
from feedloom.parse import FeedList

if TYPE_CHECKING:
    from feedloom.store import FolderStore, SubscriptionStore, TaskQueue

LARGEST_FILE = 10_000_000
MOST_STORED = 50_000_000
"""Of one person's imports, which are kept for a week."""
_TOO_MUCH = "You imported very large files lately. Try again in a few days."
_LONGEST_NAME = 255
_AT_ONCE = 50
"""Rows that are added together, and then reported."""
_MOST_FAILURES = 1_000
"""Rows that are listed one by one in the report; the rest is only counted."""

ReadList = Callable[[bytes], FeedList]
"""Reads a file; raises ``ParseError`` when it is no list of feeds."""


class ImportRow(NamedTuple):
    url: str
    title: str
    folder: tuple[str, ...]


@dataclass(slots=True)
class Report:
    total: int
    done: int = 0
    added: int = 0
    known: int = 0
    failed: int = 0
    failures: list[tuple[str, str, str]] = field(default_factory=list)
    """Title, address and why."""

    @classmethod
    def read(cls, stored: Mapping[str, object] | None, *, total: int) -> Report:
        if stored is None:
            return cls(total)
        numbers = {name: stored.get(name, 0) for name in ("done", "added", "known", "failed")}
        rows = cast("list[tuple[str, str, str]]", stored.get("failures") or [])
        failures = [(title, url, why) for title, url, why in rows]
        return cls(total, **cast("dict[str, int]", numbers), failures=failures)

    def note(self, row: ImportRow, *, added: bool | str) -> None:
        self.done += 1
        if added is True:
            self.added += 1
        elif added is False:
            self.known += 1
        else:
            self.fail(row.title, row.url, added)

    def fail(self, title: str, url: str, why: str) -> None:
        self.failed += 1
        if len(self.failures) < _MOST_FAILURES:
            self.failures.append((title, url, why))


@dataclass(frozen=True, slots=True, kw_only=True)
class Importing:
    subscriptions: SubscriptionStore
    folders: FolderStore
    tasks: TaskQueue
    read: ReadList

    async def start(self, user: User, document: bytes) -> int:
        """Queue a file's rows; ``ParseError``, ``InvalidInput`` or ``Throttled`` say why not."""
        if not document.strip():
            raise InvalidInput("Choose an OPML file to import.", field="file")
        if len(document) > LARGEST_FILE:
            raise InvalidInput("The file is larger than 10 MB.", field="file")
        found = await asyncio.to_thread(self.read, document)
        if found.truncated:
            raise InvalidInput("This file has too many feeds.", field="file")
        if not found.feeds and not found.rejected:
            raise InvalidInput("This file has no feeds.", field="file")
        if await self.tasks.stored_size(user.id, TaskKind.IMPORT) > MOST_STORED:
            raise Throttled(_TOO_MUCH, retry_after_s=86_400)
        payload = {
            "tenant_id": user.tenant_id,
            "rows": [
                [feed.xml_url, feed.title[:_LONGEST_NAME], list(feed.folder)]
                for feed in found.feeds
            ],
            "rejected": [[row.title, row.address, row.reason] for row in found.rejected],
            "folders": [list(folder) for folder in found.folders],
        }
        key = f"import:{user.id}:{hashlib.sha256(document).hexdigest()[:16]}"
        return await self.tasks.add(NewTask(TaskKind.IMPORT, payload, key, user.id))

    async def run(self, task: Task) -> Mapping[str, object]:
        rows = _rows(task)
        rejected = cast("list[list[str]]", task.payload["rejected"])
        report = Report.read(task.progress, total=len(rows) + len(rejected))
        if task.progress is None:
            for title, url, why in rejected:
                report.fail(title, url, why)
            report.done = len(rejected)
            await self.tasks.progress(task, asdict(report))
        user_id = task.user_id or 0
        for folder in cast("list[list[str]]", task.payload["folders"]):
            try:
                await self.folders.ensure(user_id, tuple(folder))
            except InvalidInput:
                # There are too many: rows that needed one more are reported, each.
                break
        before = report.done - len(rejected)
        own = await self.subscriptions.subscriptions(user_id)
        adding = _Adding(
            self.subscriptions,
            self.folders,
            task,
            known={url_key(feed.url): feed.added_at for feed in own if feed.url},
            seen={url_key(row.url) for row in rows[:before]},
        )
        for start in range(before, len(rows), _AT_ONCE):
            some = rows[start : start + _AT_ONCE]
            for row, added in zip(some, await adding.add(some), strict=True):
                report.note(row, added=added)
            await self.tasks.progress(task, asdict(report))
        return asdict(report)


@dataclass(slots=True)
class _Adding:
    subscriptions: SubscriptionStore
    folders: FolderStore
    task: Task
    known: Mapping[str, datetime]
    """When the person's feeds were added, as it was when this try began."""
    seen: set[str]
    """Addresses of rows that were dealt with, in this try or an earlier one."""
    places: dict[tuple[str, ...], int] = field(default_factory=dict)

    async def add(self, rows: Sequence[ImportRow]) -> list[bool | str]:
        new = await self._add_new(rows)
        return [await self._add_one(row, new) for row in rows]

    async def _add_new(self, rows: Sequence[ImportRow]) -> frozenset[str]:
        wanted: dict[str, ImportRow] = {}
        for row in rows:
            key = url_key(row.url)
            if key not in self.seen and key not in self.known:
                wanted.setdefault(key, row)
        if not wanted:
            return frozenset()
        try:
            wishes = [
                FeedWish(row.url, row.title or None, await self._place(row.folder))
                for row in wanted.values()
            ]
            return await self.subscriptions.subscribe_to_new(
                self.task.user_id or 0, wishes, tenant_id=self._tenant_id
            )
        except StoreError:
            raise
        except FeedloomError:
            # Of which row it is true, and what to say of it, is found out one by one.
            return frozenset()

    async def _add_one(self, row: ImportRow, new: frozenset[str]) -> bool | str:
        key = url_key(row.url)
        if key in self.seen:
            return False
        self.seen.add(key)
        if row.url in new:
            return True
        earlier = self.known.get(key)
        if earlier is not None:
            # An earlier try of this task added it and died before it could say so.
            return self.task.created_at is not None and earlier >= self.task.created_at
        try:
            await self.subscriptions.subscribe(
                self.task.user_id or 0,
                row.url,
                title=row.title or None,
                folder_id=await self._place(row.folder),
                tenant_id=self._tenant_id,
            )
        except Conflict:
            return False
        except StoreError:
            raise
        except FeedloomError as error:
            return str(error)
        return True

    async def _place(self, folder: tuple[str, ...]) -> int:
        if folder not in self.places:
            user_id = self.task.user_id or 0
            self.places[folder] = await self.folders.ensure(user_id, folder)
        return self.places[folder]

    @property
    def _tenant_id(self) -> int | None:
        return cast("int | None", self.task.payload.get("tenant_id"))


def outcomes(task: Task) -> list[tuple[str, str, bool | None]]:
    """Tell title, address and success of each row of an import; None while it waits."""
    failures = Report.read(task.result or task.progress, total=0).failures
    failed = {url for _, url, _ in failures}
    rejected = cast("list[list[str]]", task.payload["rejected"])
    others = None if task.done_at is None else not task.parked
    found: list[tuple[str, str, bool | None]] = [
        (row.title, row.url, False if row.url in failed else others) for row in _rows(task)
    ]
    return found + [(title, url, False) for title, url, _ in rejected]


def _rows(task: Task) -> list[ImportRow]:
    stored = cast("list[tuple[str, str, list[str]]]", task.payload["rows"])
    return [ImportRow(url, title, tuple(folder)) for url, title, folder in stored]
