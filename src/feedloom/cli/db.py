"""``feedloom db``: the schema, its health, copies and backups."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote

import typer

from feedloom.cli.output import AsJSON, err, out, run, show
from feedloom.config import load
from feedloom.model.errors import StoreError

if TYPE_CHECKING:
    from feedloom.store import TableCopy

program = typer.Typer(help="The database: upgrade, check, back up, copy.", no_args_is_help=True)


@program.command()
def upgrade() -> None:
    """Upgrade the schema. `serve` and `worker` do this automatically."""
    from feedloom.factories import database_urls, encryption_keys
    from feedloom.store import upgrade as upgrade_schema

    settings = load()
    applied = run(upgrade_schema(*database_urls(settings), encryption_keys(settings)))
    if applied:
        steps = "1 step" if len(applied) == 1 else f"{len(applied)} steps"
        out.print(f"Upgraded the schema to version {applied[-1]} in {steps}.")
    else:
        out.print("The schema is up to date.")


@program.command()
def check() -> None:
    """Check the database: file, schema and references between rows."""
    from feedloom.factories import database_urls, encryption_keys
    from feedloom.store import find_faults

    settings = load()
    found = run(find_faults(database_urls(settings)[1], encryption_keys(settings)))
    if found:
        raise StoreError(" ".join(found))
    out.print("The database is OK.")


@program.command()
def copy(
    source: Annotated[str, typer.Argument(help="Database address to copy from.")],
    target: Annotated[str, typer.Argument(help="Empty database address to copy to.")],
    *,
    as_json: AsJSON = False,
) -> None:
    """Copy an installation between SQLite and PostgreSQL and verify the copy.

    Example: feedloom db copy sqlite:////var/lib/feedloom/feedloom.db postgresql://me@db/feedloom
    """
    _show(_copy(source, target), as_json=as_json)


@program.command()
def backup(
    file: Annotated[Path, typer.Argument(help="File to write. It must not exist yet.")],
    *,
    as_json: AsJSON = False,
) -> None:
    """Write a consistent backup to one file while the server is running.

    Example: feedloom db backup /backups/feedloom-$(date +%F).db
    """
    from feedloom.factories import database_urls

    with _unfinished(file) as unfinished:
        copied = _copy(database_urls(load())[1].text, _address(unfinished))
    _show(copied, as_json=as_json)
    err.print(
        "Back up the file `secret-key` or FEEDLOOM_SECRET_KEY as well: it decrypts the"
        " feed passwords in this backup."
    )


@contextmanager
def _unfinished(file: Path) -> Iterator[Path]:
    """Hand out another name, so that what bears the wanted one is whole."""
    try:
        if file.exists():
            raise StoreError(f"{file} already exists. Choose another name.")
        part = file.with_name(f"{file.name}.unfinished")
        part.unlink(missing_ok=True)
        try:
            yield part
            part.rename(file)
        finally:
            for rest in ("", "-shm", "-wal"):
                part.with_name(f"{part.name}{rest}").unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(f"{file} cannot be written: {error.strerror}.") from error


@program.command()
def restore(
    file: Annotated[Path, typer.Argument(help="A backup made with `feedloom db backup`.")],
    *,
    as_json: AsJSON = False,
) -> None:
    """Restore a backup into the configured, empty database. Stop the server first.

    Example: FEEDLOOM_DATA_DIR=/srv/new feedloom db restore /backups/feedloom.db
    """
    from feedloom.factories import database_urls

    _show(_copy(_address(file), database_urls(load())[1].text), as_json=as_json)


@program.command()
def rotate_key() -> None:
    """Encrypt feed passwords and cookies with a new key. Stop all processes first.

    The new key replaces the file `secret-key` in the data folder. Where
    FEEDLOOM_SECRET_KEY is set, this says how to change it.
    """
    from feedloom.factories import database_urls, new_secret_key
    from feedloom.store import upgrade as upgrade_schema

    settings = load()
    with new_secret_key(settings) as keys:
        run(upgrade_schema(*database_urls(settings), keys))
    out.print(
        f"The new key is in {settings.data_path / 'secret-key'}. Back it up; earlier"
        " backups still need the old one."
    )


@program.command()
def forget_passwords() -> None:
    """Remove feed passwords and cookies that can't be decrypted because their key is lost.

    The feeds stay, and ask for their passwords again. Stop all processes first.
    """
    from feedloom.factories import database_urls, encryption_keys
    from feedloom.store import forget_secrets

    settings = load()
    count = run(forget_secrets(database_urls(settings)[1], encryption_keys(settings)))
    out.print(f"Removed from {count} rows." if count else "All passwords can be decrypted.")


def _address(file: Path) -> str:
    return f"sqlite:///{quote(str(file.absolute()))}"


def _copy(source: str, target: str) -> "list[TableCopy]":
    from feedloom.store import DatabaseURL, copy_database

    password = load().db_password
    old, new = (DatabaseURL.parse(text, password=password) for text in (source, target))

    def tell(table: str, rows: int) -> None:
        if sys.stderr.isatty():
            err.print(f"{table}: {rows}", end="\r")

    return run(copy_database(old, new, tell))


def _show(copied: "list[TableCopy]", *, as_json: bool) -> None:
    rows = [{"table": t.table, "rows": t.rows, "digest": t.digest[:12]} for t in copied if t.rows]
    show(rows, as_json=as_json, empty="The source is empty.")
    total = sum(t.rows for t in copied)
    err.print(f"{total:,} rows copied and verified.")
