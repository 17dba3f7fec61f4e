"""A cookie or a user agent of one's own for a feed: sent there, shown to nobody."""

import pytest

from feedloom.app import Container
from tests.publisher import Publisher
from tests.serving import HTML, HTMX, Server, Visitor

COOKIE = "session=geheim-canary-1"
AGENT = "MyReader/1.0"


async def asks(publisher: Publisher, host: str) -> list[tuple[str, str]]:
    """Tell which cookies and user agents a host was asked with."""
    return [
        (each.headers.get("cookie", ""), each.headers.get("user-agent", ""))
        for each in publisher.requests
        if each.host == host
    ]


async def subscribe(server: Server, visitor: Visitor, url: str) -> int:
    reply = await visitor.post("/feeds", json={"url": url})
    assert reply.status == 201, reply.text
    await server.refresh_all(due_only=True)
    return int(reply.json()["id"])


@pytest.fixture
def host() -> str:
    return "127.45.0.2"


async def test_what_one_person_sends_is_sent_for_nobody_else(server, publisher, host):
    url = publisher.feed("/blog.xml", host=host)
    ada = await server.register("ada@example.org")
    bob = await server.register("bob@example.org")
    of_ada = await subscribe(server, ada, url)
    of_bob = await subscribe(server, bob, url)

    reply = await ada.patch(f"/feeds/{of_ada}", json={"cookie": COOKIE, "user_agent": AGENT})
    await server.refresh_all()

    await server.refresh_all()

    sent = set(await asks(publisher, host))
    shown = (await bob.get(f"/feeds/{of_bob}")).json()
    assert reply.status == 200, reply.text
    assert (reply.json()["has_cookie"], reply.json()["user_agent"]) == (True, AGENT)
    assert (COOKIE, AGENT) in sent
    assert {agent for cookie, agent in sent if cookie} == {AGENT}
    assert {cookie for cookie, agent in sent if agent != AGENT} == {""}
    assert (shown["has_cookie"], shown["user_agent"]) == (False, None)
    assert (await ada.get(f"/feeds/{of_ada}")).json()["last_fetch_status"] == "success"


async def test_a_cookie_stays_with_its_site_also_when_the_site_moves(server, publisher, host):
    elsewhere = "127.45.0.3"
    publisher.redirect(
        "/blog.xml", publisher.feed("/new.xml", host=elsewhere), status=301, host=host
    )
    ada = await server.register("ada@example.org")
    form = {"name": "Blog", "url": publisher.url("/blog.xml", host=host)}
    await ada.post("/feeds", data=form, headers=HTMX)
    id_ = (await ada.get("/feeds")).json()[0]["id"]
    await ada.patch(f"/feeds/{id_}", json={"cookie": COOKIE})
    for _ in range(3):
        await server.refresh_all()

    feed = (await ada.get(f"/feeds/{id_}")).json()
    assert feed["last_fetch_status"] == "success"
    assert feed["url"].startswith(f"http://{host}")
    assert COOKIE in [cookie for cookie, _ in await asks(publisher, host)]
    assert {cookie for cookie, _ in await asks(publisher, elsewhere)} == {""}


async def test_a_new_address_on_another_site_takes_no_cookie_along(server, publisher, host):
    elsewhere = "127.45.0.4"
    url = publisher.feed("/blog.xml", host=host)
    ada = await server.register("ada@example.org")
    id_ = await subscribe(server, ada, url)
    await ada.patch(f"/feeds/{id_}", json={"cookie": COOKIE, "user_agent": AGENT})

    near = await ada.patch(f"/feeds/{id_}", json={"url": publisher.feed("/more.xml", host=host)})
    far = await ada.patch(f"/feeds/{id_}", json={"url": publisher.feed("/far.xml", host=elsewhere)})
    await server.refresh_all()

    assert near.json()["has_cookie"]
    assert (far.json()["has_cookie"], far.json()["user_agent"]) == (False, AGENT)
    assert {cookie for cookie, _ in await asks(publisher, elsewhere)} == {""}


async def test_the_form_sets_and_forgets_a_cookie_and_never_shows_it(server, publisher, host):
    url = publisher.feed("/blog.xml", host=host)
    ada = await server.register("ada@example.org")
    id_ = await subscribe(server, ada, url)
    path = f"/feeds/{id_}/edit"

    await ada.post(path, data={"cookie": COOKIE, "user_agent": AGENT}, headers=HTML)
    pages = [
        (await ada.get(where, headers=HTML)).text
        for where in (path, f"/feeds/{id_}", "/settings/export.json", "/api/opml")
    ]
    await ada.post(path, data={"cookie": "", "user_agent": AGENT}, headers=HTML)
    kept = (await ada.get(f"/feeds/{id_}")).json()["has_cookie"]
    await ada.post(path, data={"cookie": "", "forget_cookie": "on"}, headers=HTML)
    gone = (await ada.get(f"/feeds/{id_}")).json()

    assert "A cookie is set" in pages[0]
    assert [page for page in pages if "geheim-canary" in page] == []
    assert kept
    assert (gone["has_cookie"], gone["user_agent"]) == (False, AGENT)


@pytest.mark.parametrize(
    ("name", "value"), [("cookie", "a=b\r\nX-Evil: 1"), ("cookie", "a" * 4097), ("user_agent", "é")]
)
async def test_what_no_header_can_carry_is_refused(shared_server, publisher, ada, name, value):
    url = publisher.feed("/odd.xml", host="127.45.0.9")
    made = await ada.visitor.post("/feeds", json={"url": url})
    id_ = made.json()["id"]

    as_json = await ada.visitor.patch(f"/feeds/{id_}", json={name: value})
    as_form = await ada.visitor.post(f"/feeds/{id_}/edit", data={name: value}, headers=HTML)

    assert (as_json.status, as_form.status) == (422, 400)
    assert not (await ada.visitor.get(f"/feeds/{id_}")).json()["has_cookie"]


async def test_a_feed_kept_apart_is_in_no_directory(server, publisher, host):
    url = publisher.feed("/members.xml", title="Members only", host=host)
    ada = await server.register("ada@example.org")
    id_ = await subscribe(server, ada, url)

    async def hidden(container):
        from feedloom.store.engine.scripts import WORKER, sql  # noqa: PLC0415 - used once

        def steps():
            return list((yield sql("SELECT url_key, in_directory FROM feeds")))

        return await container.work.read(WORKER, steps)

    await ada.patch(f"/feeds/{id_}", json={"user_agent": AGENT})
    await server.refresh_all()

    rows = {row["url_key"]: row["in_directory"] for row in await server.call(hidden)}
    assert [bool(listed) for key, listed in rows.items() if "#" in key] == [False]


@pytest.mark.threat("S15")
async def test_a_password_in_an_address_is_shown_on_no_page(server, publisher, host):
    plain = publisher.feed("/blog.xml", host=host)
    ada = await server.register("ada@example.org")
    id_ = await subscribe(server, ada, with_password(plain))
    places = (
        "/feeds",
        "/dashboard",
        "/ui/",
        "/ui/?view=feeds",
        f"/feeds/{id_}",
        f"/feeds/{id_}/edit",
        f"/read/feed/{id_}",
    )

    pages = [(await ada.get(where, headers=HTML)).text for where in places]
    pages.append((await ada.get(f"/feeds/{id_}/edit", headers=HTMX)).text)

    assert [page for page in pages if "geheim" in page or "nutzer" in page] == []
    assert f'value="{plain}"' in pages[-1]
    assert "password are hidden" in pages[-1]


@pytest.mark.threat("S15")
async def test_the_address_as_it_is_shown_changes_nothing(server, publisher, host):
    plain = publisher.feed("/blog.xml", host=host)
    ada = await server.register("ada@example.org")
    id_ = await subscribe(server, ada, with_password(plain))
    path = f"/feeds/{id_}/edit"

    await ada.post(path, data={"url": plain, "name": "Mine"}, headers=HTML)
    before = await addresses(server)
    await ada.post(path, data={"url": with_password(plain, "neu")}, headers=HTML)
    after = await addresses(server)

    assert (await ada.get(f"/feeds/{id_}")).json()["title"] == "Mine"
    assert before == {with_password(plain)}
    assert after == {with_password(plain, "neu")}


async def test_an_address_without_a_password_has_no_hint(server, publisher, host):
    ada = await server.register("ada@example.org")
    id_ = await subscribe(server, ada, publisher.feed("/blog.xml", host=host))

    page = await ada.get(f"/feeds/{id_}/edit", headers=HTMX)

    assert "password are hidden" not in page.text


def with_password(url: str, password: str = "geheim") -> str:
    return url.replace("http://", f"http://nutzer:{password}@")


async def addresses(server: Server) -> set[str]:
    """Tell at which addresses the first person's feeds are fetched."""

    async def run(container: Container) -> set[str]:
        feeds = await container.services().subscriptions.subscriptions(1)
        return {feed.url for feed in feeds}

    return await server.call(run)
