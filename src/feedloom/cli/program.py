"""The tree of commands. Command modules are imported here, but what they use only when they run."""

from typing import Annotated

import typer

from feedloom import __version__
from feedloom.cli import (
    db,
    deframe,
    demo,
    digest,
    directory,
    discover,
    doctor,
    opml,
    paused_feeds,
    serve,
    stories,
    update,
)
from feedloom.cli.operators import people, proxies, registration, tenants

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
    help="Manage people, registration, proxied feeds, connections, root domains and tenants.",
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
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    pass


program.command("serve")(serve.serve)
program.command("demo")(demo.demo)
program.command("worker")(serve.worker)
program.command("update")(update.update)
program.command("subscribe")(update.subscribe)
program.command("pause")(paused_feeds.pause)
program.command("resume")(paused_feeds.resume)
program.command("discover")(discover.discover)
program.command("deframe")(deframe.deframe)
program.command("doctor")(doctor.doctor)
program.command("stories")(stories.stories)
program.add_typer(directory.program, name="directory")
program.add_typer(digest.program, name="digest")
program.add_typer(opml.program, name="opml")
program.add_typer(db.program, name="db")
program.add_typer(admin, name="admin")
admin.command("connection")(update.connection)
admin.add_typer(people.program, name="user")
admin.add_typer(registration.program, name="registration")
admin.add_typer(proxies.program, name="feed")
admin.add_typer(proxies.root_domains, name="root-domain")
admin.add_typer(tenants.program, name="tenant")
