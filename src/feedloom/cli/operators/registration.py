"""``feedloom admin registration``: who may create an account."""

from typing import TYPE_CHECKING, Annotated

import typer

from feedloom.cli.output import err, out, with_container
from feedloom.flow.identity.registration import Registration
from feedloom.model.errors import ConfigError, InvalidInput

if TYPE_CHECKING:
    from feedloom.app import Container

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

    async def work(container: "Container") -> list[str]:
        registration = container.registration()
        said = [_NAMES[(await registration.rule()).mode]]
        if registration.setting:
            said.append("Set by FEEDLOOM_REGISTRATION.")
        elif await registration.is_unanswered():
            said.append("Not chosen yet. Choose with `feedloom admin registration set`.")
        return said

    for line in with_container(work):
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

    async def work(container: "Container") -> None:
        await container.registration().choose(mode, code)

    with_container(work)
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

    async def work(container: "Container") -> str:
        base_url = container.settings.base_url
        if not base_url:
            raise ConfigError("Set FEEDLOOM_BASE_URL first; the link starts with it.")
        token, _ = await container.registration().invite(note, days=days)
        return Registration.link_of(base_url, token)

    typer.echo(with_container(work))
    err.print(f"The link works once and expires in {days} days.")
