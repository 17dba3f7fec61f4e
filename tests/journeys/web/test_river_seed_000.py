"""Seed 000's Feeds tab: river, detail panel, header menu, error state, bookmarks."""

from dataclasses import replace

import pytest

from feedloom.app import Container
from feedloom.store.engine.scripts import WORKER, Script, sql
from tests.factories_feeds import entry, fresh
from tests.journeys.web.people import Page, Person, arrive
from tests.publisher import Answer, Publisher
from tests.serving import HTML, HTMX

RIVER = "/ui/?view=feeds"


async def blog(ada: Person, publisher: Publisher, title: str = "Blog Name", **more) -> int:
    """Subscribe to a feed of three items and fetch it."""
    more.setdefault("entries", fresh(3))
    url = publisher.feed("/blog.xml", title=title, host=ada.host, **more)
    feed = await ada.subscribe(url)
    await ada.server.refresh_all()
    return feed.id


def first_item(page: Page) -> int:
    item = page.all(".item")[0].attributes["data-item"]
    assert item is not None
    return int(item)


async def test_the_feeds_tab_stands_beside_three_others(ada):
    page = await ada.page(RIVER)

    assert page.texts(".tabs a") == ["Bookmarks", "Inbox", "Archive", "Feeds"]
    assert page.texts(".tabs a[aria-current]") == ["Feeds"]
    assert page.one("form#add label").text() == "Add Feed"
    assert page.one('form#add input[name="url"]')


@pytest.mark.parametrize("path", ["/ui", "/ui/", RIVER])
async def test_the_feeds_tab_is_where_one_starts(ada, path):
    assert (await ada.page(path)).texts(".tabs a[aria-current]") == ["Feeds"]


async def test_an_unknown_view_is_refused(ada):
    assert (await ada.visitor.get("/ui/?view=odd", headers=HTML)).status == 400


async def test_somebody_without_feeds_is_told_what_to_do(ada):
    page = await ada.page(RIVER)

    assert page.texts("#river h2") == ["Add your first feed"]
    assert page.one('#river a[href="/settings/feeds"]')


async def test_a_new_feed_is_waited_for_and_the_side_bar_hears_of_it(ada, publisher):
    url = publisher.feed("/slow.xml", title="Slow", host=ada.host, entries=fresh(3))
    await ada.subscribe(url)
    before = await ada.page(RIVER)
    poll = before.one("#waiting").attributes["hx-get"]
    early = await ada.visitor.get(poll, headers=HTMX)
    await ada.server.refresh_all()
    late = await ada.visitor.get(poll, headers=HTMX)

    assert "1 new feed will be fetched" in before.one("#waiting").text()
    assert before.all("#river h2") == []
    assert "HX-Trigger" not in early.headers
    assert late.headers["HX-Trigger"] == "refreshFeedList"
    assert 'id="waiting"' not in late.text
    assert "Entry 3" in late.text


async def test_items_are_grouped_by_source_and_can_be_folded(ada, publisher):
    feed_id = await blog(ada, publisher)

    page = await ada.page(RIVER)

    group = page.one(f"#source-{feed_id} > details[open] > summary")
    assert " ".join(group.text().split()) == "B Blog Name (3 items)"
    assert page.texts(f"#source-{feed_id} .item-title") == ["Entry 3", "Entry 2", "Entry 1"]


async def test_an_item_has_its_age_and_its_first_line(ada, publisher):
    await blog(ada, publisher)

    line = (await ada.page(RIVER)).texts(".item-line")[0]

    age, dash, text = line.partition(" - ")
    assert age.endswith(" ago")
    assert dash
    assert text == "This is what entry 3 says, in a sentence or two."


async def test_the_header_menu_renames_retries_moves_keeps_and_unsubscribes(ada, publisher):
    feed_id = await blog(ada, publisher)

    page = await ada.page(RIVER)

    assert page.texts(f"#source-{feed_id} .menu-panel :is(a, button)") == [
        "Rename",
        "Refresh",
        "Mark all read",
        "Move to folder",
        "Keep for one day",
        "About this feed",
        "Unsubscribe",
    ]


async def test_the_detail_panel_shows_one_item(ada, publisher):
    await blog(ada, publisher)
    item = first_item(await ada.page(RIVER))

    reply = await ada.htmx("GET", f"/ui/items/{item}", target="aside#detail")

    panel = Page(reply.text)
    assert panel.texts(".detail-title") == ["Entry 3"]
    assert panel.texts(".article-source a") == ["Blog Name"]
    assert panel.one("time").text().endswith(" UTC")
    assert panel.texts(".prose") == ["This is what entry 3 says, in a sentence or two."]
    assert panel.texts(".actions :is(a, button)") == ["Open", "Save to Bookmarks", "Dismiss"]
    opens = panel.one("[data-original]").attributes
    assert opens["href"] == "https://blog.example/entries/3"
    assert (opens["target"], opens["rel"]) == ("_blank", "noopener noreferrer nofollow")


async def test_the_detail_panel_has_an_address_of_its_own(ada, publisher):
    await blog(ada, publisher)
    item = first_item(await ada.page(RIVER))

    plain = await ada.visitor.get(f"/ui/items/{item}", headers=HTML)
    page = await ada.page(plain.headers["Location"])

    assert plain.status == 303
    assert page.texts("#detail .detail-title") == ["Entry 3"]


async def test_dismiss_hides_the_item_and_it_never_comes_back(ada, publisher):
    feed_id = await blog(ada, publisher)
    item = first_item(await ada.page(RIVER))

    reply = await ada.visitor.delete(f"/feeds/{feed_id}/items/{item}")
    publisher.bump("/blog.xml", replace(fresh(1)[0], guid="new"), host=ada.host)
    await ada.server.refresh_all()

    assert reply.status == 204
    titles = (await ada.page(RIVER)).texts(".item-title")
    assert "Entry 3" not in titles
    assert len(titles) == 3


async def test_dismiss_survives_a_restart(serve, publisher):
    first = serve()
    ada = await arrive(first)
    feed_id = await blog(ada, publisher)
    item = first_item(await ada.page(RIVER))
    await ada.htmx("DELETE", f"/feeds/{feed_id}/items/{item}")
    first.stop()

    second = serve()
    again = await second.sign_in(ada.email)
    page = Page((await again.get(RIVER, headers=HTML)).text)

    assert page.texts(".item-title") == ["Entry 2", "Entry 1"]


async def test_dismissing_twice_or_through_another_feed_is_not_found(ada, publisher):
    feed_id = await blog(ada, publisher)
    item = first_item(await ada.page(RIVER))

    wrong = await ada.htmx("DELETE", f"/feeds/{feed_id + 1}/items/{item}")
    once = await ada.htmx("DELETE", f"/feeds/{feed_id}/items/{item}")
    twice = await ada.htmx("DELETE", f"/feeds/{feed_id}/items/{item}")

    assert [wrong.status, once.status, twice.status] == [404, 204, 404]


async def test_dismiss_as_a_plain_form_can_be_undone(ada, publisher):
    await blog(ada, publisher)
    item = first_item(await ada.page(RIVER))

    reply = await ada.send("/articles/mark", do=f"hidden.{item}", next=RIVER)
    page = await ada.page(reply.headers["Location"])
    undo = {
        field.attributes["name"]: field.attributes["value"]
        for field in page.all(".flash-undo input")
    }
    undo.pop("csrf_token")
    await ada.send("/articles/mark", **undo)

    assert page.texts(".flash-undo span") == ["Dismissed."]
    assert len(page.all(".item")) == 2
    assert len((await ada.page(RIVER)).all(".item")) == 3


async def test_save_to_bookmarks_keeps_the_item_in_the_archive(ada, publisher):
    feed_id = await blog(ada, publisher)
    item = first_item(await ada.page(RIVER))

    first = await ada.visitor.post(f"/feeds/{feed_id}/items/{item}/save")
    second = await ada.visitor.post(f"/feeds/{feed_id}/items/{item}/save")
    plain = await ada.send(f"/feeds/{feed_id}/items/{item}/save", next=RIVER)

    assert [first.status, second.status, plain.status] == [201, 200, 303]
    assert (await ada.page("/ui/?view=archive")).texts(".bookmark-title") == ["Entry 3"]
    assert (await ada.page("/ui/?view=bookmarks")).texts(".bookmark-title") == ["Entry 3"]
    assert (await ada.page("/ui/?view=inbox")).texts(".bookmark-title") == []
    assert len((await ada.page(RIVER)).all(".is-saved")) == 1


async def test_items_leave_the_river_after_a_day(ada, publisher):
    await blog(ada, publisher)
    await ada.server.call(_age_everything)

    page = await ada.page(RIVER)

    assert page.all(".item") == []
    assert page.texts("#river h2") == ["Nothing new in the last 24 hours"]
    assert len((await ada.page("/read/all")).all(".row")) == 3


async def test_three_failures_show_the_error_state_with_retry(ada, publisher):
    publisher.script("/down.xml", Answer(500), host=ada.host)
    url = publisher.url("/down.xml", host=ada.host)
    feed = await ada.subscribe(url, "Down")
    pages = []
    for _ in range(3):
        await ada.server.refresh_all()
        pages.append(await ada.page(RIVER))

    broken = f"#source-{feed.id} .source-broken"
    assert [len(page.all(broken)) for page in pages] == [0, 0, 1]
    retry = pages[-1].one(f'.source-broken form[action="/feeds/{feed.id}/refresh"]')
    assert " ".join(retry.text().split()) == "Retry"


async def test_retry_resets_the_error_count_and_fetches_at_once(ada, publisher):
    publisher.script("/down.xml", Answer(500), host=ada.host)
    feed = await ada.subscribe(publisher.url("/down.xml", host=ada.host), "Down")
    for _ in range(3):
        await ada.server.refresh_all()
    publisher.feed("/down.xml", host=ada.host, entries=fresh(3))

    reply = await ada.send(f"/feeds/{feed.id}/refresh", next=RIVER, retry="1")
    between = await ada.look(feed.id)
    await ada.server.refresh_all(due_only=True)

    assert (reply.status, between.consecutive_failures) == (303, 0)
    assert len((await ada.page(RIVER)).all(".item")) == 3


async def test_a_source_and_the_whole_river_can_be_marked_read(ada, publisher):
    one = await blog(ada, publisher)
    url = publisher.feed("/other.xml", title="Other", host=ada.host, entries=fresh(3))
    await ada.subscribe(url)
    await ada.server.refresh_all()
    page = await ada.page(RIVER)
    form = page.one(f"#source-{one} form[data-sweep]")
    fields = {f.attributes["name"]: f.attributes["value"] for f in form.css("input")}

    reply = await ada.send("/articles/sweep", **fields)
    left = len((await ada.page(RIVER)).all(".item.is-unread"))
    await ada.send("/articles/sweep", next=RIVER, seen=fields["seen"])

    assert reply.headers["Location"].startswith(RIVER)
    assert left == 3
    assert (await ada.page(RIVER)).all(".item.is-unread") == []


async def test_unsubscribe_from_the_menu_removes_the_group(ada, publisher):
    feed_id = await blog(ada, publisher)

    reply = await ada.send(f"/feeds/{feed_id}/delete", next=RIVER)

    assert reply.headers["Location"] == f"{RIVER}&did=removed"
    assert (await ada.page(RIVER)).all(".source") == []


async def test_rename_from_the_menu_shows_everywhere(ada, publisher):
    feed_id = await blog(ada, publisher)

    form = await ada.htmx("GET", f"/feeds/{feed_id}/edit?part=rename", target="dialog#dialog")
    await ada.htmx("PATCH", f"/feeds/{feed_id}", data={"name": "My Name For It"})
    page = await ada.page(RIVER)

    assert [f.attributes["name"] for f in Page(form.text).all("input.input")] == ["name"]
    assert page.texts(".source h2") == ["My Name For It"]
    assert "My Name For It" in page.texts(".sidebar .nav-text")


async def test_retention_from_the_menu_is_switched(ada, publisher):
    feed_id = await blog(ada, publisher)

    await ada.send(f"/feeds/{feed_id}/edit", retention="day", next=RIVER)
    day = await ada.look(feed_id)
    await ada.send(f"/feeds/{feed_id}/edit", retention="archive", next=RIVER)

    assert day.retention == "day"
    assert (await ada.look(feed_id)).retention == "archive"


async def test_a_busy_source_shows_some_items_and_leads_to_the_rest(ada, publisher):
    feed_id = await blog(ada, publisher, entries=fresh(20))

    page = await ada.page(RIVER)

    assert len(page.all(".item")) == 8
    assert page.texts(".source-count") == ["(20 items)"]
    more = page.one(".source-rest a")
    assert more.text() == "12 more"
    assert more.attributes["href"] == f"/read/feed/{feed_id}?show=all"
    rest = await ada.htmx("GET", more.attributes["hx-get"])
    assert len(Page(rest.text).all(".item")) == 20


async def test_what_a_new_feed_brings_counts_by_when_it_was_published(ada, publisher):
    old = [entry(n) for n in range(12, 2, -1)]
    feed_id = await blog(ada, publisher, entries=[*fresh(2), *old])

    page = await ada.page(RIVER)
    listed = {feed["id"]: feed for feed in (await ada.visitor.get("/feeds")).json()}

    assert len(page.all(".item")) == 2
    assert page.texts(".source-count") == ["(2 items)"]
    assert len(listed[feed_id]["items"]) == 12


async def test_the_add_box_subscribes_to_a_feeds_own_address(ada, publisher):
    url = publisher.feed("/direct.xml", title="Direct", host=ada.host)

    reply = await ada.htmx("POST", "/ui/add", data={"url": url})

    assert reply.status == 200
    assert reply.headers["HX-Trigger"] == "refreshFeedList"
    assert "Added" in Page(reply.text).one(".flash").text()


async def test_the_add_box_finds_the_feed_of_a_site(ada, publisher):
    publisher.feed("/found.xml", title="Found", host=ada.host)
    link = '<link rel="alternate" type="application/rss+xml" href="/found.xml">'
    site = publisher.page("/", f"<html><head>{link}</head></html>", host=ada.host)

    reply = await ada.send("/ui/add", url=site)

    assert (reply.status, reply.headers["Location"]) == (303, f"{RIVER}&did=added")
    url = publisher.url("/found.xml", host=ada.host)
    assert url in (await ada.htmx("GET", "/feeds")).text


BROKEN_FEED = b"<?xml version='1.0'?><rss version='2.0'><channel><title>A" + b"\0" * 40


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (Answer(429, headers={"Retry-After": "60"}), "asks us to wait"),
        (Answer(500), "has a problem and returned"),
        (Answer(503), "has a problem and returned"),
        (Answer(401), "blocks feed readers or requires a password"),
        (Answer(403), "blocks feed readers or requires a password"),
        (Answer(404), "exist. Check the address"),
        (Answer(body=b"<title>A page</title>"), "offer one. Paste the feed"),
        (Answer(body=BROKEN_FEED), "looks like a feed, but it is damaged"),
    ],
)
async def test_the_add_box_says_what_went_wrong_and_what_to_do(ada, publisher, answer, sentence):
    address = publisher.script("/place", answer, host=ada.host)

    reply = await ada.htmx("POST", "/ui/add", data={"url": address})
    plain = await ada.send("/ui/add", url=address)

    assert reply.status == 400
    assert sentence in Page(reply.text).texts(".error")[0]
    assert sentence in plain.text


async def test_the_add_box_says_when_there_is_no_feed_and_what_was_tried(ada, publisher):
    site = publisher.page("/", "<title>Nothing here</title>", host=ada.host)

    reply = await ada.htmx("POST", "/ui/add", data={"url": site})

    page = Page(reply.text)
    assert reply.status == 400
    assert page.texts(".error")[0].startswith("No feed was found there.")
    assert site in page.texts("details li")[0]


@pytest.mark.parametrize(
    ("text", "status", "message"),
    [
        ("", 400, "Paste the address of a site or a feed."),
        ("javascript:alert(1)", 400, None),
        ("<script>alert(1)</script>", 400, None),
    ],
)
async def test_the_add_box_refuses_what_is_no_address(ada, text, status, message):
    htmx = await ada.htmx("POST", "/ui/add", data={"url": text})
    plain = await ada.send("/ui/add", url=text)

    assert [htmx.status, plain.status] == [status, status]
    said = Page(htmx.text).texts(".error")
    assert len(said) == 1
    assert message is None or said == [message]
    assert "<script>alert" not in htmx.text + plain.text


async def test_the_add_box_says_when_a_feed_is_there_already(ada, publisher):
    url = publisher.feed("/again.xml", host=ada.host)
    await ada.htmx("POST", "/ui/add", data={"url": url})

    reply = await ada.htmx("POST", "/ui/add", data={"url": url})

    assert reply.status == 409
    assert Page(reply.text).texts(".error") == ["You have already added this feed"]


async def test_bookmarks_move_between_inbox_and_archive(ada):
    await ada.send("/bookmarks", url="https://pages.example/keep")
    inbox = await ada.page("/ui/?view=inbox")
    state = inbox.one(".bookmark form[action$='/state']")
    path = state.attributes["action"]
    assert path is not None

    await ada.send(path, state="archive", next="/ui/?view=inbox")

    assert inbox.texts(".bookmark-title") != []
    assert (await ada.page("/ui/?view=inbox")).all(".bookmark") == []
    assert len((await ada.page("/ui/?view=archive")).all(".bookmark")) == 1


async def test_bookmarks_are_edited_pinned_and_deleted(ada):
    await ada.send("/bookmarks", url="https://pages.example/edit")
    link = (await ada.page("/ui/?view=inbox")).one(".bookmark-title a")
    path = link.attributes["href"]
    assert path is not None

    await ada.send(f"{path}/edit", title="My title", description="Note", tags="a, b,a")
    await ada.send(f"{path}/pin", pinned="1")
    page = await ada.page("/ui/?view=bookmarks")
    own = await ada.page(path)
    await ada.send(f"{path}/delete")

    assert page.texts(".bookmark-title") == ["My title pinned"]
    assert page.texts(".bookmark .chip") == ["pinned", "a", "b"]
    assert own.value("#bookmark-tags") == "a, b"
    assert (await ada.page("/ui/?view=bookmarks")).all(".bookmark") == []
    assert (await ada.visitor.get(path, headers=HTML)).status == 404


async def test_another_persons_bookmark_is_not_found(ada):
    bob = await arrive(ada.server)
    await bob.send("/bookmarks", url="https://pages.example/bobs")
    link = (await bob.page("/ui/?view=inbox")).one(".bookmark-title a")
    path = link.attributes["href"]

    replies = [
        await ada.visitor.get(path, headers=HTML),
        await ada.send(f"{path}/edit", title="Mine"),
        await ada.send(f"{path}/state", state="archive"),
        await ada.send(f"{path}/pin", pinned="1"),
        await ada.send(f"{path}/retry"),
        await ada.send(f"{path}/delete"),
    ]

    assert {reply.status for reply in replies} == {404}


async def _age_everything(container: Container) -> None:
    await container.work.write(WORKER, _older)


def _older() -> Script[None]:
    yield sql("UPDATE article_states SET arrived_at = arrived_at - 90000000000")
