"""The tree of commands. Modules are imported here; what they need, when they run."""

from typing import Annotated

import typer

from feedloom import __version__
from feedloom.cli import (
    databases,
    demonstrating,
    directories,
    discovering,
    doctoring,
    outlines,
    serving,
    updating,
)
from feedloom.cli.operators import people, proxies, tenants

_HELP = {"help_option_names": ["-h", "--help"]}

program = typer.Typer(
    name="feedloom",
    help="A self-hosted feed platform: discover, fetch, read, distil and re-serve feeds.",
    no_args_is_help=True,
    context_settings=_HELP,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
admin = typer.Typer(
    name="admin",
    help="For operators: people, proxied feeds, root domains, tenants.",
    no_args_is_help=True,
    context_settings=_HELP,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
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
            "--version",
            callback=_print_version,
            is_eager=True,
            help="Print the version.",
        ),
    ] = False,
) -> None:
    pass


program.command("serve")(serving.serve)
program.command("demo")(demonstrating.demo)
program.command("worker")(serving.worker)
program.command("update")(updating.update)
program.command("subscribe")(updating.subscribe)
program.command("discover")(discovering.discover)
program.command("doctor")(doctoring.doctor)
program.add_typer(directories.program, name="directory")
program.add_typer(outlines.program, name="opml")
program.add_typer(databases.program, name="db")
program.add_typer(admin, name="admin")
admin.add_typer(people.program, name="user")
admin.add_typer(proxies.program, name="feed")
admin.add_typer(proxies.root_domains, name="root-domain")
admin.add_typer(tenants.program, name="tenant")
