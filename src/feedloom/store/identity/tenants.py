"""Tenants as rows."""

import re

from feedloom.model.errors import Conflict, InvalidInput, NotFound
from feedloom.model.tenants import Tenant
from feedloom.store.engine.steps import WORKER, Database, Row, Scope, Steps, sql

_SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_SELECT = """
SELECT t.id, t.slug, t.name,
  (SELECT count(*) FROM users u WHERE u.tenant_id = t.id) AS people,
  (SELECT count(*) FROM feeds f WHERE f.tenant_id = t.id) AS feeds
FROM tenants t
"""


class TenantStore:
    """Tenants. Implements the port of the same name, for commands."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, slug: str, name: str) -> Tenant:
        """Add a tenant; ``Conflict`` when the short name is taken."""
        return await self._database.write(Scope(operator=True), _add, slug, name)

    async def all(self) -> list[Tenant]:
        """List tenants by short name."""
        return await self._database.read(WORKER, _all)

    async def find(self, slug: str) -> Tenant:
        """Find one by its short name; ``NotFound`` when there is none."""
        return await self._database.read(WORKER, _find, slug)

    async def assign(self, user_id: int, tenant_id: int) -> None:
        """Put a person who has no feeds yet into a tenant; else ``Conflict``."""
        await self._database.write(Scope(operator=True), _assign, user_id, tenant_id)


def _add(slug: str, name: str) -> Steps[Tenant]:
    slug, name = slug.strip().lower(), " ".join(name.split())
    if not _SLUG.fullmatch(slug):
        raise InvalidInput(
            "A short name has lower-case letters, digits and dashes.", field="slug"
        )
    rows = yield sql(
        "INSERT INTO tenants (slug, name, created_at) VALUES (:slug, :name, now_us())"
        " ON CONFLICT (slug) DO NOTHING RETURNING id",
        slug=slug,
        name=name,
    )
    if not rows:
        raise Conflict(f"There is a tenant {slug} already.")
    return Tenant(rows[0]["id"], slug, name)


def _all() -> Steps[list[Tenant]]:
    rows = yield sql(f"{_SELECT} ORDER BY t.slug")
    return [_tenant(row) for row in rows]


def _find(slug: str) -> Steps[Tenant]:
    rows = yield sql(f"{_SELECT} WHERE t.slug = :slug", slug=slug.strip().lower())
    if not rows:
        raise NotFound(f"There is no tenant {slug}.")
    return _tenant(rows[0])


def _tenant(row: Row) -> Tenant:
    return Tenant(row["id"], row["slug"], row["name"], row["people"], row["feeds"])


def _assign(user_id: int, tenant_id: int) -> Steps[None]:
    rows = yield sql(
        "UPDATE users SET tenant_id = :tenant WHERE id = :user AND NOT EXISTS"
        " (SELECT 1 FROM subscriptions s WHERE s.user_id = :user) RETURNING id",
        tenant=tenant_id,
        user=user_id,
    )
    if not rows:
        raise Conflict("This person has feeds already.")
