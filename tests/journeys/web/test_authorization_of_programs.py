"""Doors of programs: each protocol's own way to refuse, and to whom."""

import base64
import hashlib

import pytest

from feedloom.serve.application import all_routes
from tests.journeys.web.matrix import UNSAFE, Row, ask, is_personal, selected, snapshot
from tests.journeys.web.town import Town, forget_throttle
from tests.serving import Reply, Visitor

REFUSED = {
    "/reader/": {401},
    "/accounts/": {401},
    "/v1/": {401},
    "/wallabag/api/": {401},
    "/wallabag/oauth/": {400},
    "/v2/": {401},
    "/fever": {200},
    "/api/fever.php": {200},
    "/view/": {404},
    "/icons/": {403, 404},
    "/images/": {403, 404},
    "/mail/stop/": {404},
    "/rss": {400},
    "/api/domains": {200},
    "/api/item": {400},
    "/api/site": {400},
}
"""What a stranger gets at routes that authenticate by themselves.

Those of the proxy are open unless a token is set, which has tests of its own; here they
are asked for nothing.
"""


WITHOUT_SECRETS = "/mail/stop/"
"""Its address is the secret, and it takes no other."""


def family(row: Row) -> str:
    """Tell which protocol a route belongs to; a new one must say how it refuses."""
    for prefix in REFUSED:
        if row.path.startswith(prefix):
            return prefix
    raise AssertionError(f"{row}: say in REFUSED what strangers get")


def is_refused(row: Row, reply: Reply) -> bool:
    if reply.status not in REFUSED[family(row)]:
        return False
    if "fever" in row.path:
        return bool(reply.json()["auth"] == 0) and set(reply.json()) == {"api_version", "auth"}
    return True


def credentials(town: Town, who: str, row: Row) -> Visitor:
    """Return a visitor with somebody's app password, as the protocol sends it."""
    secret = town.secrets[who][1]
    match family(row):
        case "/v1/":
            return town.server.visitor(**{"X-Auth-Token": secret})
        case "/v2/":
            return town.server.visitor(Authorization=basic(*town.secrets[who]))
        case "/reader/":
            login = f"GoogleLogin auth={secret}"
            return town.server.visitor(Authorization=login)
        case "/wallabag/api/":
            return town.server.visitor(Authorization=f"Bearer {secret}")
        case _:
            return town.server.visitor()


def basic(email: str, secret: str) -> str:
    return f"Basic {base64.b64encode(f'{email}:{secret}'.encode()).decode()}"


def form(town: Town, who: str, row: Row) -> dict[str, object]:
    """Return the body in which some protocols carry their secret."""
    email, secret = town.secrets[who]
    if "fever" in row.path and row.method == "POST":
        key = hashlib.md5(f"{email}:{secret}".encode()).hexdigest()
        return {"data": {"api_key": key}}
    if "ClientLogin" in row.path and row.method == "POST":
        return {"data": {"Email": email, "Passwd": secret}}
    if "oauth" in row.path and row.method == "POST":
        named = {"username": email, "password": secret}
        return {"data": {"grant_type": "password", **named}}
    return {}


@pytest.mark.threat("C1", "C6")
async def test_strangers_and_cookies_get_nothing_where_programs_sign_in(town):
    await forget_throttle(town.server)
    wrong = []
    for row in selected("own"):
        for visitor in (town.server.visitor(), town.owner):
            reply = await ask(visitor, row, town.owned.ids)
            if reply.status == 429:
                await forget_throttle(town.server)
                reply = await ask(visitor, row, town.owned.ids)
            if not is_refused(row, reply):
                wrong.append((str(row), reply.status, reply.body[:100]))

    assert wrong == []


@pytest.mark.threat("C1")
@pytest.mark.parametrize("who", ["disabled", "revoked"])
async def test_secrets_that_ended_get_nothing_where_programs_sign_in(town, who):
    wrong = []
    for row in selected("own"):
        await forget_throttle(town.server)
        visitor = credentials(town, who, row)
        reply = await ask(visitor, row, town.owned.ids, **form(town, who, row))
        if not is_refused(row, reply):
            wrong.append((str(row), reply.status, reply.body[:100]))

    assert wrong == []


@pytest.mark.threat("A7", "C5")
async def test_programs_of_others_find_nothing_and_change_nothing(town):
    before = await snapshot(town.owner)
    wrong = []
    for row in (*selected("program"), *selected("own")):
        if not is_personal(row):
            continue
        visitor = town.program("other")
        if row.access == "own":
            visitor = credentials(town, "other", row)
        reply = await ask(visitor, row, town.owned.ids)
        told = reply.body if reply.status < 300 else b""
        # Marks on unknown ids are passed over by protocols that say so with 200.
        passed_over = row.method in UNSAFE and told in {b"", b"[]", b"{}", b"null"}
        if reply.status < 400 and not passed_over:
            wrong.append((str(row), reply.status, reply.body[:100]))

    assert wrong == []
    assert await snapshot(town.owner) == before


@pytest.mark.threat("C2")
async def test_a_read_only_secret_changes_nothing(town):
    secret = await town.server.app_password(town.owned.email, "reads", scope="read")
    town.secrets["reads"] = (town.owned.email, secret)
    before = await snapshot(town.owner)
    wrong = []
    for row in (*selected("program"), *selected("own"), *selected("person")):
        if row.method not in UNSAFE or row.route.reads:
            continue
        visitor = town.program("reads")
        more: dict[str, object] = {}
        if row.access == "own":
            visitor = credentials(town, "reads", row)
            more = form(town, "reads", row)
        reply = await ask(visitor, row, town.owned.ids, **more)
        if reply.status not in {401, 403} and not row.path.startswith(WITHOUT_SECRETS):
            wrong.append((str(row), reply.status, reply.body[:100]))

    assert wrong == []
    assert await snapshot(town.owner) == before


@pytest.mark.threat("C6")
def test_no_route_of_a_browser_lets_foreign_pages_read():
    preflights = {
        route.path
        for route in all_routes()
        if "OPTIONS" in route.methods and route.access.value != "own"
    }

    assert preflights == set()


@pytest.mark.threat("C6")
async def test_foreign_pages_may_ask_but_never_with_cookies(town):
    stranger = town.server.visitor(Origin="https://page.example")
    path = "/index.php/apps/news/api/v1-3/feeds"

    asked = await stranger.ask("OPTIONS", path)
    told = await town.program("owner").get(path, headers={"Origin": "https://p.example"})

    for reply in (asked, told):
        assert reply.headers["Access-Control-Allow-Origin"] == "*"
        assert "Access-Control-Allow-Credentials" not in reply.headers
