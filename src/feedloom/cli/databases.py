"""``feedloom db``: the schema, its health, copies and backups."""

import typer

from feedloom.cli.reporting import out, run

program = typer.Typer(
    help="The database: upgrade, check, back up, copy.", no_args_is_help=True
)


@program.callback()
def _databases() -> None:
    pass


@program.command()
def upgrade() -> None:
    """Bring the schema up to date. `serve` and `worker` do that by themselves."""

    async def work() -> list[int]:
        from feedloom.app import database_urls
        from feedloom.config import load
        from feedloom.store import upgrade as upgrade_schema

        return await upgrade_schema(*database_urls(load()))

    applied = run(work())
    if applied:
        out.print(f"Applied {', '.join(f'{version:04}' for version in applied)}.")
    else:
        out.print("The schema is up to date.")
