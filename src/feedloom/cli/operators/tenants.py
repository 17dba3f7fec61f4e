"""``feedloom admin tenant``: the groups of people who share an installation."""

from typing import Annotated

import typer

from feedloom.cli.reporting import out, run, show
from feedloom.model.tenants import Tenant

program = typer.Typer(
    help="Groups of people with feeds of their own.", no_args_is_help=True
)


@program.command()
def add(
    slug: Annotated[str, typer.Argument(help="A short name: letters, digits, dashes.")],
    *,
    name: Annotated[str, typer.Option(help="Its name; the short one if empty.")] = "",
) -> None:
    """Add a tenant.

    Example: feedloom admin tenant add acme --name "Acme Corporation"
    """

    async def work() -> Tenant:
        from feedloom.app import open_house
        from feedloom.config import load

        async with open_house(load()) as house:
            return await house.tenants().add(slug, name or slug)

    tenant = run(work())
    out.print(f"Added tenant {tenant.slug} ({tenant.name}).", markup=False)


@program.command("list")
def list_tenants(
    *, as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False
) -> None:
    """List tenants."""

    async def work() -> list[Tenant]:
        from feedloom.app import open_house
        from feedloom.config import load

        async with open_house(load()) as house:
            return await house.tenants().all()

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
        empty="No tenants: everybody shares this installation.",
    )
