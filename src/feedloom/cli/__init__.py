"""Commands: thin, and what they use is imported only when they run.

Exit codes: 0 done, 1 failed, 2 wrong usage.
"""

import sys
from typing import Annotated

import typer

from feedloom import __version__
from feedloom.cli import (
    admin_feeds,
    admin_people,
    db,
    digest,
    doctor,
    feeds,
    json_lines,
    serve,
    subscriptions,
)
from feedloom.cli.output import run_program

__all__ = ["admin", "admin_main", "main", "program"]


def _tree(name: str, text: str) -> typer.Typer:
    return typer.Typer(
        name=name,
        help=text,
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )


program = _tree(
    "feedloom", "A self-hosted feed platform: discover, fetch, read, distil and re-serve feeds."
)
admin = _tree(
    "admin", "Manage people, registration, proxied feeds, connections, root domains and tenants."
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"feedloom {__version__}")
        raise typer.Exit


@program.callback()
def _program(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    pass


program.command("serve")(serve.serve)
program.command("demo")(serve.demo)
program.command("worker")(serve.worker)
program.command("update")(feeds.update)
program.command("subscribe")(subscriptions.subscribe)
program.command("pause")(subscriptions.pause)
program.command("resume")(subscriptions.resume)
program.command("discover")(feeds.discover)
program.command("deframe")(json_lines.deframe)
program.command("doctor")(doctor.doctor)
program.command("stories")(json_lines.stories)
program.add_typer(feeds.directory, name="directory")
program.add_typer(digest.program, name="digest")
program.add_typer(subscriptions.opml, name="opml")
program.add_typer(db.program, name="db")
program.add_typer(admin, name="admin")
admin.command("connection")(feeds.connection)
admin.add_typer(admin_people.people, name="user")
admin.add_typer(admin_people.registration, name="registration")
admin.add_typer(admin_feeds.program, name="feed")
admin.add_typer(admin_feeds.root_domains, name="root-domain")
admin.add_typer(admin_people.tenants, name="tenant")


def main() -> None:
    sys.exit(run_program(program, "feedloom"))


def admin_main() -> None:
    sys.exit(run_program(admin, "admin"))
