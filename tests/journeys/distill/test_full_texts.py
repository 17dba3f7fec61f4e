"""Full texts from end to end: on demand, by themselves, and when a page refuses."""

from typing import Any

import pytest

from tests.factories_feeds import entry
from tests.journeys.distill.test_bookmarks import ARTICLE
from tests.publisher import Answer, Publisher
from tests.serving import HTML, HTMX, Server, Visitor


async def subscribed(
    server: Server, publisher: Publisher, page: str, count: int = 1
) -> tuple[Visitor, int]:
    """Register somebody with a feed whose entries lead to a page."""
    ada = await server.register("ada@example.org")
    news = [entry(n, link=f"{page}/{n}", content="<p>In short.</p>") for n in range(count)]
    url = publisher.feed("/feed.xml", entries=news)
    feed = (await ada.post("/feeds", json={"url": url})).json()
    await server.refresh_all(due_only=True)
    return ada, feed["id"]


async def articles(visitor: Visitor) -> list[dict[str, Any]]:
    reply = await visitor.get("/api/articles?content=true")
    found: list[dict[str, Any]] = reply.json()["articles"]
    return found


def serve_pages(publisher: Publisher, count: int) -> str:
    for number in range(count):
        publisher.script(f"/page/{number}", [Answer(body=ARTICLE)])
    return publisher.url("/page")


async def test_a_program_asks_for_a_full_text_and_gets_it(server: Server, publisher: Publisher):
    ada, _ = await subscribed(server, publisher, serve_pages(publisher, 1))
    [article] = await articles(ada)
    path = f"/api/articles/{article['id']}/full-text"

    asked = await ada.post(path)
    twice = await ada.post(path)
    await server.refresh_all(due_only=True)
    task = (await ada.get(asked.headers["Location"])).json()
    shown = await ada.post(path)

    assert (asked.status, twice.json()["id"]) == (202, asked.json()["id"])
    assert task["status"] == "done"
    assert shown.status == 200
    assert "escapement" in shown.json()["full_content"]
    assert "In short" in shown.json()["content"]
    page = await ada.get(f"/articles/{article['id']}", headers=HTML)
    assert "escapement" in page.text


async def test_the_button_of_the_reader_shows_it(server: Server, publisher: Publisher):
    ada, _ = await subscribed(server, publisher, serve_pages(publisher, 1))
    [article] = await articles(ada)
    path = f"/articles/{article['id']}"

    page = await ada.get(path, headers=HTML)
    asked = await ada.post(f"{path}/full-text", headers=HTMX)
    await server.refresh_all(due_only=True)
    after = await ada.get(path, headers=HTML)

    assert f'hx-post="{path}/full-text"' in page.text
    assert asked.status == 200
    assert "hx-trigger" in asked.text
    assert "escapement" not in page.text
    assert "escapement" in after.text


async def test_the_full_text_of_a_changed_article_comes_with_what_changed(
    server: Server, publisher: Publisher
):
    page = serve_pages(publisher, 1)
    ada, _ = await subscribed(server, publisher, page)
    news = entry(0, title="Clockmaker retires", link=f"{page}/0", content="<p>In short.</p>")
    publisher.feed("/feed.xml", entries=[news])
    await server.refresh_all()
    [article] = await articles(ada)
    path = f"/articles/{article['id']}"

    await ada.post(f"{path}/full-text", headers=HTMX)
    await server.refresh_all(due_only=True)
    shown = await ada.post(f"{path}/full-text", headers=HTMX)

    assert shown.status == 200
    assert "escapement" in shown.text
    assert f'href="{path}/changes">Headline changed' in shown.text


@pytest.mark.threat("R9")
async def test_a_page_that_refuses_leaves_the_article_as_it_is(
    server: Server, publisher: Publisher
):
    publisher.script("/page/0", [Answer(403)])
    ada, _ = await subscribed(server, publisher, publisher.url("/page"))
    [article] = await articles(ada)

    asked = await ada.post(f"/api/articles/{article['id']}/full-text")
    await server.refresh_all(due_only=True)

    task = (await ada.get(asked.headers["Location"])).json()
    assert task["status"] == "done"
    assert "403" in task["result"]["error"]
    [after] = await articles(ada)
    assert (after["content"], after["full_content"]) == (article["content"], None)


async def test_a_feed_whose_reader_wants_full_texts_brings_them_by_itself(
    server: Server, publisher: Publisher
):
    page = serve_pages(publisher, 3)
    ada, feed = await subscribed(server, publisher, page)
    form = {"full_text": "1", "csrf_token": ada.token}
    changed = await ada.post(f"/feeds/{feed}/edit", data=form, headers=HTML, csrf=False)
    news = [entry(n, link=f"{page}/{n}", content="<p>In short.</p>") for n in range(3)]
    publisher.feed("/feed.xml", entries=news)

    await server.refresh_all()
    await server.refresh_all(due_only=True)

    assert changed.status == 303
    found = {a["guid"].rpartition(":")[2]: a for a in await articles(ada)}
    is_full = {number: "escapement" in (a["full_content"] or "") for number, a in found.items()}
    # What was there before stays as it was; what is new comes whole.
    assert is_full == {"0": False, "1": True, "2": True}


async def test_nobody_wants_it_so_no_page_is_asked_for(server: Server, publisher: Publisher):
    await subscribed(server, publisher, serve_pages(publisher, 3), count=3)

    await server.refresh_all()

    assert [r.path for r in publisher.requests if r.path.startswith("/page")] == []


@pytest.mark.threat("A7")
async def test_another_persons_article_is_not_found(server: Server, publisher: Publisher):
    ada, _ = await subscribed(server, publisher, serve_pages(publisher, 1))
    [article] = await articles(ada)
    bob = await server.register("bob@example.org")

    reply = await bob.post(f"/api/articles/{article['id']}/full-text")

    assert reply.status == 404


@pytest.mark.threat("R9")
@pytest.mark.parametrize("answers", [True, False])
async def test_an_article_that_is_corrected_is_read_again_and_never_cut_short(
    server: Server, publisher: Publisher, answers: bool
):
    ada, feed = await subscribed(server, publisher, serve_pages(publisher, 1))
    form = {"full_text": "1", "csrf_token": ada.token}
    await ada.post(f"/feeds/{feed}/edit", data=form, headers=HTML, csrf=False)
    [article] = await articles(ada)
    await ada.post(f"/api/articles/{article['id']}/full-text")
    await server.refresh_all(due_only=True)
    corrected = ARTICLE.replace("escapement", "pendulum")
    publisher.script("/page/0", [Answer(body=corrected) if answers else Answer(403)])
    page = publisher.url("/page/0")
    news = [entry(0, link=page, content="<p>In other words.</p>")]
    publisher.feed("/feed.xml", entries=news)

    await server.refresh_all()
    await server.refresh_all(due_only=True)

    [after] = await articles(ada)
    assert after["content"] == "<p>In other words.</p>"
    expected = "pendulum" if answers else "escapement"
    assert expected in after["full_content"]
    assert len([r for r in publisher.requests if r.path == "/page/0"]) == 2
