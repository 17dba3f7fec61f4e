"""``feedloom admin tenant``: the groups of people who share an installation."""

from typing import Annotated

import typer

from feedloom.cli.output import out, run, show
from feedloom.model.tenants import Tenant

program = typer.Typer(
    help="Manage tenants: groups of people with their own feeds.", no_args_is_help=True
)


@program.command()
def add(
    slug: Annotated[
        str, typer.Argument(help="Short name: letters, digits and dashes.")
    ],
    *,
    name: Annotated[str, typer.Option(help="Full name. Default: the short name.")] = "",
) -> None:
    """Add a tenant.

    Example: feedloom admin tenant add acme --name "Acme Corporation"
    """

    async def work() -> Tenant:
        from feedloom.app import open_container
        from feedloom.config import load

        async with open_container(load()) as container:
            return await container.tenants().add(slug, name or slug)

    tenant = run(work())
    out.print(f"Added tenant {tenant.slug} ({tenant.name}).", markup=False)


@program.command("list")
def list_tenants(
    *, as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False
) -> None:
    """List tenants."""

    async def work() -> list[Tenant]:
        from feedloom.app import open_container
        from feedloom.config import load

        async with open_container(load()) as container:
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
            for tenant in run(work())
        ],
        as_json=as_json,
        empty="No tenants. Everyone shares this installation.",
    )
