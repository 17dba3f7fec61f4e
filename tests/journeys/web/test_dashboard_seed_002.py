"""Seed 002's HTML API, endpoint by endpoint: ids, headers, messages, statuses."""

from datetime import UTC, datetime, timedelta

import pytest

from feedloom.app import Container
from feedloom.model.reader import Subscription
from feedloom.store.engine.scripts import WORKER, Script, sql
from tests.journeys.web.people import Page, Person, arrive
from tests.publisher import Answer, Publisher
from tests.serving import HTML, HTMX

TRIGGER = "refreshFeedList"


async def fill(ada: Person, publisher: Publisher, count: int) -> None:
    for number in range(1, count + 1):
        url = publisher.url(f"/feed-{number}.xml", host=ada.host)
        await ada.subscribe(url, f"Feed {number:02}")


# The dashboard.


async def test_get_dashboard_has_filters_add_form_and_containers(ada):
    page = await ada.page("/dashboard")

    filters = page.one("form#feed-filters")
    assert filters.attributes["hx-get"] == "/feeds"
    assert filters.attributes["hx-target"] == "#feed-list-container"
    assert {"change", "submit"} <= {
        part.split()[0] for part in filters.attributes["hx-trigger"].split(",")
    }
    assert page.one("#feed-filters input[name=search]")
    assert page.texts("#feed-filters select[name=status] option") == [
        "All",
        "Working",
        "Pending",
        "Error",
    ]
    add = page.one('form[hx-post="/feeds"]')
    assert add.attributes["hx-swap"] == "none"
    assert add.attributes["hx-include"] == "#feed-filters"
    assert page.texts("#feed-add-form-errors") == [""]
    assert ada.email in page.text


async def test_get_dashboard_loads_the_list_on_load_and_on_refresh_feed_list(ada):
    element = (await ada.page("/dashboard")).one("#feed-list-container")

    assert element.attributes["hx-get"].startswith("/feeds?")
    assert element.attributes["hx-trigger"] == f"load, {TRIGGER} from:body"
    assert "#feed-filters" in element.attributes["hx-include"]
    assert element.css("[id^=feed-item-]") == []


async def test_get_dashboard_query_prepopulates_the_filters(ada):
    page = await ada.page("/dashboard?search=rust&status=error&page=3")

    assert page.value("#search") == "rust"
    chosen = page.one("#status option[selected]")
    assert chosen.attributes["value"] == "error"
    asked = page.one("#feed-list-container").attributes["hx-get"]
    assert asked == "/feeds?search=rust&status=error&page=3"


@pytest.mark.parametrize("query", ["status=odd", "page=0", "page=x", "page=-1"])
async def test_get_dashboard_400_invalid_filter_parameters(ada, query):
    reply = await ada.visitor.get(f"/dashboard?{query}", headers=HTML)

    assert reply.status == 400
    page = Page(reply.text)
    assert page.texts(".error") == ["Invalid filter parameters"]
    assert page.one("#feed-filters")


async def test_get_dashboard_401_location_is_the_login_page(shared_server):
    reply = await shared_server.visitor().get("/dashboard", headers=HTML)

    assert reply.status == 401
    assert reply.headers["Location"] == "/auth/login"
    assert 'action="/auth/login"' in reply.text


# The list of feeds.


async def test_get_feeds_renders_the_partial_list(ada, publisher):
    feed = await ada.subscribe(publisher.feed("/one.xml", host=ada.host), "Morning Paper")

    reply = await ada.htmx("GET", "/feeds")

    assert reply.status == 200
    assert "<html" not in reply.text
    page = Page(reply.text)
    row = page.one(f"#feed-item-{feed.id}")
    assert "Morning Paper" in row.text()
    assert feed.url in row.text()
    assert page.one(f"#feed-item-{feed.id}-errors").text() == ""


async def test_get_feeds_plain_navigation_is_a_whole_page(ada):
    page = await ada.page("/feeds")

    assert page.one("html main #feed-list-container")


async def test_get_feeds_history_restore_is_a_whole_page(ada):
    headers = {**HTMX, **HTML, "HX-History-Restore-Request": "true"}
    reply = await ada.visitor.get("/feeds", headers=headers)

    assert "<html" in reply.text


async def test_get_feeds_empty_state_says_what_to_do(ada):
    reply = await ada.htmx("GET", "/feeds")

    page = Page(reply.text)
    assert page.texts("h2") == ["No feeds yet"]
    assert page.one('a[href="/settings/feeds"]')


async def test_get_feeds_search_is_case_insensitive_by_name(ada, publisher):
    await ada.subscribe(publisher.url("/a.xml", host=ada.host), "Slow Bread")
    await ada.subscribe(publisher.url("/b.xml", host=ada.host), "Fast Cars")

    reply = await ada.htmx("GET", "/feeds?search=bReAd")

    assert Page(reply.text).texts(".feed-name") == ["Slow Bread"]


async def test_get_feeds_status_filters(ada, publisher):
    for number, (name, status) in enumerate(
        [("Fine", 200), ("Gone", 404), ("Locked", 401), ("Down", 503)], 3
    ):
        host = ada.host_of(number)
        publisher.feed("/feed.xml", host=host)
        if status != 200:
            publisher.script("/feed.xml", Answer(status), host=host)
        await ada.subscribe(publisher.url("/feed.xml", host=host), name)
    await ada.server.refresh_all()
    await ada.subscribe(publisher.url("/later.xml", host=ada.host), "Later")

    async def named(status: str) -> list[str]:
        reply = await ada.htmx("GET", f"/feeds?status={status}")
        return sorted(Page(reply.text).texts(".feed-name"))

    assert await named("working") == ["Fine"]
    assert await named("pending") == ["Later"]
    assert await named("error") == ["Down", "Gone", "Locked"]
    assert await named("all") == ["Down", "Fine", "Gone", "Later", "Locked"]


async def test_get_feeds_shows_the_error_message_and_last_fetch(ada, publisher):
    publisher.script("/gone.xml", Answer(410), host=ada.host)
    feed = await ada.subscribe(publisher.url("/gone.xml", host=ada.host), "Gone")
    await ada.server.refresh_all()

    row = Page((await ada.htmx("GET", "/feeds")).text).one(f"#feed-item-{feed.id}")

    assert "Feed no longer available" in row.text()
    assert "fetched just now" in row.text()
    retry = row.css_first(f'form[action="/feeds/{feed.id}/refresh"]')
    assert retry is not None
    assert "Retry" in retry.text()


async def test_get_feeds_twenty_a_page_and_links_keep_the_filters(ada, publisher):
    await fill(ada, publisher, 45)

    pages = [
        Page((await ada.htmx("GET", f"/feeds?search=feed&status=all&page={n}")).text)
        for n in (1, 2, 3)
    ]

    assert [len(page.all(".feed-row")) for page in pages] == [20, 20, 5]
    links = {a.attributes["rel"]: a.attributes["hx-get"] for a in pages[1].all(".pages a")}
    assert links == {
        "prev": "/feeds?search=feed&status=all&page=1",
        "next": "/feeds?search=feed&status=all&page=3",
    }
    assert pages[1].all(".pages a")[0].attributes["hx-include"] == "#feed-filters"
    assert "Page 2 of 3" in pages[1].one(".pages").text()
    assert pages[0].all(".pages a[rel=prev]") == []
    assert pages[2].all(".pages a[rel=next]") == []


async def test_get_feeds_past_the_last_page_shows_the_last(ada, publisher):
    await fill(ada, publisher, 21)

    page = Page((await ada.htmx("GET", "/feeds?page=99")).text)

    assert page.texts(".feed-name") == ["Feed 21"]
    assert page.value("#feed-page") == "2"


@pytest.mark.parametrize("query", ["status=odd", "page=0", "page=two", "page=99999999999"])
async def test_get_feeds_400_invalid_query_parameters(ada, query):
    reply = await ada.htmx("GET", f"/feeds?{query}")

    assert reply.status == 400
    assert Page(reply.text).texts(".error") == ["Invalid query parameters"]


async def test_get_feeds_401(shared_server):
    reply = await shared_server.visitor().get("/feeds", headers={**HTMX, **HTML})

    assert reply.status == 401
    assert reply.headers["HX-Redirect"].startswith("/auth/login")


# Adding a feed.


async def test_post_feeds_204_triggers_refresh_feed_list(ada, publisher):
    form = {"name": "  Morning Paper ", "url": f"  {publisher.feed('/m.xml', host=ada.host)} "}

    reply = await ada.htmx("POST", "/feeds", data=form)

    assert (reply.status, reply.body) == (204, b"")
    assert reply.headers["HX-Trigger"] == TRIGGER
    names = Page((await ada.htmx("GET", "/feeds")).text).texts(".feed-name")
    assert names == ["Morning Paper"]


@pytest.mark.parametrize(
    ("form", "messages"),
    [
        ({"name": "", "url": "http://a.example/"}, ["Feed name is required"]),
        ({"name": " \t ", "url": "http://a.example/"}, ["Feed name is required"]),
        (
            {"name": "x" * 256, "url": "http://a.example/"},
            ["Feed name must be less than 255 characters"],
        ),
        ({"name": "A", "url": ""}, ["Feed URL is required"]),
        (
            {"name": "A", "url": "ftp://a.example/"},
            ["Invalid URL format. Must start with http:// or https://"],
        ),
        (
            {"name": "A", "url": "not an address"},
            ["Invalid URL format. Must start with http:// or https://"],
        ),
        (
            {"name": "A", "url": "javascript://a.example/%0aalert(1)"},
            ["Invalid URL format. Must start with http:// or https://"],
        ),
        (
            {"name": "", "url": "http://"},
            ["Feed name is required", "Invalid URL format. Must start with http:// or https://"],
        ),
    ],
)
async def test_post_feeds_400_names_each_field(ada, form, messages):
    reply = await ada.htmx("POST", "/feeds", data=form)

    assert reply.status == 400
    assert reply.headers["HX-Retarget"] == "#feed-add-form-errors"
    assert reply.headers["HX-Reswap"] == "innerHTML"
    assert Page(reply.text).texts(".error") == messages


async def test_post_feeds_409_already_added(ada, publisher):
    url = publisher.feed("/twice.xml", host=ada.host)
    await ada.htmx("POST", "/feeds", data={"name": "Once", "url": url})

    reply = await ada.htmx("POST", "/feeds", data={"name": "Twice", "url": url})

    assert reply.status == 409
    assert reply.headers["HX-Retarget"] == "#feed-add-form-errors"
    assert reply.headers["HX-Reswap"] == "innerHTML"
    assert Page(reply.text).texts(".error") == ["You have already added this feed"]


async def test_post_feeds_schedules_in_five_minutes_and_fetches_at_once(ada, publisher):
    url = publisher.feed("/new.xml", host=ada.host)

    await ada.htmx("POST", "/feeds", data={"name": "New", "url": url})
    feed = await _only_feed(ada)
    await ada.server.refresh_all(due_only=True)

    assert feed.next_run_at is not None
    wait = feed.next_run_at - datetime.now(UTC)  # noqa: TID251 - the wall's own
    assert timedelta(minutes=4) < wait <= timedelta(minutes=5)
    assert (await ada.look(feed.id)).last_fetch_status == "success"


async def test_post_feeds_records_feed_added(ada, publisher):
    await ada.htmx(
        "POST", "/feeds", data={"name": "A", "url": publisher.url("/ev.xml", host=ada.host)}
    )

    lines = await ada.server.call(lambda container: container.services().oversight.events())
    assert (ada.email, "feed_added") in [(e.email, e.event_type) for e in lines]


async def test_post_feeds_as_a_plain_form_redirects(ada, publisher):
    url = publisher.feed("/plain.xml", host=ada.host)

    added = await ada.send("/feeds", name="Plain", url=url)
    again = await ada.send("/feeds", name="Plain", url=url)
    wrong = await ada.send("/feeds", name="", url="x")

    assert (added.status, added.headers["Location"]) == (303, "/dashboard?did=added")
    assert again.status == 409
    assert "You have already added this feed" in again.text
    assert wrong.status == 400
    assert Page(wrong.text).texts("#feed-add-form-errors .error") == [
        "Feed name is required",
        "Invalid URL format. Must start with http:// or https://",
    ]
    assert Page(wrong.text).value("#feed-url") == "x"


# The edit form.


async def test_get_feed_edit_form_is_prefilled(ada, publisher):
    feed = await ada.subscribe(publisher.url("/e.xml", host=ada.host), "Editable")

    reply = await ada.htmx("GET", f"/feeds/{feed.id}/edit", target="dialog#dialog")

    assert reply.status == 200
    page = Page(reply.text)
    form = page.one("form")
    assert form.attributes["hx-patch"] == f"/feeds/{feed.id}"
    assert form.attributes["hx-swap"] == "none"
    assert form.attributes["hx-include"] == "#feed-filters"
    assert page.value("input[name=name]") == "Editable"
    assert page.value("input[name=url]") == feed.url
    assert page.one(f"#feed-edit-form-errors-{feed.id}").text() == ""


@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
async def test_feed_404_feed_not_found(ada, method):
    path = "/feeds/2000000000" + ("/edit" if method == "GET" else "")
    form = {"data": {"name": "A", "url": "http://a.example/"}}

    reply = await ada.htmx(method, path, **({} if method != "PATCH" else form))

    assert reply.status == 404
    assert Page(reply.text).texts(".error") == ["Feed not found"]
    targets = {
        "GET": None,
        "PATCH": "#feed-edit-form-errors-2000000000",
        "DELETE": "#feed-item-2000000000-errors",
    }
    assert reply.headers.get("HX-Retarget") == targets[method]
    assert reply.headers.get("HX-Reswap") == (None if method == "GET" else "innerHTML")


@pytest.mark.parametrize("id_", ["0", "-1", "x", "99999999999", "1%20or%201"])
async def test_feed_404_for_what_is_no_id(ada, id_):
    reply = await ada.htmx("DELETE", f"/feeds/{id_}")

    assert reply.status == 404
    assert "Feed not found" in reply.text


@pytest.mark.threat("A7")
async def test_another_persons_feed_is_not_found(ada, publisher):
    bob = await arrive(ada.server)
    feed = await bob.subscribe(publisher.url("/bob.xml", host=ada.host), "Bob's")

    replies = [
        await ada.htmx("GET", f"/feeds/{feed.id}/edit"),
        await ada.htmx("PATCH", f"/feeds/{feed.id}", data={"name": "Mine"}),
        await ada.htmx("DELETE", f"/feeds/{feed.id}"),
        await ada.send(f"/feeds/{feed.id}/edit", name="Mine"),
        await ada.send(f"/feeds/{feed.id}/delete"),
        await ada.send(f"/feeds/{feed.id}/refresh"),
    ]

    assert {reply.status for reply in replies} == {404}
    assert (await bob.look(feed.id)).title == "Bob's"


# Changing a feed.


async def test_patch_feed_204_changes_the_name_only(ada, publisher):
    feed = await ada.subscribe(publisher.feed("/p.xml", host=ada.host), "Before")
    await ada.server.refresh_all()
    before = await ada.look(feed.id)

    reply = await ada.htmx("PATCH", f"/feeds/{feed.id}", data={"name": "After", "url": feed.url})

    assert (reply.status, reply.headers["HX-Trigger"]) == (204, TRIGGER)
    after = await ada.look(feed.id)
    assert after.title == "After"
    assert after.last_fetch_status == "success"
    assert after.next_run_at == before.next_run_at


async def test_patch_feed_url_resets_its_state_and_fetches_at_once(ada, publisher):
    publisher.script("/old.xml", Answer(404), host=ada.host)
    feed = await ada.subscribe(publisher.url("/old.xml", host=ada.host), "Moved")
    await ada.server.refresh_all()
    new_url = publisher.feed("/moved-here.xml", host=ada.host)

    reply = await ada.htmx("PATCH", f"/feeds/{feed.id}", data={"name": "Moved", "url": new_url})
    between = await ada.look(feed.id)
    await ada.server.refresh_all(due_only=True)

    assert reply.status == 204
    assert (between.url, between.last_fetch_status) == (new_url, None)
    assert between.last_fetch_error is None
    assert between.consecutive_failures == 0
    assert (await ada.look(feed.id)).last_fetch_status == "success"


async def test_patch_feed_url_changes_it_for_this_person_only(ada, publisher):
    bob = await arrive(ada.server)
    url = publisher.feed("/shared.xml", host=ada.host)
    mine, his = await ada.subscribe(url, "Mine"), await bob.subscribe(url, "His")
    other = publisher.feed("/other.xml", host=ada.host)

    await ada.htmx("PATCH", f"/feeds/{mine.id}", data={"name": "Mine", "url": other})

    assert (await ada.look(mine.id)).url == other
    assert (await bob.look(his.id)).url == url


async def test_patch_feed_400_names_each_field(ada, publisher):
    feed = await ada.subscribe(publisher.url("/x.xml", host=ada.host), "X")

    reply = await ada.htmx("PATCH", f"/feeds/{feed.id}", data={"name": "", "url": "nowhere"})

    assert reply.status == 400
    assert reply.headers["HX-Retarget"] == f"#feed-edit-form-errors-{feed.id}"
    assert reply.headers["HX-Reswap"] == "innerHTML"
    assert Page(reply.text).texts(".error") == [
        "Feed name is required",
        "Invalid URL format. Must start with http:// or https://",
    ]


async def test_patch_feed_409_url_already_exists(ada, publisher):
    one = await ada.subscribe(publisher.url("/1.xml", host=ada.host), "One")
    two = await ada.subscribe(publisher.url("/2.xml", host=ada.host), "Two")

    reply = await ada.htmx("PATCH", f"/feeds/{two.id}", data={"name": "Two", "url": one.url})

    assert reply.status == 409
    assert reply.headers["HX-Retarget"] == f"#feed-edit-form-errors-{two.id}"
    assert Page(reply.text).texts(".error") == ["A feed with this URL already exists"]


async def test_plain_edit_form_posts_to_a_twin_and_redirects(ada, publisher):
    feed = await ada.subscribe(publisher.url("/t.xml", host=ada.host), "Twin")

    reply = await ada.send(f"/feeds/{feed.id}/edit", name="Changed", url=feed.url)
    wrong = await ada.send(f"/feeds/{feed.id}/edit", name="", url=feed.url)

    assert reply.status == 303
    assert (await ada.look(feed.id)).title == "Changed"
    assert wrong.status == 400
    assert "Feed name is required" in wrong.text


# Leaving a feed.


async def test_delete_feed_204_and_its_articles_are_gone(ada, publisher):
    feed = await ada.subscribe(publisher.feed("/d.xml", host=ada.host), "Delete me")
    await ada.server.refresh_all()

    reply = await ada.htmx("DELETE", f"/feeds/{feed.id}?search=&status=all")

    assert (reply.status, reply.headers["HX-Trigger"]) == (204, TRIGGER)
    assert (await ada.htmx("GET", "/feeds")).text.count("Delete me") == 0
    assert (await ada.page("/read/all")).all(".row") == []


async def test_plain_delete_form_posts_to_a_twin_and_redirects(ada, publisher):
    feed = await ada.subscribe(publisher.url("/pd.xml", host=ada.host), "Leave")

    reply = await ada.send(f"/feeds/{feed.id}/delete")

    assert (reply.status, reply.headers["Location"]) == (303, "/dashboard?did=removed")
    assert "Unsubscribed." in (await ada.page("/dashboard?did=removed")).text


async def test_delete_button_asks_htmx_to_keep_the_filters(ada, publisher):
    feed = await ada.subscribe(publisher.url("/b.xml", host=ada.host), "Button")

    page = Page((await ada.htmx("GET", "/feeds")).text)

    form = page.one(f'form[hx-delete="/feeds/{feed.id}"]')
    assert form.attributes["hx-swap"] == "none"
    assert form.attributes["hx-include"] == "#feed-filters"
    assert "hx-confirm" in form.attributes


# CSRF and failures


@pytest.mark.threat("A5")
@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/feeds"), ("PATCH", "/feeds/1"), ("DELETE", "/feeds/1")]
)
async def test_unsafe_requests_need_the_csrf_token(ada, method, path):
    reply = await ada.htmx(method, path, csrf=False, data={"name": "A"})

    assert reply.status == 403


async def test_the_csrf_token_travels_in_the_header_htmx_sends(ada):
    body = (await ada.page("/dashboard")).one("body")

    assert "X-CSRF-Token" in body.attributes["hx-headers:inherited"]


async def test_failures_of_ours_have_the_seeds_words(server, publisher):
    ada = await arrive(server)
    feed = await ada.subscribe(publisher.url("/f.xml", host=ada.host), "F")
    await server.call(_break_feeds)

    replies = {
        "list": await ada.htmx("GET", "/feeds"),
        "add": await ada.htmx("POST", "/feeds", data={"name": "A", "url": "http://a.example/"}),
        "edit": await ada.htmx("GET", f"/feeds/{feed.id}/edit"),
        "save": await ada.htmx("PATCH", f"/feeds/{feed.id}", data={"name": "A"}),
        "delete": await ada.htmx("DELETE", f"/feeds/{feed.id}"),
    }
    whole = await ada.visitor.get("/dashboard", headers=HTML)

    assert whole.status == 500
    assert "Failed to load dashboard. Please refresh the page." in whole.text
    assert {reply.status for reply in replies.values()} == {500}
    said = {name: Page(r.text).texts(".error") for name, r in replies.items()}
    assert said == {
        "list": ["Failed to load feeds"],
        "add": ["Failed to add feed. Please try again."],
        "edit": ["Failed to load feed"],
        "save": ["Failed to update feed"],
        "delete": ["Failed to delete feed"],
    }
    assert {n: r.headers.get("HX-Retarget") for n, r in replies.items()} == {
        "list": None,
        "add": "#feed-add-form-errors",
        "edit": None,
        "save": f"#feed-edit-form-errors-{feed.id}",
        "delete": f"#feed-item-{feed.id}-errors",
    }


async def _break_feeds(container: Container) -> None:
    """Take a table away that every list of feeds needs."""
    await container.work.write(WORKER, _rename)


def _rename() -> Script[None]:
    yield sql("ALTER TABLE feeds RENAME TO taken_away")


async def _only_feed(ada: Person) -> Subscription:
    async def find(container: Container) -> list[Subscription]:
        found = await container.accounts.store.by_email(ada.email)
        assert found is not None
        return await container.services().subscriptions.subscriptions(found[0].id)

    (feed,) = await ada.server.call(find)
    return feed
