"""Sign-in through an OpenID Connect provider, and through one that lies."""

import re
import secrets
import uuid

import pytest
from joserfc.jwk import RSAKey

from tests.databases import ENGINES
from tests.journeys.web.people import Page
from tests.oidc_provider import CLIENT_ID, CLIENT_SECRET, Provider, ProviderThread, new_key
from tests.serving import HTML, PASSWORD, Reply, Server, Visitor, open_server
from tests.templates import fresh_databases

LINK = "/settings/security/identities"
UNLINK = f"{LINK}/unlink"
KEEP = "input[name=keep_programs]"


@pytest.fixture(scope="module")
def one_provider():
    with ProviderThread() as made:
        yield made


@pytest.fixture
def provider(one_provider):
    """Hand out the provider, honest again and with somebody nobody knows yet."""
    name = uuid.uuid4().hex
    email = f"{name}@example.org"
    one_provider.person = {"sub": name, "email": email, "email_verified": True}
    one_provider.lies.clear()
    one_provider.asked.clear()
    one_provider.basic = True
    return one_provider


def trusting(issuer: str) -> dict[str, str]:
    """Settings of a server that trusts the provider."""
    return {
        "oidc_issuer": issuer,
        "oidc_client_id": CLIENT_ID,
        "oidc_client_secret": CLIENT_SECRET,
        "oidc_name": "Example ID",
        "base_url": "http://127.0.0.1:1",
    }


@pytest.fixture
def route(serve, provider):
    """Start a server of its own that trusts the provider."""
    return lambda **changes: serve(**trusting(provider.issuer) | changes)


@pytest.fixture(scope="module", params=ENGINES)
def open_route(request, one_provider, tmp_path_factory):
    """Hand out one server per engine that trusts the provider."""
    folder = tmp_path_factory.mktemp("trusting")
    with (
        fresh_databases(request, folder) as databases,
        open_server(databases, folder, **trusting(one_provider.issuer)) as made,
    ):
        yield made


async def sign_in(visitor: Visitor, provider: Provider, next_path: str = "") -> Reply:
    """Go to the provider and back."""
    gone = await visitor.get(f"/auth/oidc?next={next_path}", headers=HTML)
    assert gone.status == 303, gone.alert
    back = provider.authorize(gone.headers["Location"])
    return await visitor.get(back, headers=HTML)


async def link(visitor: Visitor, provider: Provider) -> Reply:
    """Press "Link" on the page about security, go to the provider and back."""
    gone = await visitor.post(LINK, headers=HTML)
    assert gone.status == 200, gone.alert
    back = provider.authorize(gone.headers["Refresh"].partition("url=")[2])
    return await visitor.get(back, headers=HTML)


def linking_problem(reply: Reply) -> str:
    """Read what went wrong from the page about security."""
    page = Page(reply.text)
    assert page.texts("title") == ["Security · Feedloom"]
    assert len(page.all("[role=alert]")) == 1
    return page.one("#identity-errors").text()


async def email_of(visitor: Visitor) -> str | None:
    email: str | None = (await visitor.get("/api/me")).json().get("email")
    return email


async def comes_in(server: Server, provider: Provider) -> str | None:
    """Tell as whom somebody new at the door is let in by the provider."""
    visitor = server.visitor()
    await sign_in(visitor, provider)
    return await email_of(visitor)


async def test_somebody_new_gets_an_account_and_is_found_again(open_route, provider):
    server = open_route
    first, second = server.visitor(), server.visitor()

    reply = await sign_in(first, provider, "/ui/")
    await sign_in(second, provider)

    assert (reply.status, reply.headers["Location"]) == (303, "/ui/")
    mine, again = ((await first.get("/api/me")).json(), (await second.get("/api/me")).json())
    assert mine["email"] == provider.person["email"]
    assert mine["id"] == again["id"]


async def test_a_person_is_known_by_subject_not_by_address(open_route, provider):
    server = open_route
    await sign_in(server.visitor(), provider)
    before = provider.person["email"]
    provider.person["email"] = f"moved-{before}"
    again = server.visitor()

    await sign_in(again, provider)

    assert (await again.get("/api/me")).json()["email"] == before


async def test_an_address_that_is_taken_is_not_handed_over(open_route, provider):
    server = open_route
    await server.register(provider.person["email"])
    stranger = server.visitor()

    reply = await sign_in(stranger, provider)

    assert reply.status == 409
    assert "User already registered" in reply.text
    assert (await stranger.get("/api/me")).status == 401


async def test_who_is_signed_in_can_link_the_provider(open_route, provider):
    ada = await open_route.register("linking@example.org")

    linked = await link(ada, provider)

    assert linked.headers["Location"] == "/settings/security?did=saved"
    assert await comes_in(open_route, provider) == "linking@example.org"


async def test_an_identity_is_linked_to_one_account_only(open_route, provider):
    server = open_route
    await link(await server.register("first@example.org"), provider)
    second = await server.register("second@example.org")

    reply = await link(second, provider)

    assert reply.status == 409
    assert "linked to another account" in linking_problem(reply)


async def test_who_cancels_linking_comes_back_to_security(open_route, provider):
    ada = await open_route.register(f"cancelling-{uuid.uuid4().hex}@example.org")
    gone = await ada.post(LINK, headers=HTML)
    back = provider.authorize(gone.headers["Refresh"].partition("url=")[2])
    cancelled = re.sub(r"\bcode=[^&]+", "error=access_denied", back)

    reply = await ada.get(cancelled, headers=HTML)

    assert reply.status == 401
    assert linking_problem(reply) == "The sign-in provider refused the request."
    assert "feedloom_oidc" not in ada.cookies
    assert (await ada.get("/api/me")).status == 200


@pytest.mark.parametrize("state", ["", "&state=another"])
async def test_who_is_signed_in_reads_under_security_that_linking_took_too_long(
    open_route, provider, state
):
    ada = await open_route.register(f"late-{uuid.uuid4().hex}@example.org")
    await ada.post(LINK, headers=HTML)

    reply = await ada.get(f"/auth/oidc/callback?code=x{state}", headers=HTML)

    assert reply.status == 401
    assert "took too long" in linking_problem(reply)
    assert "/token" not in provider.asked


async def test_linking_that_cannot_begin_is_told_under_security(route, provider):
    ada = await route().register("ada@example.org")
    provider.lies["issuer"] = "https://evil.example"

    reply = await ada.post(LINK, headers=HTML)

    assert reply.status == 401
    assert "could not be verified" in linking_problem(reply)
    assert "feedloom_oidc" not in ada.cookies


@pytest.mark.threat("A5")
async def test_a_foreign_page_cannot_link_its_owners_identity(open_route, provider):
    ada = await open_route.register("lured@example.org")

    lured = await ada.get("/auth/oidc?next=/ui/", headers=HTML)
    as_link = await ada.get("/settings/security/identities", headers=HTML)
    forged = await ada.post("/settings/security/identities", headers=HTML, csrf=False)
    program = await open_route.program("lured@example.org")
    by_program = await program.post(LINK, headers=HTML)

    assert (lured.status, lured.headers["Location"]) == (303, "/ui/")
    assert (as_link.status, forged.status, by_program.status) == (405, 403, 403)
    assert not any("feedloom_oidc" in reply.cookies for reply in (lured, forged))
    assert await comes_in(open_route, provider) == provider.person["email"]


@pytest.mark.threat("A5")
async def test_a_sign_in_that_ends_at_somebody_elses_browser_links_nothing(open_route, provider):
    guest = open_route.visitor()
    gone = await guest.get("/auth/oidc", headers=HTML)
    back = provider.authorize(gone.headers["Location"])
    name = f"meanwhile-{uuid.uuid4().hex}@example.org"
    guest.cookies |= (await open_route.register(name)).cookies

    reply = await guest.get(back, headers=HTML)

    assert reply.headers["Location"] == "/dashboard"
    assert await email_of(guest) == name
    assert await comes_in(open_route, provider) == provider.person["email"]


@pytest.mark.threat("A5")
@pytest.mark.parametrize("is_somebody_else", [True, False])
async def test_linking_ends_with_the_person_who_began_it(open_route, provider, is_somebody_else):
    name = uuid.uuid4().hex
    ada = await open_route.register(f"{name}@example.org")
    gone = await ada.post(LINK, headers=HTML)
    back = provider.authorize(gone.headers["Refresh"].partition("url=")[2])
    luggage = ada.cookies["feedloom_oidc"]
    other = open_route.visitor()
    if is_somebody_else:
        other = await open_route.register(f"other-{name}@example.org")
    other.cookies["feedloom_oidc"] = luggage

    reply = await other.get(back, headers=HTML)

    assert reply.status == 401
    assert "no longer signed in here" in reply.text
    assert await comes_in(open_route, provider) == provider.person["email"]


@pytest.mark.threat("A3")
async def test_a_linked_identity_is_shown_and_unlinked(open_route, provider):
    ada = await open_route.register(f"unlinking-{uuid.uuid4().hex}@example.org")
    await link(ada, provider)
    page = await ada.get("/settings/security", headers=HTML)
    key = re.search(r'name="identity" value="(\w+)"', page.text)
    assert key

    reply = await ada.post(UNLINK, data={"identity": key[1]}, headers=HTML)
    again = await ada.post(UNLINK, data={"identity": key[1]}, headers=HTML)

    assert provider.issuer in page.text
    assert provider.person["sub"] in page.text
    assert (reply.status, again.status) == (303, 404)
    assert await comes_in(open_route, provider) == provider.person["email"]


async def test_the_last_way_in_is_not_unlinked(open_route, provider):
    ada = open_route.visitor()
    await sign_in(ada, provider)
    ada.token = (await ada.get("/api/me")).json()["csrf_token"]
    page = await ada.get("/settings/security", headers=HTML)
    key = re.search(r'name="identity" value="(\w+)"', page.text)
    assert key

    reply = await ada.post(UNLINK, data={"identity": key[1]}, headers=HTML)

    assert reply.status == 409
    assert Page(reply.text).texts("h1") == ["Conflicts with the current state"]
    assert "Set a password first" in reply.text
    assert await comes_in(open_route, provider) == provider.person["email"]


@pytest.mark.threat("A3")
@pytest.mark.parametrize("kept", [True, False])
async def test_a_new_password_unlinks_providers_unless_they_are_kept(open_route, provider, kept):
    email = f"changing-{uuid.uuid4().hex}@example.org"
    ada = await open_route.register(email)
    await link(ada, provider)
    asked = await ada.get("/auth/password", headers=HTML)
    new = "another long password"
    form = {"old": PASSWORD, "password": new, "password_confirmation": new}
    if kept:
        form["keep_programs"] = "on"

    reply = await ada.post("/auth/password", data=form, headers=HTML)
    told = await ada.get(reply.headers["Location"], headers=HTML)

    assert "1 linked sign-in)" in asked.text
    assert ("1 linked sign-in was revoked" in told.text) is not kept
    now = email if kept else provider.person["email"]
    assert await comes_in(open_route, provider) == now


@pytest.mark.parametrize("ticked", [True, False])
async def test_after_a_mistake_with_a_first_password_the_box_is_as_it_was_left(
    open_route, provider, ticked
):
    ada = open_route.visitor()
    await sign_in(ada, provider)
    ada.token = (await ada.get("/api/me")).json()["csrf_token"]
    form = {"password": "a" * 12, "password_confirmation": "b" * 12}
    if ticked:
        form["keep_programs"] = "on"

    first = Page((await ada.get("/auth/password", headers=HTML)).text)
    reply = await ada.post("/auth/password", data=form, headers=HTML)

    assert reply.status == 400
    assert "checked" in first.one(KEEP).attributes
    assert ("checked" in Page(reply.text).one(KEEP).attributes) is ticked


@pytest.mark.threat("A3")
async def test_an_operators_reset_unlinks_providers(open_route, provider):
    email = f"reset-{uuid.uuid4().hex}@example.org"
    await link(await open_route.register(email), provider)

    await open_route.call(lambda container: container.accounts.reset_password(email, PASSWORD))

    assert await comes_in(open_route, provider) == provider.person["email"]


@pytest.mark.parametrize("mode", ["closed", "code"])
async def test_nobody_new_comes_in_when_registration_is_not_open(route, provider, mode):
    server = route(registration=mode)
    await server.register("first@example.org")
    stranger = server.visitor()

    reply = await sign_in(stranger, provider)

    assert reply.status == 403
    assert "Registration is closed" in reply.text
    assert (await stranger.get("/api/me")).status == 401


async def test_a_disabled_person_does_not_come_in_through_the_provider(open_route, provider):
    server = open_route
    # The first person of all would be an operator, and the last one.
    email = f"{secrets.token_hex(6)}@example.org"
    await server.call(lambda container: container.accounts.register(email, "correct horse"))
    visitor = server.visitor()
    await sign_in(visitor, provider)
    person = (await visitor.get("/api/me")).json()["id"]
    await server.call(
        lambda container: container.accounts.store.set_disabled(person, disabled=True)
    )

    reply = await sign_in(server.visitor(), provider)

    assert reply.status == 401


async def test_the_secret_may_travel_in_the_form(route, provider):
    provider.basic = False
    visitor = route().visitor()

    await sign_in(visitor, provider)

    assert (await visitor.get("/api/me")).status == 200


async def test_a_new_key_of_the_provider_is_learnt(route, provider):
    server = route()
    await sign_in(server.visitor(), provider)
    provider.key = RSAKey.generate_key(2048, {"kid": uuid.uuid4().hex})
    visitor = server.visitor()

    await sign_in(visitor, provider)

    assert (await visitor.get("/api/me")).status == 200
    assert provider.asked.count("/keys") == 2
    assert provider.asked.count("/.well-known/openid-configuration") == 1


@pytest.mark.parametrize(
    "claims",
    [
        {"nonce": "another"},
        {"nonce": None},
        {"aud": "another-client"},
        {"aud": None},
        {"iss": "https://evil.example"},
        {"exp": 1},
        {"exp": None},
        {"sub": None},
        {"azp": "another-client"},
    ],
)
async def test_a_token_that_is_not_for_us_is_refused(open_route, provider, claims):
    provider.lies["claims"] = claims
    visitor = open_route.visitor()

    reply = await sign_in(visitor, provider)

    assert reply.status == 401
    assert "could not be verified" in reply.text
    assert (await visitor.get("/api/me")).status == 401


@pytest.mark.threat("A4")
@pytest.mark.parametrize("lie", ["none", "HS256", "foreign key"])
async def test_a_token_somebody_else_could_have_made_is_refused(open_route, provider, lie):
    if lie == "foreign key":
        provider.lies["key"] = new_key(str(provider.key.kid))
    else:
        provider.lies["alg"] = lie
    visitor = open_route.visitor()

    reply = await sign_in(visitor, provider)

    assert reply.status == 401
    assert (await visitor.get("/api/me")).status == 401


@pytest.mark.threat("A5")
async def test_an_answer_for_another_browser_is_refused(open_route, provider):
    server = open_route
    attacker, victim = server.visitor(), server.visitor()
    gone = await attacker.get("/auth/oidc", headers=HTML)
    await victim.get("/auth/oidc", headers=HTML)
    back = provider.authorize(gone.headers["Location"])

    reply = await victim.get(back, headers=HTML)
    without_cookie = await server.visitor().get(back, headers=HTML)

    assert (reply.status, without_cookie.status) == (401, 401)
    assert (await victim.get("/api/me")).status == 401


async def test_a_changed_cookie_is_refused(open_route, provider):
    visitor = open_route.visitor()
    gone = await visitor.get("/auth/oidc", headers=HTML)
    visitor.cookies["feedloom_oidc"] = "A" + visitor.cookies["feedloom_oidc"][1:]

    reply = await visitor.get(provider.authorize(gone.headers["Location"]), headers=HTML)

    assert reply.status == 401


@pytest.mark.threat("A15")
async def test_a_code_is_good_once(open_route, provider):
    visitor = open_route.visitor()
    gone = await visitor.get("/auth/oidc", headers=HTML)
    cookie = visitor.cookies["feedloom_oidc"]
    back = provider.authorize(gone.headers["Location"])
    await visitor.get(back, headers=HTML)
    again = Visitor(visitor.url, cookies={"feedloom_oidc": cookie})

    reply = await again.get(back, headers=HTML)

    assert reply.status == 502
    assert (await again.get("/api/me")).status == 401


@pytest.mark.parametrize(
    "change", [("iss", "https://evil.example"), ("iss", ""), ("code", ""), ("state", "x")]
)
async def test_an_odd_answer_is_refused(open_route, provider, change):
    visitor = open_route.visitor()
    gone = await visitor.get("/auth/oidc", headers=HTML)
    back = provider.authorize(gone.headers["Location"])
    path, _, query = back.partition("?")
    name, value = change
    pairs = [pair for pair in query.split("&") if not pair.startswith(f"{name}=")]
    if value:
        pairs.append(f"{name}={value}")

    reply = await visitor.get(f"{path}?{'&'.join(pairs)}", headers=HTML)

    assert reply.status == 401
    assert (await visitor.get("/api/me")).status == 401


async def test_a_provider_that_names_another_issuer_is_not_believed(route, provider):
    provider.lies["issuer"] = "https://evil.example"
    visitor = route().visitor()

    reply = await visitor.get("/auth/oidc", headers=HTML)

    assert reply.status == 401
    assert "could not be verified" in reply.text


async def test_a_provider_that_is_down_is_told(open_route, provider):
    server = open_route
    visitor = server.visitor()
    gone = await visitor.get("/auth/oidc", headers=HTML)
    provider.lies["status"] = 503

    reply = await visitor.get(provider.authorize(gone.headers["Location"]), headers=HTML)

    assert reply.status == 502
    assert "Please try again later" in reply.text


async def test_without_a_provider_there_is_no_such_route(shared_server):
    visitor = shared_server.visitor()

    start = await visitor.get("/auth/oidc", headers=HTML)
    back = await visitor.get("/auth/oidc/callback?code=x&state=y", headers=HTML)
    page = await visitor.get("/auth/login", headers=HTML)

    assert (start.status, back.status) == (404, 404)
    assert "/auth/oidc" not in page.text


async def test_the_sign_in_page_names_the_provider(open_route, provider):
    page = await open_route.visitor().get("/auth/login", headers=HTML)

    assert "Sign in with Example ID" in page.text


async def test_a_browser_follows_the_button_to_the_provider(open_route, provider, page):
    email = f"pressing-{uuid.uuid4().hex}@example.org"
    ada = await open_route.register(email)
    token = ada.cookies["feedloom_session"]
    await page.context.add_cookies(
        [{"name": "feedloom_session", "value": token, "url": open_route.url}]
    )
    await page.goto(f"{open_route.url}/settings/security")

    await page.get_by_role("button", name="Link Example ID").click()

    await page.wait_for_url(f"{provider.issuer}/authorize?*")


@pytest.mark.threat("A5")
async def test_an_address_that_is_not_verified_gets_no_account(open_route, provider):
    provider.person["email_verified"] = False
    visitor = open_route.visitor()

    reply = await sign_in(visitor, provider)

    assert reply.status == 403
    assert "has not verified your email address" in reply.text
    assert await email_of(visitor) is None
