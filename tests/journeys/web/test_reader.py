"""The reader: places, choices, paging by key, marks with undo, tags, search."""

import re

import pytest

from feedloom.app import Container
from tests.factories_feeds import FIRST_ENTRY_AT, entries, entry
from tests.journeys.web.people import Page, Person, arrive
from tests.publisher import Publisher
from tests.serving import HTML

pytestmark = pytest.mark.both_engines


async def read_feed(ada: Person, publisher: Publisher, count: int = 3, **said) -> int:
    """Subscribe to a feed with so many entries and fetch it; all of them unread."""
    url = publisher.feed("/r.xml", entries=entries(count), host=ada.host, **said)
    feed = await ada.subscribe(url)
    await ada.server.refresh_all()
    await ada.server.call(lambda container: _all_unread(container, ada.email))
    return feed.id


async def _all_unread(container: Container, email: str) -> None:
    found = await container.accounts.store.by_email(email)
    assert found is not None
    reading = container.services().reading
    await reading.mark(found[0].id, range(1, 500), "unread")


def titles(page: Page) -> list[str]:
    return page.texts(".row-title")


def items(page: Page) -> list[int]:
    return [int(row.attributes["data-item"] or 0) for row in page.all(".row")]


async def test_read_leads_to_what_is_unread(ada):
    reply = await ada.visitor.get("/read", headers=HTML)

    assert (reply.status, reply.headers["Location"]) == (303, "/read/unread")


async def test_a_post_without_a_title_has_its_first_words_for_one(ada, publisher):
    said = (
        "The harbour was quiet " * 3 + "and nobody expected the extraordinary announcement of today"
    )
    posts = [entry(1, title="", content=f"<p>{said}</p>"), entry(2, title="", content="Short.")]
    await ada.subscribe(publisher.feed("/posts.xml", entries=posts, host=ada.host))
    await ada.server.refresh_all(due_only=True)

    shown = titles(await ada.page("/read/all"))

    assert sorted(shown) == ["Short.", said.partition(" extraordinary")[0] + "…"]


async def test_somebody_without_feeds_is_told_what_to_do(ada):
    page = await ada.page("/read/unread")

    assert page.texts(".list-pane h2") == ["Nothing to read yet"]
    assert page.one('.list-pane a[href="/ui/?view=feeds#add"]')


async def test_a_list_and_an_article_stand_side_by_side(ada, publisher):
    await read_feed(ada, publisher)
    item = items(await ada.page("/read/all"))[0]

    page = await ada.page(f"/read/all?item={item}")

    assert titles(page) == ["Entry 3", "Entry 2", "Entry 1"]
    assert page.texts("#article .article-title") == ["Entry 3"]
    assert page.texts("#article .prose") == ["This is what entry 3 says, in a sentence or two."]
    assert "Author 0" in page.one(".article-meta").text()
    assert page.one(".reader.has-article")


async def test_next_and_previous_are_the_neighbours_in_the_list(ada, publisher):
    await read_feed(ada, publisher)
    newest, middle, oldest = items(await ada.page("/read/all"))

    page = await ada.page(f"/read/all?item={middle}")

    steps = {a.attributes["data-step"]: a.attributes["href"] for a in page.all("a[data-step]")}
    assert f"item={newest}" in steps["-1"]
    assert f"item={oldest}" in steps["1"]


async def test_unread_all_and_starred_show_what_they_say(ada, publisher):
    feed_id = await read_feed(ada, publisher)
    newest, middle, _ = items(await ada.page("/read/all"))
    await ada.tell("/articles/mark", mark="read", item=str(newest))
    await ada.tell("/articles/mark", mark="starred", item=str(middle))

    assert titles(await ada.page("/read/unread")) == ["Entry 2", "Entry 1"]
    assert titles(await ada.page("/read/starred")) == ["Entry 2"]
    assert titles(await ada.page(f"/read/feed/{feed_id}")) == ["Entry 2", "Entry 1"]
    assert len(titles(await ada.page(f"/read/feed/{feed_id}?show=all"))) == 3


async def test_oldest_first_turns_the_list_round(ada, publisher):
    await read_feed(ada, publisher)

    assert titles(await ada.page("/read/all?order=oldest")) == ["Entry 1", "Entry 2", "Entry 3"]


async def test_the_last_to_arrive_may_come_first(ada, publisher):
    await read_feed(ada, publisher)
    old = entry(0, title="Old but new here", published_at=FIRST_ENTRY_AT)
    publisher.bump("/r.xml", old, host=ada.host)
    await ada.server.refresh_all()

    assert titles(await ada.page("/read/all"))[-1] == "Old but new here"
    assert titles(await ada.page("/read/all?order=arrived"))[0] == "Old but new here"


async def test_a_folder_shows_its_subfolders_too(ada, publisher):
    feed_id = await read_feed(ada, publisher)
    await ada.send("/settings/folders", name="Outer")
    folders = await ada.page("/settings/feeds")
    outer = _folder_id(folders, "Outer")
    await ada.send("/settings/folders", name="Inner", parent_id=outer)
    inner = _folder_id(await ada.page("/settings/feeds"), "Outer / Inner")
    await ada.send(f"/feeds/{feed_id}/edit", folder_id=inner)

    assert len(titles(await ada.page(f"/read/folder/{outer}"))) == 3
    side = await ada.page("/read/all")
    branch = side.one(f'[data-sum="{outer}"] .count')
    assert branch.text() == "3"


def _folder_id(page: Page, path: str) -> str:
    for row in page.all(".folder-list li"):
        name = row.css_first(".folder-path")
        if name is not None and " ".join(name.text().split()) == path:
            found = re.search(r"/folders/(\d+)/", row.html or "")
            assert found is not None
            return found[1]
    raise AssertionError(f"no folder {path}")


@pytest.mark.parametrize(
    "path",
    [
        "/read/odd",
        "/read/feed/2000000000",
        "/read/feed/x",
        "/read/folder/2000000000",
        "/read/tag/none",
        "/read/all?item=2000000000",
        "/articles/2000000000",
        "/articles/x",
    ],
)
async def test_what_is_not_there_is_404(ada, path):
    assert (await ada.visitor.get(path, headers=HTML)).status == 404


@pytest.mark.parametrize(
    "query", ["show=odd", "order=odd", "cursor=odd", "cursor=1-2-3", "cursor=9" + "9" * 30]
)
async def test_an_odd_query_is_400(ada, query):
    assert (await ada.visitor.get(f"/read/all?{query}", headers=HTML)).status == 400


async def test_lists_go_on_by_key_without_gap_or_repeat(ada, publisher):
    await read_feed(ada, publisher, 50)
    publisher.feed("/s.xml", entries=[], host=ada.host_of(9))
    more = [entry(n, guid=f"urn:more:{n}") for n in range(140, 60, -1)]
    other = publisher.feed("/s.xml", entries=more[:50], host=ada.host_of(9))
    await ada.subscribe(other)
    await ada.server.refresh_all()
    first = await ada.page("/read/all")
    link = first.one("#more a").attributes["hx-get"]
    assert link is not None
    # Something is read and dismissed in between: paging by number would skip rows.
    await ada.tell("/articles/mark", mark="hidden", item=str(items(first)[3]))

    second = Page((await ada.htmx("GET", link, target="li#more")).text)

    assert (len(items(first)), len(items(second))) == (50, 50)
    assert set(items(first)) & set(items(second)) == set()
    assert second.all("#more") == []
    assert "<html" not in second.text


async def test_marks_by_script_answer_with_what_they_changed(ada, publisher):
    await read_feed(ada, publisher)
    one, two, _ = items(await ada.page("/read/all"))

    first = await ada.tell("/articles/mark", mark="read", item=f"{one},{two}")
    second = await ada.tell("/articles/mark", mark="read", item=f"{one},{two}")

    assert sorted(first["items"]) == sorted([one, two])
    assert second["items"] == []


async def test_marks_by_plain_form_come_back_to_the_list(ada, publisher):
    await read_feed(ada, publisher)
    item = items(await ada.page("/read/all"))[0]

    reply = await ada.send("/articles/mark", do=f"starred.{item}", next="/read/all")

    assert (reply.status, reply.headers["Location"]) == (303, "/read/all")
    assert titles(await ada.page("/read/starred")) == ["Entry 3"]


@pytest.mark.parametrize(
    "fields",
    [
        {"mark": "odd", "item": "1"},
        {"mark": "read", "item": "x"},
        {"do": "read"},
        {"mark": "read", "item": ",".join(map(str, range(1, 1002)))},
    ],
)
async def test_odd_marks_are_refused(ada, fields):
    reply = await ada.send("/articles/mark", **fields)

    assert reply.status == (400 if fields != {"do": "read"} else 303)


@pytest.mark.threat("A6")
@pytest.mark.parametrize("path", ["//evil.example", "https://evil.example", "/\\evil"])
async def test_marks_never_lead_away(ada, path):
    reply = await ada.send("/articles/mark", mark="read", item="1", next=path)

    assert reply.headers["Location"] == "/read/unread"


async def test_mark_all_read_marks_a_place_and_can_be_undone(ada, publisher):
    await read_feed(ada, publisher)
    page = await ada.page("/read/unread")
    fields = _fields(page, ".sweep")

    reply = await ada.send("/articles/sweep", **fields)
    told = await ada.page(reply.headers["Location"])
    await ada.send("/articles/unsweep", **_fields(told, ".flash-undo form"))

    assert told.texts(".flash-undo span") == ["3 articles marked as read."]
    assert told.texts(".list-pane h2") == ["All caught up"]
    assert len(titles(await ada.page("/read/unread"))) == 3


@pytest.mark.threat("C10")
async def test_mark_all_read_leaves_what_arrived_since_the_page_was_drawn(ada, publisher):
    await read_feed(ada, publisher)
    fields = _fields(await ada.page("/read/unread"), ".sweep")
    publisher.bump("/r.xml", entry(99, title="Just in"), host=ada.host)
    await ada.server.refresh_all()

    done = await ada.tell("/articles/sweep", **fields)

    assert done["count"] == 3
    assert titles(await ada.page("/read/unread")) == ["Just in"]


async def test_mark_all_read_stays_within_its_feed_folder_or_tag(ada, publisher):
    feed_id = await read_feed(ada, publisher)
    await ada.subscribe(publisher.feed("/other.xml", host=ada.host_of(8)))
    await ada.server.refresh_all()

    fields = _fields(await ada.page(f"/read/feed/{feed_id}"), ".sweep")
    done = await ada.tell("/articles/sweep", **fields)

    assert done["count"] == 3
    assert len(titles(await ada.page("/read/unread"))) == 3


async def test_undo_brings_back_only_what_the_sweep_marked(ada, publisher):
    await read_feed(ada, publisher)
    item = items(await ada.page("/read/all"))[0]
    await ada.tell("/articles/mark", mark="read", item=str(item))
    swept = await ada.tell("/articles/sweep")

    undone = await ada.tell("/articles/unsweep", token=swept["token"])

    assert (swept["count"], undone["count"]) == (2, 2)
    assert len(titles(await ada.page("/read/unread"))) == 2


@pytest.mark.threat("A7")
async def test_another_persons_articles_cannot_be_seen_or_marked(ada, publisher):
    bob = await arrive(ada.server)
    await read_feed(bob, publisher)
    swept = await bob.tell("/articles/sweep")
    item = items(await bob.page("/read/all"))[0]

    seen = await ada.visitor.get(f"/articles/{item}", headers=HTML)
    await ada.tell("/articles/mark", mark="starred", item=str(item))
    await ada.tell("/articles/tag", item=str(item), tag="mine")
    undone = await ada.tell("/articles/unsweep", token=swept["token"])

    assert seen.status == 404
    assert undone["count"] == 0
    assert titles(await bob.page("/read/starred")) == []


async def test_tags_are_put_on_shown_and_taken_off(ada, publisher):
    await read_feed(ada, publisher)
    item = str(items(await ada.page("/read/all"))[0])

    await ada.send("/articles/tag", item=item, tag="to/print & keep")
    page = await ada.page("/read/all")
    link = page.one('.sidebar a[href^="/read/tag/"]').attributes["href"]
    assert link is not None
    tagged = await ada.page(f"{link}?show=all")
    await ada.send("/articles/tag", item=item, tag="to/print & keep", off="1")

    assert titles(tagged) == ["Entry 3"]
    assert tagged.texts("h1") == ["to/print & keep"]
    assert titles(await ada.page(f"{link}?show=all")) == []


async def test_a_tag_without_a_name_is_refused(ada, publisher):
    await read_feed(ada, publisher)
    item = str(items(await ada.page("/read/all"))[0])

    reply = await ada.send("/articles/tag", item=item, tag="   ")

    assert reply.status == 400


async def test_the_name_of_a_refused_tag_stays_in_its_field(ada, publisher):
    await read_feed(ada, publisher)
    item = str(items(await ada.page("/read/all"))[0])
    name = "<z>" * 100
    fields = {"item": item, "tag": name}

    refused = await ada.htmx("POST", "/articles/tag", data=fields)
    taken = await ada.htmx("POST", "/articles/tag", data=fields | {"tag": "short"})
    off = await ada.htmx("POST", "/articles/tag", data=fields | {"off": "1"})

    assert [refused.status, taken.status] == [400, 200]
    assert Page(refused.text).value("#new-tag") == name
    assert Page(refused.text).one(".error")
    assert not Page(taken.text).value("#new-tag")
    assert not Page(off.text).value("#new-tag")


async def test_search_finds_words_and_says_when_there_are_none(ada, publisher):
    await read_feed(ada, publisher)
    await ada.server.call(lambda container: container.indexer().catch_up())

    found = await ada.page("/search?q=entry+2")
    none = await ada.page("/search?q=zebra")
    blank = await ada.page("/search")

    assert titles(found) == ["Entry 2"]
    assert none.texts(".list-pane h2") == ["Nothing found"]
    assert blank.texts(".list-pane h2") == ["Search your articles"]


async def test_enclosures_and_right_to_left_are_shown(ada, publisher):
    arabic = entry(
        7,
        title="رسالة من ساحل هادئ",
        content="<p>وصلنا إلى الجزيرة قبل شروق الشمس، وكان البحر هادئا كأنه صفحة.</p>",
        enclosure=("https://media.example/a.mp3", "audio/mpeg", 3_000_000),
    )
    url = publisher.feed("/rtl.xml", entries=[arabic], host=ada.host)
    await ada.subscribe(url)
    await ada.server.refresh_all()
    item = items(await ada.page("/read/all"))[0]

    page = await ada.page(f"/read/all?item={item}")

    assert page.one(".article-sheet").attributes["dir"] == "rtl"
    assert page.one(".enclosure audio").attributes["src"] == ("https://media.example/a.mp3")
    assert "Download, 3 MB" in page.one(".enclosure a").text()


async def test_full_text_is_read_on_demand_and_shown_when_it_is_there(ada, publisher):
    words = "This is the whole story, told at some length so that it counts. " * 20
    page = publisher.page(
        "/story.html",
        f"<html><body><article><h1>A</h1><p>{words}</p></article></body></html>",
        host=ada.host,
    )
    short = entry(1, link=page, content="<p>Only the beginning …</p>")
    await ada.subscribe(publisher.feed("/f.xml", entries=[short], host=ada.host))
    await ada.server.refresh_all()
    item = items(await ada.page("/read/all"))[0]

    asked = await ada.htmx("POST", f"/articles/{item}/full-text")
    poll = Page(asked.text).one("[hx-trigger='every 1s']").attributes["hx-get"]
    assert poll is not None
    waiting = await ada.htmx("GET", poll)
    await ada.server.refresh_all(due_only=True)
    done = await ada.htmx("GET", poll)

    assert "Only the beginning" not in done.text
    assert "the whole story" in Page(done.text).one(".prose").text()
    assert done.headers["HX-Retarget"] == f'[data-article="{item}"]'
    assert Page(waiting.text).one("[hx-trigger='every 1s']")
    again = await ada.page(f"/articles/{item}")
    assert "the whole story" in again.one(".prose").text()
    assert again.all("[data-full-text]") == []


async def test_full_text_that_cannot_be_read_is_told_and_the_article_stays(ada, publisher):
    gone = publisher.url("/nowhere.html", host=ada.host)
    short = entry(1, link=gone, content="<p>Only the beginning …</p>")
    await ada.subscribe(publisher.feed("/f.xml", entries=[short], host=ada.host))
    await ada.server.refresh_all()
    item = items(await ada.page("/read/all"))[0]

    plain = await ada.send(f"/articles/{item}/full-text")
    asked = await ada.htmx("POST", f"/articles/{item}/full-text")
    poll = Page(asked.text).one("[hx-trigger='every 1s']").attributes["hx-get"]
    assert poll is not None
    await ada.server.refresh_all(due_only=True)
    done = Page((await ada.htmx("GET", poll)).text)

    assert plain.headers["Location"] == f"/articles/{item}"
    assert "Showing the text from the feed" in done.one(".note").text()
    assert (await ada.page(f"/articles/{item}")).texts(".prose") == ["Only the beginning …"]


async def test_an_opened_article_is_not_marked_by_looking_at_it(ada, publisher):
    await read_feed(ada, publisher)
    item = items(await ada.page("/read/all"))[0]

    await ada.page(f"/read/all?item={item}")
    await ada.htmx("GET", f"/articles/{item}", target="section#article")

    assert len(titles(await ada.page("/read/unread"))) == 3


async def test_marking_one_marks_the_same_story_elsewhere_when_wanted(ada, publisher):
    await read_feed(ada, publisher)
    same = publisher.feed("/same.xml", entries=entries(3), host=ada.host_of(7))
    await ada.subscribe(same)
    await ada.server.refresh_all()
    await ada.server.call(lambda container: _all_unread(container, ada.email))
    choices = _checked(await ada.page("/settings"))
    await ada.send("/settings", **{**choices, "cluster_read": "1"})
    item = items(await ada.page("/read/all"))[0]

    done = await ada.tell("/articles/mark", mark="read", item=str(item))

    assert len(done["items"]) == 2
    # The other two are in both feeds, too: a row each.
    assert len(titles(await ada.page("/read/unread"))) == 2


async def test_counts_for_scripts_are_those_of_the_side_bar(ada, publisher):
    feed_id = await read_feed(ada, publisher)

    reply = await ada.visitor.get("/ui/counts")

    said = reply.json()
    assert (said["unread"], said["starred"]) == (3, 0)
    assert said["feeds"] == {str(feed_id): 3}
    side = await ada.page("/read/all")
    assert side.one("[data-total=unread] .count").text() == "3"
    assert side.one(f'.nav-link[data-feed="{feed_id}"] .count').text() == "3"


async def test_the_main_part_alone_is_sent_when_htmx_asks_for_it(ada, publisher):
    await read_feed(ada, publisher)

    part = await ada.htmx("GET", "/read/unread", target="main#main")

    assert part.text.lstrip().startswith("<title>Unread · Feedloom</title>")
    assert "sidebar" not in part.text
    assert len(titles(Page(part.text))) == 3


async def test_a_feeds_page_shows_health_why_and_recent_articles(ada, publisher):
    feed_id = await read_feed(ada, publisher)

    page = await ada.page(f"/feeds/{feed_id}")

    assert page.texts(".chip-good") == ["Working"]
    assert "poll every day" in page.one(".why").text()
    assert page.texts("#recent-title + ul a") == ["Entry 3", "Entry 2", "Entry 1"]
    assert len(page.all("section svg.chart")[0].css("rect")) == 1
    assert page.texts(".log tbody tr td:nth-child(2)") == ["New articles"]


async def test_a_moved_feed_says_so_in_its_audit_trail(ada, publisher):
    new = publisher.feed("/new-home.xml", host=ada.host)
    old = publisher.redirect("/old-home.xml", new, status=301, host=ada.host)
    feed = await ada.subscribe(old)
    await ada.server.refresh_all()

    page = await ada.page(f"/feeds/{feed.id}")

    (line,) = page.texts("#audit-title + ol li")
    assert "moved by worker" in line
    assert old in line
    assert new in line


def _fields(page: Page, selector: str) -> dict[str, str]:
    """Read a form's hidden fields, without its token."""
    form = page.one(selector)
    return {
        str(field.attributes["name"]): str(field.attributes["value"])
        for field in form.css("input[type=hidden]")
        if field.attributes["name"] != "csrf_token"
    }


def _checked(page: Page) -> dict[str, str]:
    return {
        str(field.attributes["name"]): str(field.attributes["value"])
        for field in page.all(".settings-body input[checked]")
    }
