"""What pages say: after a deed, at the door, when there is nothing, when it failed."""

import json
from functools import partial

import pytest

from feedloom.app import Container
from feedloom.serve.pages.appearance import DEFAULT
from tests.factories_feeds import entries, entry
from tests.journeys.web.people import Page
from tests.publisher import Answer
from tests.serving import HTML, HTMX, PASSWORD, Visitor
from tests.stores import Stores

CHOICES = {
    "theme": "system",
    "layout": "list",
    "density": "comfortable",
    "font": "serif",
    "size": "medium",
    "width": "medium",
    "show": "unread",
    "order": "newest",
    "pictures": "all",
}


async def sign_in(visitor: Visitor, email: str, *, next_path: str = "") -> str:
    token = await visitor.open_form("/auth/login")
    form = {"email": email, "password": PASSWORD, "next": next_path, "csrf_token": token}
    reply = await visitor.post("/auth/login", data=form, headers=HTML)
    assert reply.status == 303
    return str(reply.headers["Location"])


# At the door.


@pytest.mark.parametrize(
    ("start", "path"), [("river", "/ui/"), ("unread", "/read/unread"), ("dashboard", "/dashboard")]
)
async def test_who_chose_where_to_start_starts_there(ada, start, path):
    await ada.send("/settings", **CHOICES, start=start)

    assert await sign_in(ada.server.visitor(), ada.email) == path


async def test_who_was_on_the_way_somewhere_comes_there_whatever_was_chosen(ada):
    await ada.send("/settings", **CHOICES, start="unread")

    where = await sign_in(ada.server.visitor(), ada.email, next_path="/dashboard")

    assert where == "/dashboard"


async def test_who_never_chose_starts_with_the_dashboard(ada):
    assert await sign_in(ada.server.visitor(), ada.email) == "/dashboard"


async def test_a_session_that_is_over_is_told_and_nobody_else_is(ada):
    stale = Visitor(ada.server.url, cookies=dict(ada.visitor.cookies))
    await ada.visitor.post("/auth/logout", headers=HTML)

    told = [
        Page((await visitor.get(path, headers=HTML)).text).texts(".note")
        for visitor, path in (
            (stale, "/auth/login?next=/read/all"),
            (stale, "/read/all"),
            (ada.server.visitor(), "/auth/login"),
        )
    ]

    over = ["Your session has expired. Sign in to continue."]
    assert told == [over, over, []]


async def test_signing_out_says_so(ada):
    reply = await ada.visitor.post("/auth/logout", headers=HTML)
    page = await ada.visitor.get(reply.headers["Location"], headers=HTML)

    assert Page(page.text).texts(".flash") == ["You are signed out."]


async def test_after_a_wrong_password_only_that_is_asked_for_again(ada):
    visitor = ada.server.visitor()
    token = await visitor.open_form("/auth/login")
    form = {"email": ada.email, "password": "wrong", "csrf_token": token}

    page = Page((await visitor.post("/auth/login", data=form, headers=HTML)).text)

    assert page.value("#email") == ada.email
    assert "autofocus" in page.one("#password").attributes
    assert "autofocus" not in page.one("#email").attributes


async def test_who_is_signed_in_is_led_home_from_an_unknown_address(ada):
    page = Page((await ada.visitor.get("/nowhere", headers=HTML)).text)
    stranger = await ada.server.visitor().get("/nowhere", headers=HTML)

    assert page.texts("main .button") == ["Back to your feeds"]
    assert page.all('a[href="/auth/login"]') == []
    assert Page(stranger.text).one('a[href="/auth/login"]')


async def test_signed_in_browsers_have_names(ada):
    agent = "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/143.0"
    other = ada.server.visitor(**{"User-Agent": agent})
    await sign_in(other, ada.email)

    page = await ada.page("/settings/security")

    named = page.one(f'[title="{agent}"]')
    assert named.text() == "Firefox on Linux"


# Secrets to take along.


async def test_a_new_app_password_comes_with_all_an_app_asks_for(ada):
    reply = await ada.send("/settings/security/app-passwords", label="Phone")
    page = Page(reply.text)

    copied = [b.attributes["data-copy"] for b in page.all("[data-copy]")]
    assert [page.one(f"#{id_}").text() for id_ in copied[1:]] == [ada.server.url, ada.email]
    assert copied[0] == "app-password-secret"
    guide = page.one('.flash a[href="/docs/clients.html"]').attributes["href"]
    assert (await ada.visitor.get(str(guide), headers=HTML)).status == 200


async def test_a_new_shared_address_can_be_copied(ada):
    page = Page((await ada.send("/settings/sharing", view="all")).text)

    copied = [b.attributes["data-copy"] for b in page.all("[data-copy]")]
    assert copied == ["made-rss", "made-atom"]


# When nothing has come yet.


async def test_unreachable_feeds_are_told_where_articles_would_be(ada, publisher):
    publisher.script("/b.xml", Answer(500), host=ada.host)
    feed = await ada.subscribe(publisher.url("/b.xml", host=ada.host))
    lists = (f"/read/feed/{feed.id}", "/read/unread", "/read/all")
    waiting = [(await ada.page(path)).texts(".list-pane h2") for path in lists]
    await ada.server.refresh_all(due_only=True)

    pages = [await ada.page(path) for path in lists]
    river = await ada.page("/ui/?view=feeds")

    assert waiting == [["Fetching"], ["Nothing has arrived yet"], ["Nothing has arrived yet"]]
    assert [page.texts(".list-pane h2") for page in pages] == [
        ["This feed can't be reached"],
        ["Nothing has arrived yet"],
        ["Nothing has arrived yet"],
    ]
    assert pages[1].texts(".empty .note") == ["1 feed can't be reached. See why."]
    assert river.texts("#river h2") == ["Nothing has arrived yet"]
    assert river.texts("#river .empty a") == ["See why."]


async def test_what_is_empty_names_the_keys_that_somebody_has(ada):
    keys = {**DEFAULT.keys, "star": "t"}
    await ada.send("/settings/keyboard", **keys)
    chosen = (await ada.page("/read/starred")).texts(".list-pane .empty p")
    await ada.send("/settings", **CHOICES, start="dashboard")
    without = await ada.page("/read/starred")

    assert chosen == ["Press t on an article, or select its star, to keep it here."]
    assert without.texts(".list-pane .empty p") == [
        "Select the star of an article to keep it here."
    ]
    assert without.all("#article kbd") == []


async def test_the_welcome_says_what_was_done_above_everything_else(ada):
    page = await ada.page("/dashboard?did=saved")

    first = page.one("#main .page").child
    while first is not None and first.tag == "-text":
        first = first.next
    assert first is not None
    assert first.attributes["class"] == "flash flash-undo"


# After a deed.


async def test_a_feed_is_paused_and_resumed_on_its_page(ada, publisher):
    feed = await ada.subscribe(publisher.feed("/a.xml", host=ada.host))
    path = f"/feeds/{feed.id}"

    said = []
    for verb in ("pause", "resume"):
        page = await ada.page(path)
        form = next(f for f in page.all("form") if f.css(f"button[name=do][value={verb}]"))
        fields = {
            str(field.attributes["name"]): str(field.attributes["value"])
            for field in form.css("input")
        }
        reply = await ada.send(str(form.attributes["action"]), **{**fields, "do": verb})
        said += (await ada.page(reply.headers["Location"])).texts(".flash")
        said.append(page.texts("#refresh-feed"))

    assert said == ["Paused 1 feed.", ["Refresh"], "Resumed 1 feed.", []]
    assert (await ada.look(feed.id)).paused_at is None


async def test_only_feeds_with_which_something_was_done_are_counted(ada, publisher):
    feeds = [await ada.subscribe(publisher.feed("/a.xml", host=ada.host_of(n))) for n in (7, 8)]
    chosen = {"feed": [str(feed.id) for feed in feeds], "csrf_token": ada.visitor.token}
    await ada.send("/feeds/selected", feed=str(feeds[0].id), do="pause")

    said = []
    for ids, verb in ((chosen["feed"], "refresh"), ([str(feeds[0].id)], "refresh")):
        form = {**chosen, "feed": ids, "do": verb}
        reply = await ada.visitor.post("/feeds/selected", data=form, headers=HTML, csrf=False)
        said += (await ada.page(reply.headers["Location"])).texts(".flash")

    assert said == ["Fetching 1 feed.", "No feed was changed."]


async def test_refresh_all_says_how_many_and_why_not_the_others(ada, publisher):
    await ada.subscribe(publisher.feed("/a.xml", host=ada.host))
    publisher.script("/b.xml", Answer(500), host=ada.host_of(7))
    await ada.subscribe(publisher.url("/b.xml", host=ada.host_of(7)))
    first = await ada.send("/feeds/refresh")
    await ada.server.refresh_all(due_only=True)
    plain = await ada.send("/feeds/refresh")
    told = await ada.htmx("POST", "/feeds/refresh")

    said = [(await ada.page(reply.headers["Location"])).texts(".flash") for reply in (first, plain)]
    why = "were fetched a moment ago, or failed and will be retried later."
    assert said == [["Fetching all your feeds."], [f"Nothing to fetch: your feeds {why}"]]
    trigger = json.loads(told.headers["HX-Trigger"])
    assert "refreshFeedList" in trigger
    assert trigger["toast"]["text"] == f"Nothing to fetch: your feeds {why}"


async def test_refresh_all_without_feeds_says_so(ada):
    plain = await ada.send("/feeds/refresh")
    told = await ada.htmx("POST", "/feeds/refresh")

    page = await ada.page(plain.headers["Location"])
    trigger = json.loads(told.headers["HX-Trigger"])
    assert page.texts(".flash") == ["You have no feeds yet."]
    assert trigger["toast"]["text"] == "You have no feeds yet."


async def test_refresh_all_leaves_out_feeds_that_are_never_polled(ada, publisher):
    feeds = [
        await ada.subscribe(publisher.feed("/a.xml", host=ada.host_of(number))) for number in (7, 8)
    ]

    async def stop(container: Container, feed_id: int | None) -> None:
        await Stores(container.web, container.work).execute(
            "UPDATE feed_schedules SET next_run_at = NULL, due_at = NULL WHERE feed_id = :id",
            id=feed_id,
        )

    said = []
    for feed in feeds:
        await ada.server.call(partial(stop, feed_id=feed.feed_id))
        reply = await ada.send("/feeds/refresh")
        said += (await ada.page(reply.headers["Location"])).texts(".flash")

    assert said == [
        "Fetching all your feeds.",
        "Nothing to fetch: polling is off for all your feeds.",
    ]


async def test_a_feeds_page_asks_for_itself_until_a_fetch_is_over(ada, publisher):
    feed = await ada.subscribe(publisher.feed("/a.xml", host=ada.host))
    await ada.server.refresh_all(due_only=True)
    whole = await ada.page(f"/feeds/{feed.id}")
    ask = str(whole.one("#feed-facts").attributes["hx-get"])

    await ada.htmx("POST", f"/feeds/{feed.id}/refresh")
    waiting = Page((await ada.htmx("GET", ask)).text)
    await ada.server.refresh_all(due_only=True)
    again = str(waiting.one("#feed-facts").attributes["hx-get"])
    over = Page((await ada.htmx("GET", again)).text)

    asks = [page.one("#feed-facts").attributes["hx-trigger"] for page in (whole, waiting, over)]
    on_refresh = "submit from:#refresh-feed delay:1s"
    assert asks == [on_refresh, "every 2s", on_refresh]
    assert over.one("#feed-problem").attributes["hx-swap-oob"] == "true"
    assert "hx-swap-oob" not in whole.one("#feed-problem").attributes


async def test_a_page_that_never_hears_of_a_fetch_stops_asking(ada, publisher):
    feed = await ada.subscribe(publisher.feed("/a.xml", host=ada.host))

    path = f"/feeds/{feed.id}?part=facts&since=never&turn="
    triggers = [
        Page((await ada.htmx("GET", f"{path}{turn}")).text)
        .one("#feed-facts")
        .attributes["hx-trigger"]
        for turn in (29, 30)
    ]

    assert triggers == ["every 2s", "submit from:#refresh-feed delay:1s"]


async def test_a_feeds_form_keeps_the_password_it_does_not_show(ada):
    feed = await ada.subscribe("https://u:pw@creds.invalid/feed.xml", "Private")
    page = await ada.page(f"/feeds/{feed.id}/edit")
    hint = page.texts(f"#edit-url-{feed.id} + .hint")[0]

    urls = []
    for url in ("https://creds.invalid/new.xml", "https://other.invalid/new.xml"):
        await ada.send(f"/feeds/{feed.id}/edit", name="Private", url=url)
        urls.append((await ada.look(feed.id)).url)

    assert page.value(f"#edit-url-{feed.id}") == "https://creds.invalid/feed.xml"
    assert "They are kept, but never sent to another site" in hint
    assert urls == ["https://u:pw@creds.invalid/new.xml", "https://other.invalid/new.xml"]


async def test_what_happened_to_a_bookmark_is_said(ada):
    await ada.send("/bookmarks", url="a.example/page")
    page = await ada.page("/ui/?view=bookmarks")
    (row,) = page.all(".bookmark")
    id_ = str(row.attributes["id"]).removeprefix("bookmark-")

    said = [
        (await ada.page(reply.headers["Location"])).texts(".flash")[0]
        for reply in (
            await ada.send(f"/bookmarks/{id_}/state", state="archive"),
            await ada.send(f"/bookmarks/{id_}/state", state="inbox"),
            await ada.send(f"/bookmarks/{id_}/pin", pinned="1"),
            await ada.send(f"/bookmarks/{id_}/pin", pinned=""),
        )
    ]

    assert row.attributes["data-url"] == "https://a.example/page"
    assert said == ["Moved to the archive.", "Moved to the inbox.", "Pinned.", "Unpinned."]


@pytest.mark.parametrize("url", ["mailto:a@b.example", "file:/etc/x", "words here"])
async def test_what_is_no_address_is_not_made_one(ada, url):
    assert (await ada.send("/bookmarks", url=url)).status == 400


@pytest.mark.parametrize("way", ["plain", "htmx"])
@pytest.mark.parametrize("url", ["localhost/x", 'odd "words" <b>', "ftp://a.example/"])
async def test_a_wrong_address_of_a_page_is_told_at_its_field(ada, way, url):
    form = {"url": url, "view": "inbox"}
    if way == "plain":
        reply = await ada.send("/bookmarks", **form)
    else:
        reply = await ada.htmx("POST", "/bookmarks", target="main#main", data=form)

    page = Page(reply.text)
    field = page.one("#bookmark-url")
    assert reply.status == 400
    assert field.attributes["value"] == url
    assert field.attributes["aria-describedby"] == "bookmark-errors"
    assert page.texts("#bookmark-errors .error") == [
        "Invalid URL format. Must start with http:// or https://"
    ]
    assert page.texts("h1") == page.texts(".tabs [aria-current]") == ["Inbox"]
    assert bool(page.all(".sidebar")) is (way == "plain")


async def test_an_empty_address_of_a_page_is_told_and_programs_get_a_document(ada):
    empty = await ada.send("/bookmarks", url="  ")
    asks = {"Accept": "application/json"}
    program = await ada.visitor.post("/bookmarks", data={"url": "x"}, headers=asks)

    said = Page(empty.text).texts("#bookmark-errors .error")
    assert (empty.status, said) == (400, ["Paste a page address."])
    assert program.json()["type"] == "urn:feedloom:problem:bad_address"


async def test_a_wrong_address_beside_a_title_and_tags_loses_none_of_them(ada):
    form = {"title": "Mine", "description": "Why", "tags": "a, b", "state": "archive"}
    page = Page((await ada.send("/bookmarks", url="words here", **form)).text)

    assert page.value("#keep-url") == "words here"
    assert page.value("#keep-title") == "Mine"
    assert page.value("#keep-tags") == "a, b"
    assert page.texts("#keep-note") == ["Why"]
    assert page.value("[name=state][checked]") == "archive"
    assert page.one("#keep-errors")


async def test_an_address_with_a_port_needs_no_scheme(ada):
    reply = await ada.send("/bookmarks", url="a.example:8080/x")
    (row,) = (await ada.page("/ui/?view=inbox")).all(".bookmark")

    assert reply.status == 303
    assert row.attributes["data-url"] == "https://a.example:8080/x"


async def test_what_happened_to_a_rule_and_a_digest_is_said(ada):
    rule = {"field": "title", "pattern": "x", "action": "read", "name": "R"}
    made = await ada.send("/settings/rules", **rule)
    at_seven = await ada.send("/digest/schedule", daily="1", hour="7", timezone="UTC")
    never = await ada.send("/digest/schedule")

    said = [
        (await ada.page(reply.headers["Location"])).texts(".flash")[0]
        for reply in (made, at_seven, never)
    ]
    assert said == [
        "Rule created. It runs on new articles; use Apply for existing ones.",
        "You'll get a digest every day at 07:00.",
        "Daily digests are off.",
    ]


# When there is nothing.


async def test_who_has_no_feeds_is_shown_every_way_to_one(ada):
    river = await ada.page("/ui/?view=feeds")
    listed = Page((await ada.htmx("GET", "/feeds")).text)
    everything = await ada.page("/read/all")

    assert river.one('.empty a[href="/directory"]').text().strip().startswith("Browse")
    assert "above" not in listed.one(".empty").text()
    assert listed.one('.empty a[href="/ui/?view=feeds#add-url"]')
    assert everything.one('.empty a[href="/ui/?view=feeds#add"]')


async def test_words_lead_to_the_directory_and_a_known_feed_to_itself(ada, publisher):
    url = publisher.feed("/a.xml", title="Known", host=ada.host)
    feed = await ada.subscribe(url)

    words = Page((await ada.htmx("POST", "/ui/add", data={"url": "slow food"})).text)
    form = {"url": url, "exact": "1"}
    known = Page((await ada.htmx("POST", "/ui/add", data=form)).text)

    link = words.one(".error a")
    assert link.attributes["href"] == "/directory?q=slow%20food"
    assert words.one(".error").text().endswith("search the directory instead.")
    assert known.one(f'a[href="/read/feed/{feed.id}?show=all"]')


async def test_a_tag_opens_on_what_was_tagged_when_all_of_it_is_read(ada, publisher):
    await ada.subscribe(publisher.feed("/t.xml", entries=entries(2), host=ada.host))
    await ada.server.refresh_all()
    page = await ada.page("/read/all")
    item = str(page.all(".row")[0].attributes["data-item"])
    await ada.tell("/articles/tag", item=item, tag="later")
    await ada.tell("/articles/mark", mark="read", item=item)

    read = await ada.page("/read/tag/later")
    await ada.tell("/articles/mark", mark="unread", item=item)
    unread = await ada.page("/read/tag/later")

    assert [len(read.all(".row")), len(unread.all(".row"))] == [1, 1]
    assert read.texts(".segmented [aria-current]") == ["All"]
    assert unread.texts(".segmented [aria-current]") == ["Unread"]


async def test_feeds_that_cannot_be_reached_are_told_when_nothing_is_new(ada, publisher):
    publisher.script("/down.xml", Answer(500), host=ada.host)
    await ada.subscribe(publisher.url("/down.xml", host=ada.host))
    await ada.server.refresh_all()

    page = await ada.page("/ui/?view=feeds")

    assert page.texts(".empty .note") == ["1 feed can't be reached. See why."]
    assert page.one('.empty a[href="/dashboard?status=error"]')


async def test_a_full_text_begins_without_its_title_and_the_feeds_is_at_hand(ada, publisher):
    words = "This is the whole story, told at some length so that it counts. " * 20
    body = f"<article><h1>The Story</h1><p>{words}</p></article>"
    link = publisher.page("/s.html", f"<html><body>{body}</body></html>", host=ada.host)
    short = entry(1, title="The story", link=link, content="<p>Only the start …</p>")
    await ada.subscribe(publisher.feed("/f.xml", entries=[short], host=ada.host))
    await ada.server.refresh_all()
    page = await ada.page("/read/all")
    item = str(page.all(".row")[0].attributes["data-item"])
    await ada.htmx("POST", f"/articles/{item}/full-text")
    await ada.server.refresh_all(due_only=True)

    full = await ada.page(f"/read/all?item={item}")
    back = full.one('[title="As in the feed"]').attributes["href"]
    feed = await ada.page(str(back))

    assert "the whole story" in full.one(".prose").text()
    assert full.all(".prose :is(h1, h2, h3)") == []
    assert feed.texts(".prose") == ["Only the start …"]
    assert feed.one("[data-full-text]")


@pytest.mark.parametrize(
    ("method", "path", "target", "status"),
    [
        ("GET", "/ui/side", "main#main", 200),
        ("PATCH", "/feeds/%D9%A3", "div#feed", 404),
        ("GET", "/read/feed%00/1", "main#main", 404),
    ],
)
async def test_what_htmx_asks_for_in_an_odd_way_is_answered(ada, method, path, target, status):
    headers = HTML | HTMX | {"HX-Target": target}

    reply = await ada.visitor.ask(method, path, headers=headers)

    assert reply.status == status
