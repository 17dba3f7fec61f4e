"""From a database address to an open, migrated and checked database."""

import os
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

import structlog

from feedloom.model.errors import ConfigError, SchemaTooNew, StoreUnavailable
from feedloom.store.engine import encryption, migrate, policies
from feedloom.store.engine.encryption import NO_KEYS, OTHER_KEY, Keys
from feedloom.store.engine.postgres import PostgresDatabase
from feedloom.store.engine.scripts import WORKER, Database, Script, sql
from feedloom.store.engine.sqlite import SQLiteDatabase

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class DatabaseURL:
    kind: str
    text: str
    path: Path | None = None
    role: str = ""

    @classmethod
    def parse(cls, text: str, *, password: str = "") -> "DatabaseURL":
        """Check an address; ``password`` fills a PostgreSQL address without one."""
        parts = urlsplit(text)
        match parts.scheme:
            case "sqlite":
                if not parts.path.startswith("/") or len(parts.path) < 2:  # noqa: PLR2004 - "/x"
                    raise ConfigError(_WRONG)
                # Three slashes and a path is relative, four are absolute, as in SQLAlchemy.
                return cls("sqlite", text, path=Path(unquote(parts.path[1:])))
            case "postgresql" | "postgres":
                if not parts.path.strip("/"):
                    raise ConfigError(_WRONG)
                if password and parts.password is None and parts.username:
                    user, _, place = parts.netloc.rpartition("@")
                    parts = parts._replace(netloc=f"{user}:{password}@{place}")
                address = urlunsplit(parts._replace(scheme="postgresql"))
                return cls("postgresql", address, role=unquote(parts.username or ""))
            case _:
                raise ConfigError(_WRONG)

    def __repr__(self) -> str:
        return f"DatabaseURL({self.kind!r}, role={self.role!r}, path={self.path!r})"


_WRONG = (
    "FEEDLOOM_DATABASE_URL must look like sqlite:////var/lib/feedloom/feedloom.db"
    " or postgresql://user@host/database."
)


async def open_database(
    url: DatabaseURL, *, worker: bool, size: int = 8, patient: bool = False, keys: Keys = NO_KEYS
) -> Database:
    """Open a database as web or worker, without looking at its schema.

    A ``patient`` one lets statements take as long as they do: migrations and copies.
    Without ``keys`` encrypted values stay encrypted, and none can be added.
    """
    if url.path is not None:
        try:
            url.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise StoreUnavailable(
                f"The folder {url.path.parent} could not be created: {error.strerror}."
            ) from error
        _make_private(url.path)
        return SQLiteDatabase(url.path, keys)
    database = PostgresDatabase(url.text, worker=worker, size=size, patient=patient, keys=keys)
    await database.open()
    return database


def _make_private(path: Path) -> None:
    """Let nobody else read a database file; SQLite gives its log the same mode."""
    with suppress(OSError):
        # What is wrong with the place is said when SQLite opens the file.
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    for file in (path, *(path.with_name(f"{path.name}-{end}") for end in ("wal", "shm"))):
        try:
            mode = stat.S_IMODE(file.stat().st_mode)
            if not mode & 0o077:
                continue
            file.chmod(mode & 0o700)
        except OSError:
            # It is not there, or not ours to change.
            continue
        if file == path:
            log.warning("database_made_private", path=str(path), was=f"{mode:o}")


async def upgrade(web: DatabaseURL, worker: DatabaseURL, keys: Keys = NO_KEYS) -> list[int]:
    """Bring the schema up to date, and encrypt secrets; answer with the versions applied."""
    async with _opened(worker, keys) as database:
        applied = await database.write(WORKER, migrate.migrate, database.kind)
        if keys.may_encrypt:
            await database.write(WORKER, encryption.encrypt_all, database.kind, keys)
        if database.kind == "postgresql":
            await database.write(WORKER, policies.enforce, web.role, worker.role)
    return applied


@asynccontextmanager
async def _opened(url: DatabaseURL, keys: Keys = NO_KEYS) -> AsyncIterator[Database]:
    database = await open_database(url, worker=True, size=1, patient=True, keys=keys)
    try:
        yield database
    finally:
        await database.close()


async def forget_secrets(worker: DatabaseURL, keys: Keys) -> int:
    """Remove what none of the keys opens; answer how many rows that changed."""
    async with _opened(worker) as database:
        return await database.write(WORKER, encryption.forget_unreadable, keys)


async def check_key(database: Database, keys: Keys) -> None:
    """Encrypt nothing with a key that the workers, who upgrade databases, lack."""
    if await database.read(WORKER, encryption.has_unknown_key, keys):
        keys.may_encrypt = False
        log.error("other_secret_key", why=OTHER_KEY)


async def require_current(database: Database) -> None:
    """Refuse a schema that is older or newer than this program's."""
    version = await database.read(WORKER, migrate.current_version, database.kind)
    wanted = migrate.migrations(database.kind)[-1].version
    if version > wanted:
        raise SchemaTooNew
    if version < wanted:
        raise StoreUnavailable("The database is not up to date. Run `feedloom db upgrade`.")


async def find_faults(url: DatabaseURL, keys: Keys = NO_KEYS) -> list[str]:
    """List what is wrong with a database; with ``keys``, also what they cannot open."""
    if url.path is not None and not url.path.is_file():
        raise StoreUnavailable(f"There is no database at {url.path} yet.")
    async with _opened(url) as database:
        found = await database.read(WORKER, _faults, database.kind)
        if keys.may_encrypt and not found:
            found = await database.read(WORKER, encryption.find_unreadable, keys)
    return found


_INVARIANTS = {
    "article states whose subscription belongs to another person": (
        "SELECT count(*) AS n FROM article_states t JOIN subscriptions s"
        " ON s.id = t.subscription_id WHERE s.user_id <> t.user_id"
    ),
    "feeds without a schedule": (
        "SELECT count(*) AS n FROM feeds f LEFT JOIN feed_schedules s"
        " ON s.feed_id = f.id WHERE s.feed_id IS NULL"
    ),
    "people whose next item number is behind": (
        "SELECT count(*) AS n FROM users u WHERE u.next_item_no <= (SELECT"
        " coalesce(max(item_no), 0) FROM article_states t WHERE t.user_id = u.id)"
    ),
    "people without a root folder": (
        "SELECT count(*) AS n FROM users u WHERE NOT EXISTS (SELECT 1 FROM folders f"
        " WHERE f.user_id = u.id AND f.is_root)"
    ),
    "leases that expired over a day ago": (
        "SELECT count(*) AS n FROM feed_schedules WHERE locked_until < now_us() - 86400000000"
    ),
}

_HOLDS = {
    "tasks": {"payload": "object", "progress": "object", "result": "object"},
    "feed_schedules": {"reason": "object"},
    "hosts": {"in_flight": "array"},
    "users": {"settings": "object"},
    "articles": {"categories": "array", "enclosures": "array"},
    "bookmarks": {"tags": "array"},
    "summaries": {"paragraphs": "object"},
    "view_tokens": {"view": "object"},
    "feed_candidates": {"score_reasons": "object"},
    "cached_feeds": {"item_refs": "array"},
}
"""What the JSON columns hold that the program could not go on without."""
_TYPE = {
    "sqlite": "CASE WHEN json_valid({0}) THEN json_type({0}) ELSE 'none' END",
    "postgresql": "json_typeof(CAST({0} AS JSON))",
}


def _faults(kind: str) -> Script[list[str]]:
    """List what is wrong, each in a sentence; an empty list is good news."""
    version = yield from migrate.current_version(kind)
    wanted = migrate.migrations(kind)[-1].version
    if version != wanted:
        cure = (
            "Run `feedloom db upgrade`."
            if version < wanted
            else "It was created by a newer version of Feedloom. Install that version."
        )
        return [f"The schema has version {version}; this program needs {wanted}. {cure}"]
    found: list[str] = []
    if kind == "sqlite":
        rows = yield sql("PRAGMA integrity_check")
        damaged = [row["integrity_check"] for row in rows if row["integrity_check"] != "ok"]
        found += [f"Damaged: {what}" for what in damaged]
        if rows := (yield sql("PRAGMA foreign_key_check")):
            found.append(f"{len(rows)} rows refer to rows that do not exist.")
    for table, columns in _HOLDS.items():
        for column, wanted_type in columns.items():
            [row] = yield sql(f"""SELECT count(*) AS n FROM {table} WHERE {column} IS NOT NULL
                AND {_TYPE[kind].format(column)} <> '{wanted_type}'""")
            if n := row["n"]:
                found.append(f"{n} rows of {table} have a value in {column} that cannot be read.")
    for name, text in _INVARIANTS.items():
        [row] = yield sql(text)
        if row["n"]:
            found.append(f"There are {row['n']} {name}.")
    return found
