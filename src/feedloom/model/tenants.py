"""Tenants: groups of people with feeds of their own beside those everybody shares."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Tenant:
    """One group."""

    id: int
    slug: str
    name: str
    people: int = 0
    feeds: int = 0
    """Feeds that are the group's own."""


class TenantStore(Protocol):
    """Tenants as operators manage them."""

    async def add(self, slug: str, name: str) -> Tenant:
        """Add a tenant; ``Conflict`` when the short name is taken."""
        ...

    async def all(self) -> list[Tenant]:
        """List tenants by short name."""
        ...

    async def find(self, slug: str) -> Tenant:
        """Find one by its short name; ``NotFound`` when there is none."""
        ...

    async def assign(self, user_id: int, tenant_id: int) -> None:
        """Put a person who has no feeds yet into a tenant; else ``Conflict``."""
        ...
