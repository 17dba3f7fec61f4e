"""Stories: folded lists, a page that compares wordings, marks, JSON, and a feed."""

import pytest

from tests.journeys.web.newsroom import COPIED, PAPERS, QUOTE, subscribe
from tests.journeys.web.people import Page, Person, arrive
from tests.publisher import Publisher
from tests.serving import Server

pytestmark = pytest.mark.both_engines
VOTES = {paper.vote for paper in PAPERS}


@pytest.fixture
async def reader(ada: Person, publisher: Publisher) -> Person:
    await subscribe(ada, publisher)
    return ada


async def fold_stories(person: Person) -> None:
    sent = await person.send("/settings/fold-stories", next="/read/all")
    assert sent.headers["Location"] == "/read/all"


async def unread(person: Person) -> int:
    reply = await person.visitor.get("/ui/counts", headers={"Accept": "application/json"})
    count: int = reply.json()["unread"]
    return count


async def story_id(person: Person) -> int:
    [story] = [
        line for line in (await person.visitor.get("/api/stories")).json() if line["title"] in VOTES
    ]
    number: int = story["id"]
    return number


def also(page: Page) -> list[str]:
    return page.texts(".fold summary")


async def test_an_article_that_several_feeds_have_is_one_row(reader: Person):
    page = await reader.page("/read/unread")

    assert page.texts(".row-title").count(COPIED) == 1
    assert len(page.texts(".row-title")) == 21
    assert also(page) == ["Also in 3 other feeds · 3 unread"]
    assert len(page.all(".fold li")) == 3
    assert await unread(reader) == 24


async def test_reading_it_reads_it_in_all_feeds(reader: Person):
    page = await reader.page("/read/unread")
    [row] = [row for row in page.all(".row") if COPIED in row.text()]

    done = await reader.tell("/articles/mark", mark="read", item=row.attributes["data-item"] or "")

    assert len(done["items"]) == 4
    assert await unread(reader) == 20
    assert COPIED not in (await reader.page("/read/unread")).texts(".row-title")


async def test_copies_are_shown_to_those_who_want_all_of_them(reader: Person):
    page = await reader.page("/settings")
    fields = {
        node.attributes["name"] or "": node.attributes["value"] or ""
        for node in page.all(".stack input[checked]")
    }
    assert fields.pop("fold_copies") == "1"
    await reader.send("/settings", **fields)

    page = await reader.page("/read/all")

    assert page.texts(".row-title").count(COPIED) == 4
    assert also(page) == []


async def test_stories_fold_when_somebody_wants_that(reader: Person):
    before = await reader.page("/read/all")
    assert set(before.texts(".row-title")) >= VOTES
    await fold_stories(reader)

    page = await reader.page("/read/all")

    shown = VOTES & set(page.texts(".row-title"))
    assert len(shown) == 1
    assert also(page) == ["Also in 3 other feeds · 3 unread"] * 2
    assert {*page.texts(".fold li a")} >= VOTES - shown
    assert await unread(reader) == 24


async def test_a_folded_row_is_open_where_it_was_chosen(reader: Person):
    await fold_stories(reader)
    page = await reader.page("/read/all")
    hidden = page.all(".fold a")[-1].attributes["href"] or ""
    item = hidden.rpartition("/")[2]

    page = await reader.page(f"/read/all?item={item}")

    assert len(page.all(f"#row-{item}")) == 1


async def test_pages_of_a_folded_list_leave_no_article_out(reader: Person, publisher: Publisher):
    await fold_stories(reader)
    shown: list[str] = []
    path = "/read/all?show=all"
    while path:
        page = await reader.page(path)
        shown += page.texts(".row-title") + page.texts(".fold li a")
        more = page.all("#more a")
        path = (more[0].attributes["href"] or "") if more else ""

    assert len(shown) == 24
    assert set(shown) >= VOTES


async def test_the_page_sets_the_wordings_beside_each_other(reader: Person):
    page = await reader.page(f"/stories/{await story_id(reader)}")

    assert set(page.texts(".board-title")) == VOTES
    assert set(page.texts(".board dt span:last-child")) == {paper.name for paper in PAPERS}
    assert {"Furious residents", "lindens"} & set(page.texts(".alone")) == set()
    assert "reckless" in page.texts(".loaded.alone")
    [signs] = page.texts(".board-signs")
    assert "“reckless”" in signs.replace('"', "“") or "reckless loaded wording" in signs
    facts = page.texts(".board-facts")
    assert any(QUOTE in fact for fact in facts)
    assert any("310" in fact for fact in facts)
    assert not any("2.4" in fact for fact in facts)
    assert set(page.texts(".timeline a")) == VOTES
    assert page.texts(".story-head .muted")[0].startswith("4 articles in 4 feeds, 4 unread.")


async def test_how_a_source_usually_words_things_is_told_beside_it(reader: Person):
    number = await story_id(reader)
    page = await reader.page(f"/stories/{number}")
    told = (await reader.visitor.get(f"/api/stories/{number}")).json()
    trends = {trend["feed_title"]: trend for trend in told["trends"]}

    assert set(page.texts(".trends tbody th")) == set(trends) == {paper.name for paper in PAPERS}
    assert trends["Daily Alarm"]["usual"] > 0.5 > trends["The Post"]["usual"]
    assert trends["Daily Alarm"]["headlines"] == 6
    assert len(page.all(".trend")) == 4
    assert len(page.all(".trend rect")) == 32


async def test_a_story_is_marked_read_at_once(reader: Person):
    number = await story_id(reader)

    sent = await reader.send(f"/stories/{number}/mark", do="read", next="/read/all")

    assert sent.headers["Location"] == "/read/all?did=story-read"
    assert await unread(reader) == 20


async def test_a_muted_story_is_gone_and_stays_away(reader: Person, publisher: Publisher):
    number = await story_id(reader)
    await reader.send(f"/stories/{number}/mark", do="muted")
    assert await unread(reader) == 20
    assert not VOTES & set((await reader.page("/read/all")).texts(".row-title"))
    assert len((await reader.page(f"/stories/{number}")).all(".board-line")) == 4

    await reader.send(f"/stories/{number}/mark", do="unmuted")

    assert set((await reader.page("/read/all")).texts(".row-title")) >= VOTES
    assert await unread(reader) == 20


async def test_a_followed_story_is_listed_and_shared_as_a_feed(reader: Person):
    number = await story_id(reader)
    await reader.send(f"/stories/{number}/mark", do="followed")
    page = await reader.page("/stories")
    assert page.texts(".story h2")[0] == "Followed"
    story = await reader.page(f"/stories/{number}")
    link = next(a for a in story.all(".story-verbs a")).attributes["href"] or ""
    sharing = await reader.page(link)
    assert sharing.value("#share-view [selected]") == f"story:{number}"

    shared = await reader.send("/settings/sharing", view=f"story:{number}", label="")

    address = Page(shared.text).value("#made-rss") or ""
    feed = await reader.visitor.get("/view/" + address.rpartition("/view/")[2])
    assert feed.status == 200
    assert all(vote in feed.text for vote in VOTES)
    assert COPIED not in feed.text


@pytest.mark.threat("A7", "A25")
async def test_nobody_learns_what_others_read(
    reader: Person, shared_server: Server, publisher: Publisher
):
    number = await story_id(reader)
    bob, eve = await arrive(shared_server), await arrive(shared_server)
    await subscribe(bob, publisher, PAPERS[2:3])

    page = await bob.page(f"/stories/{number}")
    told = (await bob.visitor.get(f"/api/stories/{number}")).json()

    assert page.texts(".board-title") == [PAPERS[2].vote]
    assert page.texts(".story-head .muted")[0].startswith("1 article in 1 feed, 1 unread.")
    assert "Alarm" not in page.text
    assert len(told["articles"]) == len(told["wordings"]) == 1
    assert told["wordings"][0]["alone"] == told["wordings"][0]["facts"] == []
    assert (await bob.visitor.get("/api/stories")).json() == []
    for path in (f"/stories/{number}", f"/api/stories/{number}"):
        assert (await eve.visitor.get(path)).status == 404
    assert (await eve.send(f"/stories/{number}/mark", do="followed")).status == 404
    view = {"view": "story", "target_id": number}
    assert (await eve.visitor.post("/api/view-tokens", json=view)).status == 404
    assert (await bob.send(f"/stories/{number}/mark", do="muted")).status == 303
    assert await unread(reader) == 24


async def test_stories_in_json(reader: Person):
    number = await story_id(reader)
    told = (await reader.visitor.get(f"/api/stories/{number}")).json()
    by_feed = {wording["feed_title"]: wording for wording in told["wordings"]}
    alarm = by_feed["Daily Alarm"]

    assert len(told["articles"]) == 4
    assert {"text": "reckless", "dimension": "framing"} in alarm["loaded"]
    assert alarm["score"] > 0.5 > by_feed["The Post"]["score"]
    assert {"kind": "quotation", "text": QUOTE} in alarm["facts"]
    changed = await reader.visitor.patch(
        f"/api/stories/{number}", json={"followed": True, "unread": False}
    )
    assert changed.json()["followed"]
    [line] = (await reader.visitor.get("/api/stories")).json()[:1]
    assert (line["id"], line["followed"], line["unread"], line["feeds"]) == (number, True, 0, 4)
    await reader.visitor.patch(f"/api/stories/{number}", json={"followed": False, "muted": True})
    again = (await reader.visitor.get(f"/api/stories/{number}")).json()
    assert (again["followed"], again["muted"], len(again["articles"])) == (False, True, 4)
    refused = await reader.visitor.patch(f"/api/stories/{number}", json={"unread": True})
    assert refused.status == 422


async def test_odd_marks_of_stories_are_refused(reader: Person):
    number = await story_id(reader)

    assert (await reader.send(f"/stories/{number}/mark", do="nothing")).status in {400, 422}
    assert (await reader.send("/stories/999999999/mark", do="read")).status == 404
