"""``feedloom admin`` for people: accounts, who may create one, and tenants."""

import getpass
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from feedloom.cli.output import AsJSON, contained, err, out, person_at, show, with_container
from feedloom.flow.identity.registration import Registration
from feedloom.model.errors import ConfigError, InvalidInput
from feedloom.model.reader import Role, User

if TYPE_CHECKING:
    from feedloom.app import Container

people = typer.Typer(help="Manage people.", no_args_is_help=True)
registration = typer.Typer(help="Choose who can create an account.", no_args_is_help=True)
tenants = typer.Typer(
    help="Manage tenants: groups of people with their own feeds.", no_args_is_help=True
)

Email = Annotated[str, typer.Argument(help="The person's email address.")]
PasswordStdin = Annotated[
    bool, typer.Option("--password-stdin", help="Read the password from standard input.")
]
_MODES = {
    "open": "Everyone can create an account.",
    "invite": "People with an invitation can create an account.",
    "code": "People who know the code can create an account.",
    "closed": "Nobody can create an account. Operators add people.",
}


@people.command()
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


@people.command("list")
@contained
async def list_people(container: "Container", *, as_json: AsJSON = False) -> None:
    """List all people."""
    rows = [
        {
            "id": user.id,
            "email": user.email,
            "role": user.role.value,
            "disabled": user.disabled_at is not None,
            "created_at": user.created_at,
        }
        for user in await container.accounts.store.people()
    ]
    empty = "No people yet. Add one with `feedloom admin user add EMAIL`."
    show(rows, as_json=as_json, empty=empty)


@people.command()
@contained
async def disable(
    container: "Container",
    email: Email,
    *,
    undo: Annotated[bool, typer.Option("--undo", help="Enable the account again.")] = False,
) -> None:
    """Disable an account and end its sessions immediately."""
    user = await person_at(container, email)
    await container.accounts.store.set_disabled(user.id, disabled=not undo)
    out.print(f"{email} is {'enabled' if undo else 'disabled'}.", markup=False)


@people.command("make-operator")
@contained
async def make_operator(
    container: "Container",
    email: Email,
    *,
    undo: Annotated[bool, typer.Option("--undo", help="Revoke the operator role.")] = False,
) -> None:
    """Grant a person the operator role."""
    role = Role.READER if undo else Role.OPERATOR
    user = await person_at(container, email)
    await container.accounts.store.set_role(user.id, role)
    out.print(f"{email} is now {role.value}.", markup=False)


@people.command("reset-password")
def reset_password(email: Email, *, password_stdin: PasswordStdin = False) -> None:
    """Set a new password and sign out the person's browsers and apps."""
    password = _password(from_stdin=password_stdin)
    ended = with_container(lambda container: container.accounts.reset_password(email, password))
    out.print(f"Changed the password of {email}.", markup=False)
    if ended.app_passwords:
        out.print(f"App passwords revoked: {ended.app_passwords}.", markup=False)


@people.command("app-password")
@contained
async def app_password(
    container: "Container",
    email: Email,
    *,
    label: Annotated[str, typer.Option(help="Name of the app that uses it.")] = "App",
) -> None:
    """Create a password for a phone or desktop app. It is shown only once.

    Example: feedloom admin user app-password ada@example.org --label Phone
    """
    user = await person_at(container, email)
    _, secret = await container.accounts.add_app_password(user, label)
    typer.echo(secret)
    err.print("Save it now. It won't be shown again.")


def _password(*, from_stdin: bool) -> str:
    if from_stdin:
        try:
            line = sys.stdin.readline().rstrip("\r\n")
            line.encode()  # In the C locale, other bytes are read as half characters.
        except UnicodeError as error:
            raise InvalidInput("The password on standard input is not UTF-8 text.") from error
        return line
    if not sys.stdin.isatty():
        raise InvalidInput("Pass the password with --password-stdin.")
    password = getpass.getpass("Password: ")
    if getpass.getpass("Again: ") != password:
        raise InvalidInput("The passwords don't match.")
    return password


@registration.command("show")
@contained
async def show_mode(container: "Container") -> None:
    """Show who can create an account."""
    chosen = container.registration()
    out.print(_MODES[(await chosen.rule()).mode], markup=False)
    if chosen.setting:
        out.print("Set by FEEDLOOM_REGISTRATION.", markup=False)
    elif await chosen.is_unanswered():
        hint = "Not chosen yet. Choose with `feedloom admin registration set`."
        out.print(hint, markup=False)


@registration.command("set")
def set_mode(
    mode: Annotated[str, typer.Argument(help="open, invite, code or closed.")],
    *,
    code: Annotated[str, typer.Option(help="The registration code.")] = "",
) -> None:
    """Choose who can create an account.

    Example: feedloom admin registration set invite
    """
    if mode not in _MODES:
        raise InvalidInput("Choose open, invite, code or closed.")
    with_container(lambda container: container.registration().choose(mode, code))
    out.print(_MODES[mode], markup=False)


@registration.command()
@contained
async def invite(
    container: "Container",
    *,
    days: Annotated[int, typer.Option(help="Days the link is valid.")] = 7,
    note: Annotated[str, typer.Option(help="Note about who it's for.")] = "",
) -> None:
    """Create an invitation link for one person. It is shown only once.

    Example: feedloom admin registration invite --note Grace --days 30
    """
    base_url = container.settings.base_url
    if not base_url:
        raise ConfigError("Set FEEDLOOM_BASE_URL first; the link starts with it.")
    token, _ = await container.registration().invite(note, days=days)
    typer.echo(Registration.link_of(base_url, token))
    err.print(f"The link works once and expires in {days} days.")


@tenants.command("add")
@contained
async def add_tenant(
    container: "Container",
    slug: Annotated[str, typer.Argument(help="Short name: letters, digits and dashes.")],
    *,
    name: Annotated[str, typer.Option(help="Full name. Default: the short name.")] = "",
) -> None:
    """Add a tenant.

    Example: feedloom admin tenant add acme --name "Acme Corporation"
    """
    tenant = await container.tenants().add(slug, name or slug)
    out.print(f"Added tenant {tenant.slug} ({tenant.name}).", markup=False)


@tenants.command("list")
@contained
async def list_tenants(container: "Container", *, as_json: AsJSON = False) -> None:
    """List tenants."""
    names = ("id", "slug", "name", "people", "feeds")
    found = await container.tenants().all()
    rows = [{name: getattr(tenant, name) for name in names} for tenant in found]
    show(rows, as_json=as_json, empty="No tenants. Everyone shares this installation.")
