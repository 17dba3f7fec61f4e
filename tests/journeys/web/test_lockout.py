"""Nobody can lock somebody else out: not from elsewhere, not with apps, not with pages."""

import pytest

from tests.journeys.web.people import Page
from tests.journeys.web.test_accounts import send_form
from tests.serving import HTML, PASSWORD, Server, Visitor

EMAIL = "ada@example.org"
WRONG = {"email": EMAIL, "password": "wrong password"}
RIGHT = {"email": EMAIL, "password": PASSWORD}
IMAGE = {"Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}


@pytest.fixture
def town(serve):
    """Hand out a server whose visitors may say where they come from."""
    return serve(trusted_proxies="127.0.0.1")


def visitor_from(server: Server, address: str) -> Visitor:
    return server.visitor(**{"X-Forwarded-For": address})


async def statuses(visitor: Visitor, form: dict[str, str], times: int) -> list[int]:
    return [(await send_form(visitor, "/auth/login", form)).status for _ in range(times)]


@pytest.mark.threat("A11", "A23")
async def test_twenty_wrong_app_secrets_leave_the_sign_in_page_alone(server):
    await server.register(EMAIL)
    program = server.visitor()
    refused = [
        (await program.get(path, headers=headers)).status
        for path, headers in (
            ("/fever?api&api_key=wrong", {}),
            ("/v1/me", {"X-Auth-Token": "wrong"}),
            ("/api/me", {"Authorization": "Bearer wrong"}),
        )
        for _ in range(22)
    ]

    [status] = await statuses(server.visitor(), RIGHT, 1)

    assert [refused[21], refused[43], refused[65]] == [429, 429, 429]
    # Each has a count of its own.
    assert [refused[0], refused[22], refused[44]] == [200, 401, 401]
    assert status == 303


@pytest.mark.threat("A11", "A23")
@pytest.mark.parametrize("site", ["same-origin", "cross-site"])
async def test_images_in_an_article_count_for_nothing(server, site):
    await server.register(EMAIL)
    browser = server.visitor()
    asked = [
        (
            await browser.get(f"/fever?api&api_key={n}", headers=IMAGE | {"Sec-Fetch-Site": site})
        ).status
        for n in range(22)
    ]

    app = await browser.get("/fever?api&api_key=wrong")
    [status] = await statuses(browser, RIGHT, 1)

    assert set(asked) == {403}
    assert (app.status, app.json()["auth"]) == (200, 0)
    assert status == 303


@pytest.mark.threat("A11", "A23")
async def test_other_sites_scripts_count_for_nothing_and_web_apps_work(server):
    await server.register(EMAIL)
    secret = await server.app_password(EMAIL)
    script = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"}
    browser = server.visitor()
    asked = [
        (await browser.get("/v1/me", headers=script | {"X-Auth-Token": "x"})).status
        for _ in range(25)
    ]

    own = await browser.get("/v1/me", headers=script | {"X-Auth-Token": secret})

    assert set(asked) == {401}
    assert own.status == 200


@pytest.mark.threat("A11", "A23")
async def test_wrong_passwords_from_elsewhere_do_not_lock_the_owner_out(town):
    await town.register(EMAIL)
    stranger = visitor_from(town, "203.0.113.7")

    refused = await statuses(stranger, WRONG, 6)
    [owner] = await statuses(visitor_from(town, "192.0.2.1"), RIGHT, 1)

    assert refused == [401] * 5 + [429]
    assert owner == 303


@pytest.mark.threat("A11", "A23")
async def test_a_known_browser_signs_in_while_everybody_guesses(town):
    browser = visitor_from(town, "192.0.2.1")
    await town.register(EMAIL)
    assert await statuses(browser, RIGHT, 1) == [303]
    del browser.cookies["feedloom_session"]
    for number in range(52):
        await statuses(visitor_from(town, f"203.0.113.{number}"), WRONG, 1)

    browser.headers["X-Forwarded-For"] = "198.51.100.1"
    [known] = await statuses(browser, RIGHT, 1)
    [unknown] = await statuses(visitor_from(town, "198.51.100.2"), RIGHT, 1)

    assert (known, unknown) == (303, 429)


@pytest.mark.threat("A11", "A23")
async def test_the_device_cookie_of_another_kind_is_no_error(server):
    await server.register(EMAIL)
    browser = server.visitor()
    browser.cookies["feedloom_device"] = "x.y"

    assert await statuses(browser, WRONG, 1) == [401]


@pytest.mark.threat("A11", "A23")
async def test_the_owner_sees_wrong_passwords_on_the_page_about_security(town):
    ada = await town.register(EMAIL)
    before = await ada.get("/settings/security", headers=HTML)
    await statuses(visitor_from(town, "203.0.113.7"), WRONG, 6)

    after = Page((await ada.get("/settings/security", headers=HTML)).text)

    assert "Wrong passwords" not in before.text
    assert "203.0.113.7" in after.one("section[aria-labelledby=blocked-title]").text()
