"""``feedloom admin tenant``: the groups of people who share an installation."""

from typing import TYPE_CHECKING, Annotated

import typer

from feedloom.cli.output import out, show, with_container
from feedloom.model.tenants import Tenant

if TYPE_CHECKING:
    from feedloom.app import Container

program = typer.Typer(
    help="Manage tenants: groups of people with their own feeds.", no_args_is_help=True
)


@program.command()
def add(
    slug: Annotated[str, typer.Argument(help="Short name: letters, digits and dashes.")],
    *,
    name: Annotated[str, typer.Option(help="Full name. Default: the short name.")] = "",
) -> None:
    """Add a tenant.

    Example: feedloom admin tenant add acme --name "Acme Corporation"
    """

    async def work(container: "Container") -> Tenant:
        return await container.tenants().add(slug, name or slug)

    tenant = with_container(work)
    out.print(f"Added tenant {tenant.slug} ({tenant.name}).", markup=False)


@program.command("list")
def list_tenants(
    *, as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False
) -> None:
    """List tenants."""

    async def work(container: "Container") -> list[Tenant]:
        return await container.tenants().all()

    show(
        [
            {
                "id": tenant.id,
                "slug": tenant.slug,
                "name": tenant.name,
                "people": tenant.people,
                "feeds": tenant.feeds,
            }
            for tenant in with_container(work)
        ],
        as_json=as_json,
        empty="No tenants. Everyone shares this installation.",
    )
