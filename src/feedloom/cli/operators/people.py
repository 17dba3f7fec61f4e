"""``feedloom admin user``: the people of an installation."""

import getpass
import sys
from typing import Annotated

import typer

from feedloom.cli.reporting import err, out, run, show
from feedloom.flow.identity.accounts import Accounts
from feedloom.model.errors import InvalidInput, NotFound
from feedloom.model.reading import Role, User

program = typer.Typer(help="Add, list, disable and help people.", no_args_is_help=True)

Email = Annotated[str, typer.Argument(help="The person's email address.")]
PasswordStdin = Annotated[
    bool,
    typer.Option("--password-stdin", help="Read the password from standard input."),
]


@program.command()
def add(
    email: Email,
    *,
    operator: Annotated[
        bool, typer.Option("--operator", help="Let them run things.")
    ] = False,
    tenant: Annotated[
        str, typer.Option(help="Short name of the tenant they belong to.")
    ] = "",
    password_stdin: PasswordStdin = False,
) -> None:
    """Add a person. The first person ever becomes operator.

    Example: echo 'correct horse' | feedloom admin user add ada@example.org --password-stdin
    """
    password = _password(from_stdin=password_stdin)

    async def work() -> User:
        from feedloom.app import open_house
        from feedloom.config import load

        async with open_house(load()) as house:
            role = Role.OPERATOR if operator else None
            group = await house.tenants().find(tenant) if tenant else None
            user = await house.accounts.register(email, password, role=role)
            if group is not None:
                await house.tenants().assign(user.id, group.id)
            return user

    user = run(work())
    out.print(f"Added {user.email} ({user.role.value}).", markup=False)


@program.command("list")
def list_people(
    *, as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False
) -> None:
    """List everybody."""

    async def work() -> list[User]:
        from feedloom.app import open_house
        from feedloom.config import load

        async with open_house(load()) as house:
            return await house.accounts.store.people()

    show(
        [
            {
                "id": user.id,
                "email": user.email,
                "role": user.role.value,
                "disabled": user.disabled_at is not None,
                "created_at": user.created_at,
            }
            for user in run(work())
        ],
        as_json=as_json,
        empty="No people yet. Add one with `feedloom admin user add EMAIL`.",
    )


@program.command()
def disable(
    email: Email,
    *,
    undo: Annotated[bool, typer.Option("--undo", help="Let them in again.")] = False,
) -> None:
    """Lock a person out of every door, at once."""

    async def work() -> None:
        from feedloom.app import open_house
        from feedloom.config import load

        async with open_house(load()) as house:
            user = await _person(house.accounts, email)
            await house.accounts.store.set_disabled(user.id, disabled=not undo)

    run(work())
    out.print(f"{email} is {'enabled' if undo else 'disabled'}.", markup=False)


@program.command("make-operator")
def make_operator(
    email: Email,
    *,
    undo: Annotated[
        bool, typer.Option("--undo", help="Make them a reader again.")
    ] = False,
) -> None:
    """Let a person run the installation."""
    role = Role.READER if undo else Role.OPERATOR

    async def work() -> None:
        from feedloom.app import open_house
        from feedloom.config import load

        async with open_house(load()) as house:
            user = await _person(house.accounts, email)
            await house.accounts.store.set_role(user.id, role)

    run(work())
    out.print(f"{email} is {role.value} now.", markup=False)


@program.command("reset-password")
def reset_password(email: Email, *, password_stdin: PasswordStdin = False) -> None:
    """Set a new password; their browsers and apps are signed out."""
    password = _password(from_stdin=password_stdin)

    async def work() -> int:
        from feedloom.app import open_house
        from feedloom.config import load

        async with open_house(load()) as house:
            ended = await house.accounts.reset_password(email, password)
            return ended.app_passwords

    revoked = run(work())
    out.print(f"The password of {email} is changed.", markup=False)
    if revoked:
        out.print(f"App passwords revoked: {revoked}.", markup=False)


@program.command("app-password")
def app_password(
    email: Email,
    *,
    label: Annotated[str, typer.Option(help="Which program it is for.")] = "App",
) -> None:
    """Make a password for a phone or desktop app; it is printed once.

    Example: feedloom admin user app-password ada@example.org --label Phone
    """

    async def work() -> str:
        from feedloom.app import open_house
        from feedloom.config import load

        async with open_house(load()) as house:
            user = await _person(house.accounts, email)
            _, secret = await house.accounts.add_app_password(user, label)
            return secret

    typer.echo(run(work()))
    err.print("Keep it: it is not shown again.")


async def _person(accounts: Accounts, email: str) -> User:
    found = await accounts.store.by_email(email)
    if found is None:
        raise NotFound(f"There is nobody with the address {email}.")
    return found[0]


def _password(*, from_stdin: bool) -> str:
    if from_stdin:
        return _line()
    if not sys.stdin.isatty():
        raise InvalidInput("Give the password with --password-stdin.")
    password = getpass.getpass("Password: ")
    if getpass.getpass("Again: ") != password:
        raise InvalidInput("The two passwords differ.")
    return password


def _line() -> str:
    try:
        line = sys.stdin.readline().rstrip("\r\n")
        line.encode()  # In the C locale, other bytes are read as half characters.
    except UnicodeError as error:
        raise InvalidInput(
            "The password on standard input is not UTF-8 text."
        ) from error
    return line
