"""``feedloom admin registration``: who may make an account."""

from typing import Annotated

import typer

from feedloom.cli.output import err, out, run
from feedloom.flow.identity.registration import Registration
from feedloom.model.errors import ConfigError, InvalidInput

program = typer.Typer(help="Choose who can create an account.", no_args_is_help=True)

_NAMES = {
    "open": "Everyone can create an account.",
    "invite": "People with an invitation can create an account.",
    "code": "People who know the code can create an account.",
    "closed": "Nobody can create an account. Operators add people.",
}


@program.command()
def show() -> None:
    """Show who can create an account."""

    async def work() -> list[str]:
        from feedloom.app import open_container
        from feedloom.config import load

        async with open_container(load()) as container:
            registration = container.registration()
            said = [_NAMES[(await registration.rule()).mode]]
            if registration.setting:
                said.append("Set by FEEDLOOM_REGISTRATION.")
            elif await registration.is_unanswered():
                said.append(
                    "Not chosen yet. Choose with `feedloom admin registration set`."
                )
            return said

    for line in run(work()):
        out.print(line, markup=False)


@program.command("set")
def set_mode(
    mode: Annotated[str, typer.Argument(help="open, invite, code or closed.")],
    *,
    code: Annotated[str, typer.Option(help="The registration code.")] = "",
) -> None:
    """Choose who can create an account.

    Example: feedloom admin registration set invite
    """
    if mode not in _NAMES:
        raise InvalidInput("Choose open, invite, code or closed.")

    async def work() -> None:
        from feedloom.app import open_container
        from feedloom.config import load

        async with open_container(load()) as container:
            await container.registration().choose(mode, code)

    run(work())
    out.print(_NAMES[mode], markup=False)


@program.command()
def invite(
    *,
    days: Annotated[int, typer.Option(help="Days the link is valid.")] = 7,
    note: Annotated[str, typer.Option(help="Note about who it's for.")] = "",
) -> None:
    """Create an invitation link for one person. It is shown only once.

    Example: feedloom admin registration invite --note Grace --days 30
    """

    async def work() -> str:
        from feedloom.app import open_container
        from feedloom.config import load

        settings = load()
        if not settings.base_url:
            raise ConfigError("Set FEEDLOOM_BASE_URL first; the link starts with it.")
        async with open_container(settings) as container:
            token, _ = await container.registration().invite(note, days=days)
            return Registration.link_of(settings.base_url, token)

    typer.echo(run(work()))
    err.print(f"The link works once and expires in {days} days.")
