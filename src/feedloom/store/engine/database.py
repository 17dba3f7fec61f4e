"""From a database address to an open, migrated database."""

import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

import structlog

from feedloom.model.errors import ConfigError, SchemaTooNew, StoreUnavailable
from feedloom.store.engine import integrity, migrate, policies, secrets
from feedloom.store.engine.encryption import NO_KEYS, OTHER_KEY, Keys
from feedloom.store.engine.postgres import PostgresDatabase
from feedloom.store.engine.scripts import WORKER, Database
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
    """Bring the schema up to date; answer with the versions applied.

    With ``keys``, what is stored in plain text or under an earlier key is encrypted.
    """
    database = await open_database(worker, worker=True, size=1, patient=True, keys=keys)
    try:
        applied = await database.write(WORKER, migrate.migrate, database.kind)
        if keys.may_encrypt:
            await database.write(WORKER, secrets.encrypt_all, database.kind, keys)
        if database.kind == "postgresql":
            await database.write(WORKER, policies.enforce, web.role, worker.role)
    finally:
        await database.close()
    return applied


async def forget_secrets(worker: DatabaseURL, keys: Keys) -> int:
    """Remove what none of the keys opens; answer how many rows that changed."""
    database = await open_database(worker, worker=True, size=1, patient=True)
    try:
        return await database.write(WORKER, secrets.forget, keys)
    finally:
        await database.close()


async def check_key(database: Database, keys: Keys) -> None:
    """Encrypt nothing with a key that the workers, who upgrade databases, lack."""
    if await database.read(WORKER, secrets.has_unknown_key, keys):
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
    """Look a database over; answer with what is wrong with it.

    With ``keys``, this includes what they cannot open.
    """
    if url.path is not None and not url.path.is_file():
        raise StoreUnavailable(f"There is no database at {url.path} yet.")
    database = await open_database(url, worker=True, size=1, patient=True)
    try:
        found = await database.read(WORKER, integrity.faults, database.kind)
        if keys.may_encrypt and not found:
            found = await database.read(WORKER, secrets.faults, keys)
        return found
    finally:
        await database.close()
