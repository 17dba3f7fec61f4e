"""Tenants as rows."""

import re

from feedloom.model.errors import Conflict, InvalidInput, NotFound
from feedloom.model.tenants import Tenant
from feedloom.store.engine.decorators import OPERATOR, Store, reads, writes
from feedloom.store.engine.scripts import WORKER, Row, Script, sql
from feedloom.store.values import value_of

_SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_SELECT = """
SELECT t.id, t.slug, t.name,
  (SELECT count(*) FROM users u WHERE u.tenant_id = t.id) AS people,
  (SELECT count(*) FROM feeds f WHERE f.tenant_id = t.id) AS feeds
FROM tenants t
"""


class TenantStore(Store):
    @writes(OPERATOR)
    def add(self, slug: str, name: str) -> Script[Tenant]:
        """Add a tenant; ``Conflict`` when the short name is taken."""
        slug, name = slug.strip().lower(), " ".join(name.split())
        if not _SLUG.fullmatch(slug):
            raise InvalidInput(
                "Use lower-case letters, digits and dashes for the short name.", field="slug"
            )
        rows = yield sql(
            "INSERT INTO tenants (slug, name, created_at) VALUES (:slug, :name, now_us())"
            " ON CONFLICT (slug) DO NOTHING RETURNING id",
            slug=slug,
            name=name,
        )
        if not rows:
            raise Conflict(f"A tenant called {slug} already exists.")
        return Tenant(rows[0]["id"], slug, name)

    @reads(WORKER)
    def all(self) -> Script[list[Tenant]]:
        rows = yield sql(f"{_SELECT} ORDER BY t.slug")
        return [_tenant(row) for row in rows]

    @reads(WORKER)
    def find(self, slug: str) -> Script[Tenant]:
        """Find one by its short name; ``NotFound`` when there is none."""
        rows = yield sql(f"{_SELECT} WHERE t.slug = :slug", slug=slug.strip().lower())
        if not rows:
            raise NotFound(f"There is no tenant {slug}.")
        return _tenant(rows[0])

    @writes(OPERATOR)
    def assign(self, user_id: int, tenant_id: int) -> Script[None]:
        """Put a person who has no feeds yet into a tenant; else ``Conflict``."""
        rows = yield sql(
            "UPDATE users SET tenant_id = :tenant WHERE id = :user AND NOT EXISTS"
            " (SELECT 1 FROM subscriptions s WHERE s.user_id = :user) RETURNING id",
            tenant=tenant_id,
            user=user_id,
        )
        if not rows:
            raise Conflict("This person already has feeds.")


def _tenant(row: Row) -> Tenant:
    return value_of(Tenant, row)
