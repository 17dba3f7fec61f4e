"""Accounts as seed 002 describes them: register, sign in and out, messages, statuses."""

import asyncio
import re
from collections import Counter

import pytest

from feedloom.app import Container
from feedloom.model.reader import Role
from tests.journeys.web.people import Page
from tests.serving import HTML, PASSWORD, Reply, Server, Visitor

FORM = {
    "email": "ada@example.org",
    "password": PASSWORD,
    "password_confirmation": PASSWORD,
    "privacy": "on",
}
KEEP = "input[name=keep_programs]"


async def send_form(visitor: Visitor, path: str, form: dict[str, str]) -> Reply:
    token = await visitor.open_form(path)
    return await visitor.post(path, data={**form, "csrf_token": token}, headers=HTML)


async def events(server: Server) -> list[tuple[str, str]]:
    lines = await server.call(lambda container: container.services().oversight.events())
    return [(line.email, line.event_type) for line in reversed(lines)]


async def test_registration_signs_in_and_goes_to_the_dashboard(server):
    await server.register("operator@example.org")
    visitor = server.visitor()

    reply = await send_form(visitor, "/auth/register", FORM)

    assert (reply.status, reply.headers["Location"]) == (303, "/dashboard")
    assert (await visitor.get("/api/me")).json()["email"] == "ada@example.org"
    told = [event for email, event in await events(server) if email.startswith("ada")]
    assert told == ["user_registered"]


async def test_the_first_account_is_the_operators_and_the_second_is_not(server):
    ada = await server.register("ada@example.org")
    bob = await server.register("bob@example.org")

    assert (await ada.get("/api/me")).json()["role"] == "operator"
    assert (await bob.get("/api/me")).json()["role"] == "reader"


@pytest.mark.threat("A14")
async def test_of_many_first_accounts_at_once_exactly_one_becomes_operator(server):
    visitors = await asyncio.gather(*(server.register(f"{name}@example.org") for name in "abcdef"))

    roles = [(await each.get("/api/me")).json()["role"] for each in visitors]
    assert sorted(roles) == ["operator", *["reader"] * 5]


@pytest.mark.parametrize(
    ("change", "status", "message"),
    [
        ({"email": ""}, 400, "Email is required"),
        ({"email": "no address"}, 400, "Invalid email format"),
        ({"email": "a@b" + "c" * 300}, 400, "Invalid email format"),
        ({"password": "short", "password_confirmation": "short"}, 400, "at least 8"),
        ({"password_confirmation": "another one"}, 400, "Passwords do not match"),
        ({"privacy": ""}, 400, "You must accept the privacy policy"),
    ],
)
async def test_what_is_wrong_with_a_registration_is_said(shared_server, change, status, message):
    reply = await send_form(shared_server.visitor(), "/auth/register", FORM | change)

    assert reply.status == status
    assert message in reply.text
    focused = Page(reply.text).all("input[autofocus]")
    assert [field.attributes["name"] for field in focused] == [next(iter(change))]
    assert "__Host-" not in str(reply.cookies)
    assert "feedloom_session" not in reply.cookies


async def test_a_registered_address_is_a_conflict_whatever_its_case(server):
    await server.register("ada@example.org")

    reply = await send_form(server.visitor(), "/auth/register", FORM | {"email": "ADA@Example.org"})

    assert reply.status == 409
    assert "User already registered" in reply.text


@pytest.mark.threat("A9")
async def test_fields_nobody_asked_for_are_ignored(server):
    await server.register("ada@example.org")
    visitor = server.visitor()
    form = FORM | {"email": "eve@example.org", "role": "operator", "is_admin": "1"}

    await send_form(visitor, "/auth/register", form)

    assert (await visitor.get("/api/me")).json()["role"] == "reader"


async def test_signing_in_goes_to_the_dashboard_and_is_an_event(server):
    await server.register("ada@example.org")
    visitor = server.visitor()
    form = {"email": "ada@example.org", "password": PASSWORD}

    reply = await send_form(visitor, "/auth/login", form)

    assert (reply.status, reply.headers["Location"]) == (303, "/dashboard")
    assert (await events(server))[-1] == ("ada@example.org", "user_login")


@pytest.mark.threat("A10")
@pytest.mark.parametrize("email", ["ada@example.org", "nobody@example.org"])
async def test_wrong_credentials_are_one_message_whoever_is_asked_for(shared_server, email):
    form = {"email": email, "password": "wrong password"}

    reply = await send_form(shared_server.visitor(), "/auth/login", form)

    assert reply.status == 401
    assert "Invalid email or password" in reply.text
    assert "feedloom_session" not in reply.cookies


async def test_an_empty_sign_in_form_is_a_bad_request(shared_server):
    reply = await send_form(shared_server.visitor(), "/auth/login", {"email": "", "password": "x"})

    assert reply.status == 400
    assert "Email is required" in reply.text


@pytest.mark.threat("A11")
async def test_too_many_wrong_passwords_are_throttled_and_the_right_one_too(server):
    await server.register("ada@example.org")
    visitor = server.visitor()
    form = {"email": "ada@example.org", "password": "wrong password"}
    statuses = [(await send_form(visitor, "/auth/login", form)).status for _ in range(6)]

    reply = await send_form(visitor, "/auth/login", form | {"password": PASSWORD})

    assert statuses == [401, 401, 401, 401, 401, 429]
    assert reply.status == 429
    assert int(reply.headers["Retry-After"]) >= 1


@pytest.mark.threat("A11")
async def test_guessing_many_accounts_from_one_address_is_throttled(server):
    visitor = server.visitor()
    statuses = []
    for number in range(21):
        form = {"email": f"p{number}@example.org", "password": "wrong password"}
        statuses.append((await send_form(visitor, "/auth/login", form)).status)

    assert statuses[0] == 401
    assert statuses[-1] == 429


@pytest.mark.threat("A11")
async def test_guessing_the_code_many_times_at_once_is_throttled(serve):
    server = serve(registration="code", registration_code="sesame")
    await server.register("ada@example.org")
    stranger = server.visitor()
    token = await stranger.open_form("/auth/register")
    form = FORM | {"email": "bob@example.org", "code": "guess", "csrf_token": token}

    replies = await asyncio.gather(
        *(stranger.post("/auth/register", data=form, headers=HTML) for _ in range(60))
    )

    statuses = Counter(reply.status for reply in replies)
    assert statuses == {400: 20, 429: 40}


@pytest.mark.threat("A11", "A12")
async def test_a_forged_forwarding_header_does_not_get_around_the_throttle(server):
    visitor = server.visitor()
    statuses = []
    for number in range(21):
        visitor.headers["X-Forwarded-For"] = f"203.0.113.{number}"
        form = {"email": f"p{number}@example.org", "password": "wrong password"}
        statuses.append((await send_form(visitor, "/auth/login", form)).status)

    assert statuses[-1] == 429


@pytest.mark.threat("A10", "A11")
async def test_asking_for_taken_addresses_is_throttled(server):
    await server.register("ada@example.org")
    visitor = server.visitor()

    statuses = [(await send_form(visitor, "/auth/register", FORM)).status for _ in range(21)]

    assert statuses[0] == 409
    assert statuses[-1] == 429


@pytest.mark.threat("A2")
async def test_signing_out_kills_the_session_on_the_server(server):
    ada = await server.register("ada@example.org")
    stolen = Visitor(server.url, cookies=dict(ada.cookies))

    reply = await ada.post("/auth/logout", headers=HTML)

    assert (reply.status, reply.headers["Location"]) == (303, "/auth/login?did=out")
    assert '"storage"' in reply.headers["Clear-Site-Data"]
    assert "feedloom_session" not in ada.cookies
    assert (await stolen.get("/api/me")).status == 401


@pytest.mark.threat("A5")
async def test_signing_out_needs_more_than_a_link(shared_server):
    ada = await shared_server.register("link@example.org")

    reply = await ada.get("/auth/logout", headers=HTML)

    assert reply.status == 200
    assert (await ada.get("/api/me")).status == 200


@pytest.mark.threat("A1")
async def test_a_session_somebody_planted_is_not_taken_over(server):
    await server.register("ada@example.org")
    planted = "attackers-token-attackers-token-attackers"
    victim = server.visitor()
    victim.cookies["feedloom_session"] = planted
    await send_form(victim, "/auth/login", {"email": "ada@example.org", "password": PASSWORD})

    attacker = server.visitor()
    attacker.cookies["feedloom_session"] = planted

    assert victim.cookies["feedloom_session"] != planted
    assert (await attacker.get("/api/me")).status == 401


@pytest.mark.threat("A1")
async def test_signing_in_again_ends_the_session_before_whoever_it_was(server):
    ada = await server.register("ada@example.org")
    await server.register("bob@example.org")
    before = Visitor(server.url, cookies=dict(ada.cookies))
    login = await ada.get("/auth/logout", headers=HTML)
    form = {"email": "bob@example.org", "password": PASSWORD, "csrf_token": login.form_token}

    await ada.post("/auth/login", data=form, headers=HTML)

    assert (await ada.get("/api/me")).json()["email"] == "bob@example.org"
    assert (await before.get("/api/me")).status == 401


async def change_password(visitor: Visitor, old: str, new: str) -> Reply:
    form = {"old": old, "password": new, "password_confirmation": new}
    return await send_form(visitor, "/auth/password", form)


@pytest.mark.threat("A1", "A3")
async def test_a_new_password_ends_all_sessions_but_gives_this_browser_a_new_one(server):
    ada = await server.register("ada@example.org")
    elsewhere = await server.sign_in("ada@example.org")
    same_cookie = Visitor(server.url, cookies=dict(ada.cookies))

    reply = await change_password(ada, PASSWORD, "another long password")

    assert reply.status == 303
    assert (await ada.get("/api/me")).status == 200
    assert (await elsewhere.get("/api/me")).status == 401
    assert (await same_cookie.get("/api/me")).status == 401
    assert await server.sign_in("ada@example.org", "another long password")


@pytest.mark.threat("A3")
async def test_a_new_password_ends_app_passwords_and_shared_views_and_says_so(server):
    ada = await server.register("ada@example.org")
    phone = await make_app_password(ada, "Phone")
    shared = await ada.post("/settings/sharing", data={"view": "all"}, headers=HTML)
    address = re.search(r"/view/[^<\"]+\.xml", shared.text)
    assert address
    asked = await ada.get("/auth/password", headers=HTML)

    reply = await change_password(ada, PASSWORD, "another long password")
    told = await ada.get(reply.headers["Location"], headers=HTML)

    program = server.visitor(Authorization=f"Bearer {phone}")
    assert "1 app password, 1 shared address" in asked.text
    assert "1 app password and 1 shared address were revoked" in told.text
    assert (await program.get("/api/me")).status == 401
    assert (await server.visitor().get(address[0])).status == 404


async def test_programs_go_on_when_they_are_kept_on_purpose(server):
    ada = await server.register("ada@example.org")
    phone = await make_app_password(ada, "Phone")
    new = "another long password"
    form = {"old": PASSWORD, "password": new, "password_confirmation": new}

    reply = await send_form(ada, "/auth/password", form | {"keep_programs": "on"})
    told = await ada.get(reply.headers["Location"], headers=HTML)

    assert "Password changed." in told.text
    assert "revoked" not in told.text.split("Password changed.")[1].split("<")[0]
    assert (await server.visitor(Authorization=f"Bearer {phone}").get("/api/me")).status == 200


@pytest.mark.parametrize("ticked", [True, False])
async def test_after_a_mistake_the_box_to_keep_programs_is_as_it_was_left(shared_server, ticked):
    ada = await shared_server.register(f"left-{ticked}@example.org")
    await make_app_password(ada, "Phone")
    form = {"old": PASSWORD, "password": "a" * 12, "password_confirmation": "b" * 12}
    if ticked:
        form["keep_programs"] = "on"

    first = Page((await ada.get("/auth/password", headers=HTML)).text)
    reply = await send_form(ada, "/auth/password", form)

    assert reply.status == 400
    assert "checked" not in first.one(KEEP).attributes
    assert ("checked" in Page(reply.text).one(KEEP).attributes) is ticked


async def test_nobody_is_asked_about_programs_they_do_not_have(shared_server):
    ada = await shared_server.register("bare@example.org")

    page = await ada.get("/auth/password", headers=HTML)

    assert "keep_programs" not in page.text


async def test_a_new_password_needs_the_old_one(shared_server):
    ada = await shared_server.register("old@example.org")

    reply = await change_password(ada, "not the old one", "another long password")

    assert reply.status == 400
    assert "The current password is wrong" in reply.text
    assert (await ada.get("/api/me")).status == 200


@pytest.mark.threat("A3")
async def test_one_session_or_all_others_can_be_ended(server):
    ada = await server.register("ada@example.org")
    phone = await server.sign_in("ada@example.org")
    tablet = await server.sign_in("ada@example.org")
    page = await ada.get("/settings/security", headers=HTML)
    first = re.findall(r'name="session" value="([0-9a-f]{16})"', page.text)[0]

    await ada.post("/settings/security/sessions", data={"session": first}, headers=HTML)
    alive = [(await each.get("/api/me")).status for each in (phone, tablet)]
    await ada.post("/settings/security/sessions", data={"session": "others"}, headers=HTML)

    assert sorted(alive) == [200, 401]
    assert (await phone.get("/api/me")).status == 401
    assert (await tablet.get("/api/me")).status == 401
    assert (await ada.get("/api/me")).status == 200


async def make_app_password(visitor: Visitor, label: str, scope: str = "full") -> str:
    reply = await visitor.post(
        "/settings/security/app-passwords", data={"label": label, "scope": scope}, headers=HTML
    )
    assert reply.status == 200, reply.text
    found = re.search(r'id="app-password-secret"[^>]*>([^<]+)<', reply.text)
    assert found, reply.text
    return found[1]


@pytest.mark.threat("C3")
async def test_an_app_password_is_shown_once_and_opens_the_api(server):
    ada = await server.register("ada@example.org")

    secret = await make_app_password(ada, "Phone")

    phone = server.visitor(Authorization=f"Bearer {secret}")
    page = await ada.get("/settings/security", headers=HTML)
    assert (await phone.get("/api/me")).json()["email"] == "ada@example.org"
    assert "Phone" in page.text
    assert secret not in page.text


@pytest.mark.threat("A3")
async def test_a_revoked_app_password_is_dead_at_once(server):
    ada = await server.register("ada@example.org")
    secret = await make_app_password(ada, "Phone")
    phone = server.visitor(Authorization=f"Bearer {secret}")
    page = await ada.get("/settings/security", headers=HTML)
    path = re.search(r'action="(/settings/security/app-passwords/\d+/revoke)"', page.text)
    assert path

    reply = await ada.post(path[1], headers=HTML)

    assert reply.status == 303
    assert (await phone.get("/api/me")).status == 401


@pytest.mark.threat("C2")
async def test_a_read_only_app_password_reads_and_does_not_write(server):
    ada = await server.register("ada@example.org")
    secret = await make_app_password(ada, "Reader", "read")
    program = server.visitor(Authorization=f"Bearer {secret}")

    read = await program.get("/api/folders")
    write = await program.post("/api/folders", json={"name": "News"})

    assert read.status == 200
    assert write.status == 403
    assert (await ada.get("/api/folders")).json() == []


async def test_an_app_password_cannot_make_or_see_credentials(shared_server):
    await shared_server.register("keys@example.org")
    program = await shared_server.program("keys@example.org")

    page = await program.get("/settings/security")
    made = await program.post("/settings/security/app-passwords", data={"label": "x"})

    assert (page.status, made.status) == (403, 403)


@pytest.mark.parametrize("label", ["", "   ", "x" * 101])
async def test_an_app_password_needs_a_usable_name(shared_server, label):
    visitor = await shared_server.register(f"label{len(label)}@example.org")

    reply = await visitor.post(
        "/settings/security/app-passwords", data={"label": label}, headers=HTML
    )

    assert reply.status == 400
    assert "app-password-secret" not in reply.text


async def test_closed_registration_still_takes_the_first_account_only(serve):
    server = serve(registration="closed")
    first = await send_form(server.visitor(), "/auth/register", FORM)

    page = await server.visitor().get("/auth/register", headers=HTML)
    visitor = server.visitor()
    token = await visitor.open_form("/auth/login")
    second = await visitor.post(
        "/auth/register",
        data=FORM | {"email": "eve@example.org", "csrf_token": token},
        headers=HTML,
    )

    assert first.status == 303
    assert page.status == 403
    assert "Registration is closed" in page.text
    assert second.status == 403
    assert "Create one" not in (await visitor.get("/auth/login", headers=HTML)).text


@pytest.mark.threat("A14")
async def test_of_many_first_accounts_only_one_is_made_when_closed(serve):
    server = serve(registration="closed")
    visitors = [server.visitor() for _ in range(5)]
    tokens = await asyncio.gather(*(v.open_form("/auth/register") for v in visitors))

    replies = await asyncio.gather(
        *(
            visitor.post(
                "/auth/register",
                data=FORM | {"email": f"p{place}@example.org", "csrf_token": token},
                headers=HTML,
            )
            for place, (visitor, token) in enumerate(zip(visitors, tokens, strict=True))
        )
    )

    assert sorted(reply.status for reply in replies) == [303, 403, 403, 403, 403]


async def test_registration_with_a_code_asks_for_the_right_one(serve):
    server = serve(registration="code", registration_code="sesame")
    await server.register("ada@example.org")
    form = FORM | {"email": "bob@example.org"}

    wrong = await send_form(server.visitor(), "/auth/register", form | {"code": "x"})
    right = await send_form(server.visitor(), "/auth/register", form | {"code": "sesame"})

    assert wrong.status == 400
    assert "The registration code is wrong" in wrong.text
    assert right.status == 303


@pytest.mark.threat("A11")
async def test_guessing_the_code_is_throttled(serve):
    server = serve(registration="code", registration_code="sesame")
    await server.register("ada@example.org")
    form = FORM | {"email": "bob@example.org", "code": "guess"}

    statuses = [
        (await send_form(server.visitor(), "/auth/register", form)).status for _ in range(21)
    ]

    assert statuses[-1] == 429


@pytest.mark.threat("A3")
async def test_a_disabled_person_is_out_of_every_route_by_the_next_request(server):
    await server.register("ada@example.org")
    bob = await server.register("bob@example.org")
    program = await server.program("bob@example.org")

    async def disable(container: Container) -> None:
        found = await container.accounts.store.by_email("bob@example.org")
        assert found
        await container.accounts.store.set_disabled(found[0].id, disabled=True)

    await server.call(disable)

    form = {"email": "bob@example.org", "password": PASSWORD}
    login = await send_form(server.visitor(), "/auth/login", form)
    assert (await bob.get("/api/me")).status == 401
    assert (await program.get("/api/me")).status == 401
    assert login.status == 401
    assert "Invalid email or password" in login.text


@pytest.mark.threat("A1", "A3")
@pytest.mark.parametrize("role", [Role.OPERATOR, Role.READER])
async def test_another_role_ends_sessions_and_changes_what_programs_may(server, role):
    ada = await server.register("ada@example.org")
    program = await server.program("ada@example.org")
    before = (await program.get("/admin", headers=HTML)).status

    async def change(container: Container) -> None:
        await container.accounts.register("other@example.org", PASSWORD, role=Role.OPERATOR)
        found = await container.accounts.store.by_email("ada@example.org")
        assert found
        await container.accounts.store.set_role(found[0].id, role)

    await server.call(change)

    after = (await program.get("/admin", headers=HTML)).status
    assert (await ada.get("/api/me")).status == 401
    assert (before, after) == (200, 200 if role is Role.OPERATOR else 403)


@pytest.mark.threat("R5")
async def test_a_person_deletes_their_account_with_address_and_password(shared_server):
    await shared_server.register("stays@example.org")
    eve = await shared_server.register("eve@example.org")
    program = await shared_server.program("eve@example.org")
    await eve.post("/api/folders", json={"name": "News"})
    path, right = "/settings/security/delete", {"email": "Eve@example.org"}

    page = await eve.get(path, headers=HTML)
    address = await eve.post(path, data={"email": "x", "password": PASSWORD}, headers=HTML)
    secret = await eve.post(path, data={**right, "password": "wrong"}, headers=HTML)
    still = (await eve.get("/api/me")).status
    gone = await eve.post(path, data={**right, "password": PASSWORD}, headers=HTML)

    assert (page.status, address.status, secret.status, still) == (200, 400, 401, 200)
    assert (gone.status, gone.headers["Location"]) == (303, "/")
    assert (await program.get("/api/me")).status == 401
    again = await shared_server.register("eve@example.org")
    assert (await again.get("/api/folders")).json() == []


async def test_neither_a_program_nor_an_operator_deletes_the_account(server):
    ada = await server.register("ada@example.org")
    await server.register("bob@example.org")
    program = await server.program("bob@example.org")
    form = {"email": "ada@example.org", "password": PASSWORD}

    by_operator = await ada.post("/settings/security/delete", data=form, headers=HTML)
    by_program = await program.post("/settings/security/delete", data=form)

    assert (by_operator.status, by_program.status) == (403, 403)
    assert (await ada.get("/api/me")).status == 200


@pytest.mark.threat("W6")
async def test_anonymous_visits_leave_no_row(server):
    visitor = server.visitor()
    for path in ("/", "/auth/login", "/auth/register", "/privacy", "/healthz"):
        await visitor.get(path, headers=HTML)

    async def sessions(container: Container) -> int:
        from feedloom.store.engine.scripts import WORKER, Script, sql  # noqa: PLC0415

        def steps() -> Script[int]:
            rows = yield sql("SELECT count(*) AS n FROM sessions")
            return int(rows[0]["n"])

        return await container.work.read(WORKER, steps)

    assert await server.call(sessions) == 0
