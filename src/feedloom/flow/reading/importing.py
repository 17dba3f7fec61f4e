"""Importing lists of feeds: a file becomes a task, the task goes on where it was killed.

The file is read when it is uploaded, so that a bad one is refused at once. Its rows
travel in the task. Each row is added on its own; one bad row costs only itself, and the
report says why. Rows that an earlier, killed try added are counted once.
"""

import asyncio
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import cast

from feedloom.model.errors import Conflict, FeedloomError, InvalidInput, StoreError
from feedloom.model.ports import FolderStore, SubscriptionStore, TaskQueue
from feedloom.model.reading import User
from feedloom.model.urls import url_key
from feedloom.model.work import NewTask, Task, TaskKind
from feedloom.parse import FeedList

LARGEST_FILE = 10_000_000
_LONGEST_NAME = 255
_REPORT_EVERY = 20
_MOST_FAILURES = 1_000
"""Rows that are listed one by one in the report; the rest is only counted."""

ReadList = Callable[[bytes], FeedList]
"""Reads a file; raises ``ParseError`` when it is no list of feeds."""


@dataclass(frozen=True, slots=True)
class ImportRow:
    """One feed of a list, as its task carries it."""

    url: str
    title: str
    folder: tuple[str, ...]


@dataclass(slots=True)
class Report:
    """How far an import is, in the form tasks store."""

    total: int
    done: int = 0
    added: int = 0
    known: int = 0
    failed: int = 0
    failures: list[tuple[str, str, str]] = field(default_factory=list)
    """Title, address and why."""

    def stored(self) -> dict[str, object]:
        """Return what is written to the task."""
        return {
            "total": self.total,
            "done": self.done,
            "added": self.added,
            "known": self.known,
            "failed": self.failed,
            "failures": [list(failure) for failure in self.failures],
        }

    @classmethod
    def read(cls, stored: Mapping[str, object] | None, *, total: int) -> "Report":
        """Go on from what a task says."""
        report = cls(total)
        if stored is None:
            return report
        for name in ("done", "added", "known", "failed"):
            value = stored.get(name)
            setattr(report, name, value if isinstance(value, int) else 0)
        rows = cast("list[list[str]]", stored.get("failures") or [])
        report.failures = [(row[0], row[1], row[2]) for row in rows]
        return report

    def fail(self, title: str, url: str, why: str) -> None:
        """Note that a row cannot be added."""
        self.failed += 1
        if len(self.failures) < _MOST_FAILURES:
            self.failures.append((title, url, why))


class Importing:
    """Brings lists of feeds in."""

    def __init__(
        self,
        *,
        subscriptions: SubscriptionStore,
        folders: FolderStore,
        tasks: TaskQueue,
        read: ReadList,
    ) -> None:
        self._subscriptions = subscriptions
        self._folders = folders
        self._tasks = tasks
        self._read = read

    async def start(self, user: User, document: bytes) -> int:
        """Read a file and queue its rows; ``ParseError`` or ``InvalidInput`` otherwise."""
        if not document.strip():
            raise InvalidInput("Choose an OPML file to import.", field="file")
        if len(document) > LARGEST_FILE:
            raise InvalidInput("The file is larger than 10 MB.", field="file")
        found = await asyncio.to_thread(self._read, document)
        if found.truncated:
            raise InvalidInput("There are too many feeds in this file.", field="file")
        if not found.feeds and not found.rejected:
            raise InvalidInput("There are no feeds in this file.", field="file")
        digest = hashlib.sha256(document).hexdigest()[:16]
        return await self._tasks.add(
            NewTask(
                TaskKind.IMPORT,
                _payload(user, found),
                unique_key=f"import:{user.id}:{digest}",
                user_id=user.id,
            )
        )

    async def run(self, task: Task) -> Mapping[str, object]:
        """Add the rows of a task that are not added yet."""
        rows = _rows(task)
        rejected = cast("list[list[str]]", task.payload["rejected"])
        report = Report.read(task.progress, total=len(rows) + len(rejected))
        if task.progress is None:
            for title, url, why in rejected:
                report.fail(title, url, why)
            report.done = len(rejected)
            await self._tasks.progress(task, report.stored())
        await self._make_folders(task)
        before = report.done - len(rejected)
        adding = await self._adding(task, rows[:before])
        for row in rows[before:]:
            added = await adding.add(row)
            if added is True:
                report.added += 1
            elif added is False:
                report.known += 1
            else:
                report.fail(row.title, row.url, added)
            report.done += 1
            if report.done % _REPORT_EVERY == 0:
                await self._tasks.progress(task, report.stored())
        return report.stored()

    async def _make_folders(self, task: Task) -> None:
        for folder in cast("list[list[str]]", task.payload["folders"]):
            try:
                await self._folders.ensure(task.user_id or 0, tuple(folder))
            except InvalidInput:
                # There are too many: rows that needed one more are reported, each.
                return

    async def _adding(self, task: Task, done: Sequence[ImportRow]) -> "_Adding":
        user_id = task.user_id or 0
        known = {
            url_key(feed.url): feed.added_at
            for feed in await self._subscriptions.subscriptions(user_id)
            if feed.url
        }
        return _Adding(
            self._subscriptions,
            self._folders,
            task,
            known=known,
            seen={url_key(row.url) for row in done},
        )


@dataclass(slots=True)
class _Adding:
    """Adds the rows of one task, one after the other."""

    subscriptions: SubscriptionStore
    folders: FolderStore
    task: Task
    known: Mapping[str, datetime]
    """When the person's feeds were added, as it was when this try began."""
    seen: set[str]
    """Addresses of rows that were dealt with, in this try or an earlier one."""
    places: dict[tuple[str, ...], int] = field(default_factory=dict)

    async def add(self, row: ImportRow) -> bool | str:
        """Add one row: True when new, False when there already, or why it cannot be."""
        key = url_key(row.url)
        if key in self.seen:
            return False
        self.seen.add(key)
        earlier = self.known.get(key)
        if earlier is not None:
            # An earlier try of this task added it and died before it could say so.
            return self.task.created_at is not None and earlier >= self.task.created_at
        try:
            await self._subscribe(row)
        except Conflict:
            return False
        except StoreError:
            raise
        except FeedloomError as error:
            return str(error)
        return True

    async def _subscribe(self, row: ImportRow) -> None:
        user_id = self.task.user_id or 0
        if row.folder not in self.places:
            self.places[row.folder] = await self.folders.ensure(user_id, row.folder)
        await self.subscriptions.subscribe(
            user_id,
            row.url,
            title=row.title or None,
            folder_id=self.places[row.folder],
            tenant_id=cast("int | None", self.task.payload.get("tenant_id")),
        )


def _payload(user: User, found: FeedList) -> dict[str, object]:
    return {
        "tenant_id": user.tenant_id,
        "rows": [
            [feed.xml_url, feed.title[:_LONGEST_NAME], list(feed.folder)]
            for feed in found.feeds
        ],
        "rejected": [[row.title, row.address, row.reason] for row in found.rejected],
        "folders": [list(folder) for folder in found.folders],
    }


def _rows(task: Task) -> list[ImportRow]:
    stored = cast("list[tuple[str, str, list[str]]]", task.payload["rows"])
    return [ImportRow(url, title, tuple(folder)) for url, title, folder in stored]
