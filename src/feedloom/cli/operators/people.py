"""``feedloom admin user``: the people of an installation."""

import getpass
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from feedloom.cli.output import err, out, person_at, show, with_container
from feedloom.model.errors import InvalidInput
from feedloom.model.reader import Role, User

if TYPE_CHECKING:
    from feedloom.app import Container

program = typer.Typer(help="Manage people.", no_args_is_help=True)

Email = Annotated[str, typer.Argument(help="The person's email address.")]
PasswordStdin = Annotated[
    bool, typer.Option("--password-stdin", help="Read the password from standard input.")
]


@program.command()
def add(
    email: Email,
    *,
    operator: Annotated[bool, typer.Option("--operator", help="Grant the operator role.")] = False,
    tenant: Annotated[str, typer.Option(help="Short name of the person's tenant.")] = "",
    password_stdin: PasswordStdin = False,
) -> None:
    """Add a person. The first person becomes an operator.

    Example: echo 'correct horse' | feedloom admin user add ada@example.org --password-stdin
    """
    password = _password(from_stdin=password_stdin)

    async def work(container: "Container") -> User:
        role = Role.OPERATOR if operator else None
        group = await container.tenants().find(tenant) if tenant else None
        user = await container.accounts.register(email, password, role=role)
        if group is not None:
            await container.tenants().assign(user.id, group.id)
        return user

    user = with_container(work)
    out.print(f"Added {user.email} ({user.role.value}).", markup=False)


@program.command("list")
def list_people(
    *, as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False
) -> None:
    """List all people."""

    async def work(container: "Container") -> list[User]:
        return await container.accounts.store.people()

    show(
        [
            {
                "id": user.id,
                "email": user.email,
                "role": user.role.value,
                "disabled": user.disabled_at is not None,
                "created_at": user.created_at,
            }
            for user in with_container(work)
        ],
        as_json=as_json,
        empty="No people yet. Add one with `feedloom admin user add EMAIL`.",
    )


@program.command()
def disable(
    email: Email,
    *,
    undo: Annotated[bool, typer.Option("--undo", help="Enable the account again.")] = False,
) -> None:
    """Disable an account and end its sessions immediately."""

    async def work(container: "Container") -> None:
        user = await person_at(container, email)
        await container.accounts.store.set_disabled(user.id, disabled=not undo)

    with_container(work)
    out.print(f"{email} is {'enabled' if undo else 'disabled'}.", markup=False)


@program.command("make-operator")
def make_operator(
    email: Email,
    *,
    undo: Annotated[bool, typer.Option("--undo", help="Revoke the operator role.")] = False,
) -> None:
    """Grant a person the operator role."""
    role = Role.READER if undo else Role.OPERATOR

    async def work(container: "Container") -> None:
        user = await person_at(container, email)
        await container.accounts.store.set_role(user.id, role)

    with_container(work)
    out.print(f"{email} is now {role.value}.", markup=False)


@program.command("reset-password")
def reset_password(email: Email, *, password_stdin: PasswordStdin = False) -> None:
    """Set a new password and sign out the person's browsers and apps."""
    password = _password(from_stdin=password_stdin)

    async def work(container: "Container") -> int:
        ended = await container.accounts.reset_password(email, password)
        return ended.app_passwords

    revoked = with_container(work)
    out.print(f"Changed the password of {email}.", markup=False)
    if revoked:
        out.print(f"App passwords revoked: {revoked}.", markup=False)


@program.command("app-password")
def app_password(
    email: Email,
    *,
    label: Annotated[str, typer.Option(help="Name of the app that uses it.")] = "App",
) -> None:
    """Create a password for a phone or desktop app. It is shown only once.

    Example: feedloom admin user app-password ada@example.org --label Phone
    """

    async def work(container: "Container") -> str:
        user = await person_at(container, email)
        _, secret = await container.accounts.add_app_password(user, label)
        return secret

    typer.echo(with_container(work))
    err.print("Save it now. It won't be shown again.")


def _password(*, from_stdin: bool) -> str:
    if from_stdin:
        return _line()
    if not sys.stdin.isatty():
        raise InvalidInput("Pass the password with --password-stdin.")
    password = getpass.getpass("Password: ")
    if getpass.getpass("Again: ") != password:
        raise InvalidInput("The passwords don't match.")
    return password


def _line() -> str:
    try:
        line = sys.stdin.readline().rstrip("\r\n")
        line.encode()  # In the C locale, other bytes are read as half characters.
    except UnicodeError as error:
        raise InvalidInput("The password on standard input is not UTF-8 text.") from error
    return line
