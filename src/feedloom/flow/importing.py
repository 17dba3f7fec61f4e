"""Importing lists of feeds: a file becomes a task, the task goes on where it was killed.

The file is read when it is uploaded, so that a bad one is refused at once. Its rows
travel in the task. Each row is added on its own; one bad row costs only itself, and the
report says why. Rows that an earlier, killed try added are counted once.
"""

import asyncio
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import cast

from feedloom.model.errors import Conflict, FeedloomError, InvalidInput, StoreError
from feedloom.model.importing import ImportRow, ReadOPML
from feedloom.model.ports import FolderStore, SubscriptionStore, TaskQueue
from feedloom.model.reading import User
from feedloom.model.urls import has_credentials, normalise, url_key
from feedloom.model.work import NewTask, Task, TaskKind

LARGEST_FILE = 10_000_000
MOST_ROWS = 50_000
_LONGEST_NAME = 255
_DEEPEST = 20
_REPORT_EVERY = 20
_MOST_FAILURES = 1_000
"""Rows that are listed one by one in the report; the rest is only counted."""


@dataclass(slots=True)
class Report:
    """How far an import is, in the form tasks store."""

    total: int
    done: int = 0
    added: int = 0
    known: int = 0
    failed: int = 0
    failures: list[tuple[int, str, str, str]] = field(default_factory=list)
    """Row, title, address and why."""

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
        report.failures = [(int(row[0]), row[1], row[2], row[3]) for row in rows]
        return report

    def fail(self, number: int, row: ImportRow, why: str) -> None:
        """Note that a row cannot be added."""
        self.failed += 1
        if len(self.failures) < _MOST_FAILURES:
            self.failures.append(
                (number, row.title[:_LONGEST_NAME], row.url[:500], why)
            )


class Importing:
    """Brings lists of feeds in."""

    def __init__(
        self,
        *,
        subscriptions: SubscriptionStore,
        folders: FolderStore,
        tasks: TaskQueue,
        read: ReadOPML,
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
        rows = await asyncio.to_thread(self._read, document)
        if not rows:
            raise InvalidInput("There are no feeds in this file.", field="file")
        if len(rows) > MOST_ROWS:
            raise InvalidInput(
                f"There are more than {MOST_ROWS:,} feeds in this file.", field="file"
            )
        digest = hashlib.sha256(document).hexdigest()[:16]
        return await self._tasks.add(
            NewTask(
                TaskKind.IMPORT,
                {
                    "tenant_id": user.tenant_id,
                    "rows": [[row.url, row.title, list(row.folders)] for row in rows],
                },
                unique_key=f"import:{user.id}:{digest}",
                user_id=user.id,
            )
        )

    async def run(self, task: Task) -> Mapping[str, object]:
        """Add the rows of a task that are not added yet."""
        rows = _rows(task)
        user_id = task.user_id or 0
        tenant_id = cast("int | None", task.payload.get("tenant_id"))
        report = Report.read(task.progress, total=len(rows))
        known = {
            url_key(feed.url): feed.added_at
            for feed in await self._subscriptions.subscriptions(user_id)
            if feed.url
        }
        places: dict[tuple[str, ...], int] = {}
        for number, row in enumerate(rows[report.done :], report.done + 1):
            added = await self._add(user_id, tenant_id, row, places, known, task)
            if added is True:
                report.added += 1
            elif added is False:
                report.known += 1
            else:
                report.fail(number, row, added)
            report.done = number
            if number % _REPORT_EVERY == 0:
                await self._tasks.progress(task, report.stored())
        return report.stored()

    async def _add(
        self,
        user_id: int,
        tenant_id: int | None,
        row: ImportRow,
        places: dict[tuple[str, ...], int],
        known: dict[str, datetime],
        task: Task,
    ) -> bool | str:
        """Add one row: True when new, False when there already, or why it cannot be."""
        try:
            url = _checked(row.url)
            earlier = known.get(url_key(url))
            if earlier is not None:
                return task.created_at is not None and earlier >= task.created_at
            if row.folders not in places:
                places[row.folders] = await self._folders.ensure(user_id, row.folders)
            added = await self._subscriptions.subscribe(
                user_id,
                url,
                title=row.title or None,
                folder_id=places[row.folders],
                tenant_id=tenant_id,
            )
        except Conflict:
            return False
        except StoreError:
            raise
        except FeedloomError as error:
            return str(error)
        # The same address further down in the file is known, not new once more.
        known[url_key(url)] = _LONG_AGO
        return added is not None


_LONG_AGO = datetime.fromisoformat("1970-01-01T00:00:00+00:00")


def _checked(url: str) -> str:
    address = normalise(url)
    if has_credentials(address):
        raise InvalidInput("Addresses with a password in them are not imported.")
    return address


def _rows(task: Task) -> list[ImportRow]:
    stored = cast("list[tuple[str, str, list[str]]]", task.payload["rows"])
    return [
        ImportRow(
            url, _name(title), tuple(filter(None, map(_name, folders[:_DEEPEST])))
        )
        for url, title, folders in stored
    ]


def _name(text: str) -> str:
    return " ".join(text.split())[:_LONGEST_NAME]
