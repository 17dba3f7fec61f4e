"""Transaction scripts: generators that yield statements and receive rows.

For example::

    def rename(user_id: int, folder_id: int, name: str) -> Script[bool]:
        text = "UPDATE folders SET name = :name WHERE id = :id AND user_id = :user RETURNING id"
        rows = yield sql(text, name=name, id=folder_id, user=user_id)
        return bool(rows)

A script never touches a connection, so the same function runs on SQLite (driven whole on the
database thread) and on PostgreSQL (driven by asyncpg). It may be run again from its start after
a deadlock, so it must have no effects of its own.
"""

from collections.abc import Awaitable, Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ParamSpec, Protocol, TypeVar, cast

import msgspec

P = ParamSpec("P")
T = TypeVar("T")

Row = Mapping[str, Any]
"""Rows are read by column name; a value's type is that of its column."""


class Query(msgspec.Struct, frozen=True):
    """One statement with named parameters; answers with its rows."""

    text: str
    params: Mapping[str, object]


class PerEngine(msgspec.Struct, frozen=True):
    sqlite: str
    postgresql: str


class Search(msgspec.Struct, frozen=True):
    text: str
    params: Mapping[str, object]
    match: PerEngine


class Many(msgspec.Struct, frozen=True):
    """One statement run for many sets of parameters; answers with no rows."""

    text: str
    rows: Sequence[Mapping[str, object]]


class Insert(msgspec.Struct, frozen=True):
    """Many rows into one table in few statements; answers with ``returning``."""

    table: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[object, ...]]
    tail: str = ""
    """What follows the values: ``ON CONFLICT …``, ``RETURNING …``."""
    returning: tuple[str, ...] = ()
    """Columns of the new rows to answer with: a quicker way where the tail changes none
    that are there, and ``id`` grows."""
    has_secrets: bool = False
    """Some of the values are a ``Secret``."""


@dataclass(frozen=True, slots=True)
class SetUser:
    """From here on the transaction sees this person's rows; answers with no rows."""

    user_id: int


@dataclass(frozen=True, slots=True)
class NotifyWorkers:
    """When this transaction commits, workers look for work at once; no rows."""


@dataclass(frozen=True, slots=True)
class ForceCustomPlan:
    """Plan what follows for its own values: a rare word needs another plan than a common one."""


Statement = Query | Search | Many | Insert | SetUser | NotifyWorkers | ForceCustomPlan
Script = Generator[Statement, Sequence[Row], T]


def by_name(row: Row) -> dict[str, Any]:
    """Return a row whose columns are found at once; SQLite's rows compare name after name."""
    return dict(zip(row.keys(), cast("Iterable[Any]", row), strict=True))


def sql(text: str, /, **params: object) -> Query:
    return Query(text, params)


def search(match: PerEngine, text: str, /, **params: object) -> Search:
    return Search(text, params, match)


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose rows a transaction may see; row-level security reads it on PostgreSQL."""

    user_id: int | None = None
    credential: str | None = None
    """A token's hash or a case-folded email, to find the person it belongs to."""
    operator: bool = False


WORKER = Scope()
"""For connections of the worker role, which see everything."""


class Database(Protocol):
    """A database that runs scripts. Raises ``StoreError`` and its kinds only."""

    kind: str
    """``sqlite`` or ``postgresql``."""

    async def write(
        self, scope: Scope, steps: Callable[P, Script[T]], *args: P.args, **kwargs: P.kwargs
    ) -> T: ...

    async def read(
        self, scope: Scope, steps: Callable[P, Script[T]], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run a script that only reads, on one consistent snapshot."""
        ...

    async def nudges(self, heard: Callable[[], None]) -> Callable[[], Awaitable[None]]:
        """Call ``heard`` at each nudge; answer with how to stop. A nudge may be missed."""
        ...

    async def close(self) -> None: ...
