"""Pages for operators: people, feeds, queues, events."""

import re
import uuid

import pytest

from feedloom.store.engine.scripts import WORKER, sql
from tests.journeys.web.people import Page
from tests.serving import HTML, Server, Visitor

pytestmark = pytest.mark.both_engines


@pytest.fixture
def server(shared_server: Server) -> Server:
    return shared_server


@pytest.fixture
async def operator(shared_server: Server) -> Visitor:
    """The module's first account; later tests sign in again."""
    if await shared_server.call(lambda container: container.accounts.store.has_any()):
        return await shared_server.sign_in("ada@example.org")
    return await shared_server.register("ada@example.org")


@pytest.fixture
def email() -> str:
    """An address nobody has yet."""
    return f"bob-{uuid.uuid4().hex[:12]}@example.org"


@pytest.fixture
async def bob(server: Server, operator: Visitor, email: str) -> Visitor:
    """Somebody to do things to."""
    return await server.register(email)


async def person_id(visitor: Visitor) -> int:
    return int((await visitor.get("/api/me")).json()["id"])


def shown_password(text: str) -> str:
    found = re.search(r'id="new-password"[^>]*>([^<]+)<', text)
    assert found, text
    return found[1]


async def test_somebody_is_added_with_a_password_shown_once(server, operator, email):
    reply = await operator.post("/admin/people", data={"email": email}, headers=HTML)

    added = await server.sign_in(email, shown_password(reply.text))
    page = await operator.get(f"/admin/people?search={email}", headers=HTML)
    assert (await added.get("/api/me")).json()["role"] == "reader"
    assert email in page.text
    assert "new-password" not in page.text


@pytest.mark.parametrize(
    ("given", "status", "message"),
    [
        ("ada@example.org", 409, "User already registered"),
        ("nonsense", 400, "Invalid email format"),
        ("", 400, "Email is required"),
    ],
)
async def test_why_somebody_cannot_be_added_is_said(operator, given, status, message):
    reply = await operator.post("/admin/people", data={"email": given}, headers=HTML)

    assert reply.status == status
    assert message in reply.text


async def test_somebody_is_locked_out_and_let_in_again(server, operator, bob, email):
    path = f"/admin/people/{await person_id(bob)}/disabled"

    await operator.post(path, data={"disabled": "yes"}, headers=HTML)
    out = (await bob.get("/api/me")).status
    page = await operator.get(f"/admin/people?search={email}", headers=HTML)
    await operator.post(path, data={"disabled": "no"}, headers=HTML)

    assert out == 401
    assert "(disabled)" in page.text
    assert await server.sign_in(email)


async def test_a_role_is_given_and_taken(server, operator, bob, email):
    path = f"/admin/people/{await person_id(bob)}/role"

    await operator.post(path, data={"role": "operator"}, headers=HTML)
    promoted = await server.sign_in(email)
    seen = (await promoted.get("/admin", headers=HTML)).status
    await operator.post(path, data={"role": "reader"}, headers=HTML)
    odd = await operator.post(path, data={"role": "emperor"}, headers=HTML)

    assert seen == 200
    assert (await promoted.get("/admin", headers=HTML)).status == 401
    assert odd.status == 400


@pytest.mark.threat("A3")
async def test_a_password_is_reset_and_sessions_end(server, operator, bob, email):
    reply = await operator.post(f"/admin/people/{await person_id(bob)}/password", headers=HTML)

    assert (await bob.get("/api/me")).status == 401
    assert await server.sign_in(email, shown_password(reply.text))


@pytest.mark.threat("A19")
async def test_an_operators_app_password_changes_nothing_about_people(server, operator, bob, email):
    program = await server.program("ada@example.org")
    path = f"/admin/people/{await person_id(bob)}"

    replies = [
        await program.post("/admin/people", data={"email": f"x-{email}"}, headers=HTML),
        await program.post(f"{path}/role", data={"role": "operator"}, headers=HTML),
        await program.post(f"{path}/disabled", data={"disabled": "yes"}, headers=HTML),
        await program.post(f"{path}/password", headers=HTML),
        await program.post(f"{path}/delete", data={"email": email}, headers=HTML),
    ]

    page = await program.get(f"/admin/people?search={email}", headers=HTML)
    assert [reply.status for reply in replies] == [403] * 5
    assert all("Use a browser" in reply.text for reply in replies)
    assert page.status == 200
    assert f"x-{email}" not in page.text
    assert (await bob.get("/api/me")).json()["role"] == "reader"


@pytest.mark.threat("R5")
async def test_somebody_is_deleted_with_everything_when_the_address_is_typed(
    server, operator, bob, email, town_publisher
):
    await bob.post("/feeds", json={"url": town_publisher.feed("/blog.xml")})
    await server.refresh_all()
    number = await person_id(bob)
    path = f"/admin/people/{number}/delete"

    wrong = await operator.post(path, data={"email": "x"}, headers=HTML)
    still = (await bob.get("/api/me")).status
    right = await operator.post(path, data={"email": email}, headers=HTML)

    def left():
        rows = yield sql(
            "SELECT (SELECT count(*) FROM article_states WHERE user_id = :id) AS states,"
            " (SELECT count(*) FROM users WHERE id = :id) AS users",
            id=number,
        )
        return dict(rows[0])

    assert (wrong.status, still, right.status) == (400, 200, 303)
    assert (await bob.get("/api/me")).status == 401
    counted = await server.call(lambda container: container.work.read(WORKER, left))
    assert counted == {"states": 0, "users": 0}


@pytest.mark.parametrize("act", ["disabled", "role", "password", "delete"])
async def test_nobody_does_it_to_themselves(operator, act):
    path = f"/admin/people/{await person_id(operator)}/{act}"

    reply = await operator.post(path, data={"disabled": "yes", "role": "reader"}, headers=HTML)

    assert reply.status == 409
    assert Page(reply.text).texts("h1") == ["Conflicts with the current state"]
    assert (await operator.get("/admin", headers=HTML)).status == 200


async def test_people_are_found_by_a_part_of_their_address(server, operator):
    await server.register("bob_1@example.org")
    await server.register("bobx1@example.org")

    found = await operator.get("/admin/people?search=BOB_1", headers=HTML)

    assert "bob_1@example.org" in found.text
    assert "bobx1@example.org" not in found.text


async def test_feeds_are_listed_by_state_and_fetched(server, operator, town_publisher):
    url = town_publisher.feed("/listed.xml", title="The Blog")
    await operator.post("/feeds", json={"url": url})
    await server.refresh_all()
    page = await operator.get("/admin/feeds?state=healthy", headers=HTML)
    path = re.findall(r'action="(/admin/feeds/\d+/refresh)"', page.text)[-1]
    town_publisher.forget()

    reply = await operator.post(path, headers=HTML)
    await server.refresh_all(due_only=True)

    assert "The Blog" in page.text
    assert reply.status == 303
    assert town_publisher.count("/listed.xml") == 1


@pytest.mark.threat("S15")
async def test_a_feeds_password_is_not_shown_to_operators(operator, bob, town_publisher):
    url = town_publisher.feed("/secret.xml").replace("http://", "http://user:geheim@")
    await bob.post("/feeds", json={"url": url})

    page = await operator.get("/admin/feeds", headers=HTML)

    assert "geheim" not in page.text


async def test_events_tell_who_did_what(operator, bob, email):

    page = await operator.get("/admin/events", headers=HTML)

    assert "user_registered" in page.text
    assert email in page.text


async def test_what_operators_do_is_in_the_audit_trail(server, operator, bob):
    number = await person_id(bob)
    await operator.post(f"/admin/people/{number}/disabled", data={"disabled": "yes"}, headers=HTML)

    def trail():
        rows = yield sql("SELECT actor, action, subject FROM audit_log")
        return [tuple(dict(row).values()) for row in rows]

    lines = await server.call(lambda container: container.work.read(WORKER, trail))
    assert ("ada@example.org", "disabled", f"person:{number}") in lines


async def test_a_missing_worker_is_told_on_the_overview(server, operator):
    page = await operator.get("/admin", headers=HTML)

    assert "No worker has run recently" in page.text


@pytest.mark.threat("A22")
@pytest.mark.parametrize(
    "path",
    [
        "/admin/people?after=x",
        "/admin/people?after=99999999999",
        "/admin/feeds?after=-1",
        "/admin/events?before=1e9",
    ],
)
async def test_an_odd_page_number_is_a_bad_request(operator, path):
    assert (await operator.get(path, headers=HTML)).status == 400


def _forget_workers():
    yield sql("DELETE FROM workers")


async def test_operators_see_on_every_page_that_no_worker_runs_and_others_do_not(
    server, operator, bob
):
    async def beat(container):
        await container.operations().beat("one", {})

    before = await operator.get("/ui/", headers=HTML)
    of_bob = await bob.get("/ui/", headers=HTML)
    await server.call(beat)
    after = await operator.get("/ui/", headers=HTML)
    await server.call(lambda container: container.work.write(WORKER, _forget_workers))

    assert "No worker has run recently" in before.text
    assert "No worker has run recently" not in of_bob.text
    assert "No worker has run recently" not in after.text
