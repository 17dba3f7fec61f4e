"""Who may make accounts: asked once, decided on the page or by the setting."""

import asyncio
import re

import pytest

from feedloom.app import Container
from feedloom.store.engine.scripts import WORKER, sql
from tests.journeys.web.test_accounts import FORM, send_form
from tests.serving import HTML, Reply, Server, Visitor

PAGE = "/admin/registration"
QUESTION = "Choose who can"
BOB = FORM | {"email": "bob@example.org"}

pytestmark = pytest.mark.threat("A24")


async def choose(operator: Visitor, mode: str, **more: str) -> Reply:
    return await operator.post(PAGE, data={"mode": mode, **more}, headers=HTML)


async def invite(operator: Visitor) -> str:
    """Make an invitation; return the path of its link."""
    reply = await operator.post(f"{PAGE}/invitations", data={}, headers=HTML)
    found = re.search(r'id="new-invitation"[^>]*>[^<]*?(/auth/register[^<]+)<', reply.text)
    assert found, reply.text
    return found[1]


async def accept(server: Server, link: str, email: str) -> int:
    visitor = server.visitor()
    token = await visitor.open_form("/auth/login")
    form = FORM | {"email": email, "invitation": link.partition("=")[2], "csrf_token": token}
    return (await visitor.post("/auth/register", data=form, headers=HTML)).status


async def register(server: Server, **more: str) -> int:
    visitor = server.visitor()
    token = await visitor.open_form("/auth/login")
    form = BOB | more | {"csrf_token": token}
    return (await visitor.post("/auth/register", data=form, headers=HTML)).status


async def test_the_first_account_is_asked_and_the_question_stays_until_answered(server):
    operator = server.visitor()
    first = await send_form(operator, "/auth/register", FORM)
    operator = await server.sign_in("ada@example.org")
    pages = ["/admin", "/admin/people", "/admin/feeds", "/admin/topics"]
    pages += ["/admin/proxies", "/admin/spending", "/admin/events"]

    before = [QUESTION in (await operator.get(p, headers=HTML)).text for p in pages]
    meanwhile = await register(server)
    answer = await choose(operator, "closed")
    after = [QUESTION in (await operator.get(p, headers=HTML)).text for p in pages]

    assert first.headers["Location"] == PAGE
    assert meanwhile == answer.status == 303
    assert (set(before), set(after)) == ({True}, {False})
    assert await register(server, email="eve@example.org") == 403


async def test_an_invitation_makes_one_account(server):
    operator = await server.register("ada@example.org")
    await choose(operator, "invite")
    link = await invite(operator)

    without = await register(server)
    page = await server.visitor().get(link, headers=HTML)
    several = await asyncio.gather(*(accept(server, link, f"p{n}@example.org") for n in range(4)))
    used = await server.visitor().get(link, headers=HTML)

    assert without == 403
    assert (page.status, used.status) == (200, 403)
    assert sorted(several) == [303, 403, 403, 403]


async def test_an_invitation_expires_and_can_be_revoked(server):
    operator = await server.register("ada@example.org")
    await choose(operator, "invite")
    old, revoked = await invite(operator), await invite(operator)
    listed = await operator.get(PAGE, headers=HTML)
    ids = sorted(map(int, re.findall(r"invitations/(\d+)/revoke", listed.text)))
    await operator.post(f"{PAGE}/invitations/{ids[1]}/revoke", headers=HTML)

    async def expire(container: Container) -> None:
        def steps():
            yield sql("UPDATE invitations SET expires_at = now_us() - 1")

        await container.work.write(WORKER, steps)

    assert await accept(server, revoked, "bob@example.org") == 403
    await server.call(expire)
    assert await accept(server, old, "bob@example.org") == 403


async def test_an_invitation_is_not_used_up_by_a_mistake(server):
    operator = await server.register("ada@example.org")
    await choose(operator, "invite")
    link = await invite(operator)

    taken = await accept(server, link, "ada@example.org")

    assert taken == 409
    assert await accept(server, link, "bob@example.org") == 303


async def test_a_code_is_asked_for_when_chosen(server):
    operator = await server.register("ada@example.org")
    without = await choose(operator, "code")
    await choose(operator, "code", code="sesame")

    assert without.status == 400
    assert await register(server, code="x") == 400
    assert await register(server, code="sesame") == 303


async def test_the_setting_decides_where_it_is_set(serve):
    server = serve(registration="invite")
    operator = await server.register("ada@example.org")
    page = await operator.get(PAGE, headers=HTML)

    refused = await choose(operator, "open")

    assert "FEEDLOOM_REGISTRATION" in page.text
    assert QUESTION not in (await operator.get("/admin", headers=HTML)).text
    assert refused.status == 409
    assert await register(server) == 403
    assert await accept(server, await invite(operator), "bob@example.org") == 303


@pytest.mark.threat("A11")
async def test_one_address_makes_few_accounts(server):
    statuses = [await register(server, email=f"p{n}@example.org") for n in range(12)]

    assert statuses == [303] * 10 + [429] * 2
