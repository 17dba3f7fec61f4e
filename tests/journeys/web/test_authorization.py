"""Who may come in where: every route, every kind of visitor, on both engines."""

import pytest

from feedloom.serve.application import all_routes
from feedloom.serve.routes import Access
from tests.journeys.web.matrix import (
    UNSAFE,
    ask,
    canonical,
    is_personal,
    rows,
    selected,
    snapshot,
    written,
)
from tests.journeys.web.town import forget_throttle

pytestmark = pytest.mark.both_engines

ACTORS = (
    "nobody",
    "another person",
    "the owner",
    "an operator",
    "a disabled person's session",
    "a disabled person's app password",
    "a revoked app password",
    "a read-only app password",
)
"""Who asks at the routes, in the tests here and in ``test_authorization_of_programs``."""


@pytest.mark.threat("A7", "A19")
def test_every_route_has_a_row_and_every_row_a_route(counts):
    routes = [str(row) for row in rows()]
    counts("authorization", routes_and_methods=len(routes), actors=len(ACTORS))

    missing = sorted(set(routes) - set(written()))
    stale = sorted(set(written()) - set(routes))

    assert not missing, f"write into access.txt who may use: {missing}"
    assert not stale, f"access.txt has lines without a route: {stale}"


def test_spellings_of_one_address_have_one_access():
    spellings: dict[tuple[str, str], set[Access]] = {}
    for route in all_routes():
        for method in route.methods:
            key = (canonical(route.path), method)
            spellings.setdefault(key, set()).add(route.access)

    assert {key for key, found in spellings.items() if len(found) > 1} == set()


def test_routes_of_browsers_need_a_token_for_everything_unsafe():
    careless = [
        str(row)
        for row in selected("anyone", "person", "operator")
        if row.method in UNSAFE and not row.route.csrf
    ]

    assert careless == []


@pytest.mark.threat("A7", "C1")
async def test_nobody_gets_through_a_route_that_wants_somebody(town):
    stranger = town.server.visitor()
    wrong = []
    for row in selected("person", "operator", "program"):
        reply = await ask(stranger, row, town.owned.ids)
        if reply.status != 401:
            wrong.append((str(row), reply.status))

    assert wrong == []


@pytest.mark.threat("A2", "A3", "C1")
@pytest.mark.parametrize("who", ["disabled session", "disabled key", "revoked key"])
async def test_credentials_that_ended_open_nothing(town, who):
    visitor = {
        "disabled session": town.disabled,
        "disabled key": town.program("disabled"),
        "revoked key": town.program("revoked"),
    }[who]
    await forget_throttle(town.server)
    wrong = []
    for row in selected("person", "operator", "program"):
        reply = await ask(visitor, row, town.owned.ids)
        if reply.status == 429:
            await forget_throttle(town.server)
            reply = await ask(visitor, row, town.owned.ids)
        if reply.status != 401:
            wrong.append((str(row), reply.status))

    assert wrong == []


async def test_401_says_how_to_sign_in(town):
    stranger = town.server.visitor()
    wrong = []
    for row in selected("person", "operator", "program"):
        reply = await ask(stranger, row, town.owned.ids)
        scheme = reply.headers.get("WWW-Authenticate", "").partition(" ")[0]
        where = reply.headers.get("Location")
        told = ("Basic", None) if row.access == "program" else ("Bearer", "/auth/login")
        if (scheme, where) != told:
            wrong.append((str(row), scheme, where))

    assert wrong == []


@pytest.mark.threat("C6")
async def test_a_cookie_never_opens_a_route_of_programs(town):
    await forget_throttle(town.server)
    wrong = []
    for row in selected("program"):
        reply = await ask(town.owner, row, town.owned.ids)
        if reply.status != 401:
            wrong.append((str(row), reply.status))

    assert wrong == []


@pytest.mark.threat("A7")
@pytest.mark.parametrize("who", ["other", "operator"])
async def test_another_persons_things_are_not_found_and_stay_as_they_are(town, who):
    visitor = town.other if who == "other" else town.operator
    before = await snapshot(town.owner)
    wrong = []
    for row in selected("person"):
        if is_personal(row):
            reply = await ask(visitor, row, town.owned.ids)
            if reply.status != 404:
                wrong.append((str(row), reply.status, reply.text[:100]))

    assert wrong == []
    assert await snapshot(town.owner) == before


@pytest.mark.threat("A8")
async def test_ids_of_others_in_bodies_have_no_effect(town):
    ids = town.owned.ids
    feed, item = int(ids["feed"]), int(ids["item"])
    folder = int(ids["folder"])
    other = town.other
    mine = (await other.post("/api/folders", json={"name": "Mine"})).json()["id"]
    before = await snapshot(town.owner)

    statuses = {
        "parent": await other.post("/api/folders", json={"name": "Below", "parent_id": folder}),
        "move": await other.patch(f"/api/folders/{mine}", json={"parent_id": folder}),
        "rule": await other.post(
            "/api/rules", json={"field": "title", "pattern": "x", "action": "star", "feed_id": feed}
        ),
    }
    marked = await other.post("/api/articles/mark", json={"ids": [item], "mark": "starred"})
    listed = await other.get(f"/api/articles?feed_id={feed}")
    swept = await other.post("/api/articles/mark-all", json={"folder_id": folder})

    assert {name: reply.status for name, reply in statuses.items()} == dict.fromkeys(statuses, 404)
    assert marked.json() == {"count": 0, "ids": []}
    assert listed.json()["articles"] == []
    assert swept.json()["count"] == 0
    assert await snapshot(town.owner) == before


@pytest.mark.threat("A19")
async def test_routes_of_operators_are_closed_to_readers(town):
    wrong = []
    for row in selected("operator"):
        reply = await ask(town.other, row, town.owned.ids)
        if reply.status != 403:
            wrong.append((str(row), reply.status))

    assert wrong == []


async def test_operators_get_through_the_routes_of_operators(town):
    wrong = []
    for row in selected("operator"):
        if row.method == "GET":
            reply = await ask(town.operator, row, town.owned.ids)
            if reply.status != 200:
                wrong.append((str(row), reply.status, reply.text[:200]))

    assert wrong == []


@pytest.mark.threat("A5")
async def test_reading_pages_changes_nothing(town):
    before = await snapshot(town.owner)
    wrong = []
    for row in selected("public", "anyone", "person"):
        if row.method == "GET":
            reply = await ask(town.owner, row, town.owned.ids)
            if reply.status in {401, 403} or reply.status >= 500:
                wrong.append((str(row), reply.status))

    assert wrong == [("public GET /readyz", 503)]  # no worker runs here
    assert await snapshot(town.owner) == before


async def test_owners_get_through_their_own_routes(town):
    wrong = []
    for row in selected("person"):
        if row.method == "GET" and is_personal(row):
            reply = await ask(town.owner, row, town.owned.ids)
            if reply.status not in {200, 202}:
                wrong.append((str(row), reply.status, reply.text[:200]))

    assert wrong == []


@pytest.mark.threat("A5")
@pytest.mark.parametrize("token", ["none", "another session's", "garbage"])
async def test_an_unsafe_request_without_its_own_token_is_refused(town, token):
    given = {"none": None, "another session's": town.other.token, "garbage": "a.b"}
    headers = {"X-CSRF-Token": given[token]} if given[token] else {}
    before = await snapshot(town.owner)
    wrong = []
    for row in selected("person", "operator", "anyone"):
        if row.method in UNSAFE:
            who = town.operator if row.access == "operator" else town.owner
            reply = await ask(who, row, town.owned.ids, csrf=False, headers=headers)
            if reply.status != 403:
                wrong.append((str(row), reply.status))

    assert wrong == []
    assert await snapshot(town.owner) == before


@pytest.mark.threat("A5")
async def test_a_form_without_its_token_is_refused_and_with_it_taken(town):
    token = await town.other.open_form("/auth/password")
    path, data = "/settings/theme", {"theme": "dark"}

    without = await town.other.post(path, data=data, csrf=False)
    with_it = await town.other.post(path, data={**data, "csrf_token": token}, csrf=False)

    assert without.status == 403
    assert with_it.status < 400


@pytest.mark.threat("A5")
async def test_json_dressed_as_plain_text_is_refused(town):
    reply = await town.other.post(
        "/api/folders", data='{"name": "Forged"}', headers={"Content-Type": "text/plain"}
    )
    without_token = await town.other.post(
        "/api/folders",
        data='{"name": "Forged"}',
        headers={"Content-Type": "text/plain"},
        csrf=False,
    )

    assert (reply.status, without_token.status) == (415, 403)


@pytest.mark.threat("A5")
async def test_a_method_in_a_header_or_field_is_not_believed(town):
    path = f"/feeds/{town.owned.ids['feed']}"

    in_header = await town.owner.get(path, headers={"X-HTTP-Method-Override": "DELETE"})
    in_field = await town.owner.post(f"{path}?_method=DELETE", data={"_method": "DELETE"})

    assert in_header.status == 200
    assert in_field.status == 405
    assert (await town.owner.get(path)).status == 200


@pytest.mark.threat("A5")
async def test_a_token_in_the_address_is_not_taken(town):
    reply = await town.owner.post(
        f"/api/folders?csrf_token={town.owner.token}", json={"name": "x"}, csrf=False
    )

    assert reply.status == 403


@pytest.mark.threat("A5")
@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://["},
        {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"},
    ],
)
async def test_sign_in_from_a_foreign_page_is_refused(shared_server, headers):
    visitor = shared_server.visitor()
    token = await visitor.open_form("/auth/login")
    form = {"email": "x@example.org", "password": "x", "csrf_token": token}

    reply = await visitor.post("/auth/login", data=form, headers=headers)

    assert reply.status == 403


async def test_sign_in_needs_the_cookie_its_form_came_with(shared_server):
    token = await shared_server.visitor().open_form("/auth/login")
    form = {"email": "x@example.org", "password": "x", "csrf_token": token}

    reply = await shared_server.visitor().post("/auth/login", data=form)

    assert reply.status == 403


@pytest.mark.threat("C7")
@pytest.mark.parametrize(
    "header",
    [
        "Basic",
        "Basic ",
        "Basic !!!",
        "Basic " + "A" * 20_000,
        "Basic /////w==",
        "Basic AAAA",
        "Basic Og==",
        "Bearer",
        "Bearer " + "A" * 20_000,
        "Bearer \xff\xfe",
        "Digest x",
    ],
)
async def test_odd_authorization_headers_are_simply_wrong(shared_server, header):
    await forget_throttle(shared_server)
    visitor = shared_server.visitor(Authorization=header)

    person = await visitor.get("/api/me")
    program = await visitor.get("/index.php/apps/news/api/v1-3/feeds")

    assert (person.status, program.status) == (401, 401)


@pytest.mark.threat("A6")
@pytest.mark.parametrize(
    "next_path",
    [
        "//evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "https:evil.example",
        "https://evil.example",
        "javascript:alert(1)",
        "/%2f/evil.example",
        "/%5cevil.example",
        "/%252f%252fevil.example",
        "/%25252f[",
        "/\tevil",
        "/a\r\nSet-Cookie: x=y",
        "evil.example",
        " //evil.example",
        "/./\\evil.example",
        "/auth/logout",
        "",
    ],
)
async def test_after_signing_in_nobody_is_sent_away(shared_server, next_path):
    email = f"next{abs(hash(next_path))}@example.org"
    await shared_server.register(email)
    visitor = shared_server.visitor()
    page = await visitor.ask(
        "GET", "/auth/login", params={"next": next_path}, headers={"Accept": "text/html"}
    )
    form = {
        "email": email,
        "password": "correct horse battery",
        "next": next_path,
        "csrf_token": page.form_token,
    }

    reply = await visitor.post("/auth/login", data=form)

    assert 'name="next" value=""' in page.text
    assert (reply.status, reply.headers["Location"]) == (303, "/dashboard")


async def test_a_local_address_is_come_back_to(shared_server):
    await shared_server.register("back@example.org")
    visitor = shared_server.visitor()
    page = await visitor.get("/ui/?view=feeds&q=a%20b", headers={"Accept": "text/html"})
    form = {
        "email": "back@example.org",
        "password": "correct horse battery",
        "next": "/ui/?view=feeds&q=a%20b",
        "csrf_token": page.form_token,
    }

    reply = await visitor.post("/auth/login", data=form)

    assert page.status == 401
    assert 'value="/ui/?view=feeds&amp;q=a%20b"' in page.text
    assert reply.headers["Location"] == "/ui/?view=feeds&q=a%20b"


async def test_htmx_is_sent_to_any_local_address(shared_server):
    await shared_server.register("letters@example.org")
    visitor = shared_server.visitor()
    token = await visitor.open_form("/auth/login")
    form = {
        "email": "letters@example.org",
        "password": "correct horse battery",
        "next": "/read/tag/日本?show=all&q=a%20b",
        "csrf_token": token,
    }

    reply = await visitor.post("/auth/login", data=form, headers={"HX-Request": "true"})

    assert reply.status == 204
    assert reply.headers["HX-Redirect"] == "/read/tag/%E6%97%A5%E6%9C%AC?show=all&q=a%20b"


@pytest.mark.parametrize("name", ["Referer", "HX-Current-URL"])
async def test_an_address_that_is_none_is_not_come_back_to(shared_server, name):
    headers = {"HX-Request": "true", "Accept": "text/html", name: "http://["}

    reply = await shared_server.visitor().get("/feeds", headers=headers)

    assert reply.status == 401
    assert reply.headers["HX-Redirect"] == "/auth/login"


async def test_htmx_is_told_to_go_to_the_sign_in_page(shared_server):
    visitor = shared_server.visitor()

    reply = await visitor.get(
        "/feeds",
        headers={
            "HX-Request": "true",
            "HX-Current-URL": f"{shared_server.url}/dashboard?status=error",
        },
    )

    assert reply.status == 401
    assert reply.headers["HX-Redirect"] == "/auth/login?next=/dashboard%3Fstatus%3Derror"
    assert reply.headers["Location"] == "/auth/login"


@pytest.mark.threat("X9")
@pytest.mark.parametrize("route", ["/auth/login", "/accounts/ClientLogin"])
@pytest.mark.parametrize(
    "charset", ["undefined", "idna", "raw_unicode_escape", '"unicode_escape"', "utf-7"]
)
async def test_a_form_in_another_encoding_is_refused(shared_server, route, charset):
    visitor = shared_server.visitor()
    token = await visitor.open_form("/auth/login")
    kind = f"multipart/form-data; boundary=X; CharSet={charset}"

    refused = await visitor.post(route, data=multipart(token), headers=form_of(kind))
    taken = await visitor.post(
        route,
        data=multipart(token),
        headers=form_of("multipart/form-data; boundary=X; charset=UTF-8"),
    )
    await forget_throttle(shared_server)

    assert refused.status in {400, 422}
    assert "UTF-8" in refused.text
    assert taken.status in {401, 403}


def form_of(kind: str) -> dict[str, str]:
    return {"Content-Type": kind, "Accept": "text/html"}


def multipart(token: str) -> bytes:
    fields = {
        "email": "\\ud800@example.org",
        "password": "\\ud800",
        "Email": "\\ud800",
        "Passwd": "\\ud800",
        "csrf_token": token,
    }
    parts = (
        f'--X\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in fields.items()
    )
    return f"{''.join(parts)}--X--\r\n".encode()
