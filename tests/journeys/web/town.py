"""Everybody the authorization matrix knows, settled once per module and engine."""

from dataclasses import dataclass

import pytest

from feedloom.app import Container
from feedloom.model.reader import Role
from tests.journeys.web.matrix import Belongings, furnish
from tests.publisher import PublisherThread
from tests.serving import Server, Visitor

OWNER, OTHER, GONE = "owner@example.org", "other@example.org", "gone@example.org"
OPERATOR = "operator@example.org"


@dataclass(slots=True)
class Town:
    """Visitors, the owner's things, and secrets of programs by whose they are."""

    server: Server
    owner: Visitor
    other: Visitor
    operator: Visitor
    disabled: Visitor
    owned: Belongings
    secrets: dict[str, tuple[str, str]]
    """Email and app password of ``owner``, ``other``, ``disabled`` and ``revoked``."""

    def program(self, who: str) -> Visitor:
        """Return a visitor that sends somebody's app password as bearer token."""
        return self.server.visitor(Authorization=f"Bearer {self.secrets[who][1]}")


@pytest.fixture(scope="module")
def town_publisher():
    with PublisherThread() as made:
        yield made


@pytest.fixture
async def town(shared_server, town_publisher) -> Town:
    """Settle the town once per server; later tests find it there."""
    found = getattr(shared_server, "town", None)
    if found is None:
        found = await _settle(shared_server, town_publisher.feed("/town.xml"))
        shared_server.town = found
    return found


async def _promote(container: Container) -> None:
    found = await container.accounts.store.by_email(OPERATOR)
    assert found
    await container.accounts.store.set_role(found[0].id, Role.OPERATOR)


async def _settle(server: Server, url: str) -> Town:
    await server.register(OPERATOR)
    await server.call(_promote)
    operator = await server.sign_in(OPERATOR)
    owner = await server.register(OWNER)
    other = await server.register(OTHER)
    owned = await furnish(server, owner, OWNER, url)
    gone = await server.register(GONE)
    secrets = {
        "owner": (OWNER, await server.app_password(OWNER, "owner")),
        "other": (OTHER, await server.app_password(OTHER, "other")),
        "disabled": (GONE, await server.app_password(GONE, "disabled")),
        "revoked": (OWNER, await server.app_password(OWNER, "revoked")),
    }

    async def lock(container: Container) -> None:
        store = container.accounts.store
        person = await store.by_email(GONE)
        assert person
        await store.set_disabled(person[0].id, disabled=True)
        for key in await store.app_passwords(int(owned.ids["user"])):
            if key.label == "revoked":
                await store.revoke_app_password(key.user_id, key.id)

    await server.call(lock)
    return Town(server, owner, other, operator, gone, owned, secrets)


async def forget_throttle(server: Server) -> None:
    """Let tries from this address count anew: the throttle has its own tests."""

    async def forget(container: Container) -> None:
        protocols = ("api", "feedbin", "fever", "greader", "miniflux", "nextcloud", "wallabag")
        for protocol in protocols:
            await container.accounts.store.forget_failures(f"{protocol} address:127.0.0.1")

    await server.call(forget)
