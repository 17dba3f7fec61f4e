"""Bookmarks from end to end: read, summed up and tagged; with the model down as well."""

import json
from collections.abc import AsyncIterator, Callable
from io import BytesIO
from typing import Any

import aiohttp
import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.factories_feeds import entry
from tests.journeys.web.people import Page
from tests.model_api import ModelAPI, fails, says
from tests.publisher import Answer, Publisher
from tests.serving import HTML, HTMX, Server, Visitor

Serve = Callable[..., Server]
SENTENCES = (
    "Mechanical clocks were first built for monasteries in the thirteenth century.",
    "The escapement lets a clock release its energy in small and equal steps.",
    "Pendulums made clocks a hundred times more precise than they had been before.",
    "Towns bought clocks long before there were watches for anybody to carry.",
)
ARTICLE = (
    "<!doctype html><html lang=en><head><title>How clocks work</title>"
    '<meta name="description" content="A short history of clocks."></head><body>'
    "<nav><a href=/>Home</a></nav><article><h1>How clocks work</h1>"
    + "".join(f"<p>{sentence} {SENTENCES[0]}</p>" for sentence in SENTENCES)
    + "</article><footer>Imprint</footer></body></html>"
)
SHELL = (
    "<title>An app</title><meta name=description content='It needs scripts.'>"
    "<body><div id=root></div>"
)


async def keep(visitor: Visitor, url: str, **fields: str) -> int:
    """Keep a page through the form; answer its bookmark's id."""
    reply = await visitor.post("/bookmarks", data={"url": url, **fields}, headers=HTML)
    assert reply.status == 303, reply.text
    return int((await visitor.get("/api/bookmarks")).json()["bookmarks"][0]["id"])


async def look(visitor: Visitor, bookmark_id: int) -> dict[str, Any]:
    found: dict[str, Any] = (await visitor.get(f"/api/bookmarks/{bookmark_id}")).json()
    return found


async def work(server: Server) -> None:
    await server.refresh_all(due_only=True)


def row(text: str) -> str:
    return " ".join(LexborHTMLParser(f"<ol>{text}</ol>").text().split())


class TestReading:
    async def test_a_kept_page_is_read_summed_up_and_tagged(
        self, server: Server, publisher: Publisher
    ):
        ada = await server.register("ada@example.org")
        id_ = await keep(ada, publisher.page("/clocks", ARTICLE))
        before = await look(ada, id_)

        await work(server)

        after = await look(ada, id_)
        assert (before["state"], before["enrich_status"]) == ("inbox", "pending")
        assert (after["enrich_status"], after["enrich_error"]) == ("done", None)
        assert after["title"] == "How clocks work"
        assert after["description"] == "A short history of clocks."
        assert "escapement" in after["content"]
        assert "Imprint" not in after["content"]
        assert any(sentence in after["summary"] for sentence in SENTENCES)
        page = Page((await ada.get(f"/bookmarks/{id_}", headers=HTML)).text)
        assert "escapement" in page.one(".prose").text()
        # Its title stands above the text, and only there.
        assert "How clocks work" not in page.one(".prose").text()

    async def test_progress_is_seen_by_polling_until_it_is_over(
        self, server: Server, publisher: Publisher
    ):
        ada = await server.register("ada@example.org")
        id_ = await keep(ada, publisher.page("/clocks", ARTICLE))
        path = f"/bookmarks/{id_}?part=row&view=inbox"

        waiting = await ada.get(path, headers=HTMX)
        text_before = await ada.get(f"/bookmarks/{id_}?part=text", headers=HTMX)
        await work(server)
        ready = await ada.get(path, headers=HTMX)
        text_after = await ada.get(f"/bookmarks/{id_}?part=text", headers=HTMX)

        assert 'hx-trigger="every 2s"' in waiting.text
        assert "Waiting to fetch the page" in row(waiting.text)
        assert "<progress" in text_before.text
        assert "hx-trigger" not in ready.text
        assert "How clocks work" in row(ready.text)
        assert "hx-trigger" not in text_after.text
        assert "escapement" in text_after.text

    async def test_what_its_owner_wrote_stays(self, server: Server, publisher: Publisher):
        ada = await server.register("ada@example.org")
        url = publisher.page("/clocks", ARTICLE)
        id_ = await keep(ada, url, title="Mine", description="A note", tags="time, time")

        await work(server)

        after = await look(ada, id_)
        assert (after["title"], after["description"]) == ("Mine", "A note")
        assert after["tags"][0] == "time"

    async def test_a_page_that_is_gone_fails_visibly_and_can_be_tried_again(
        self, server: Server, publisher: Publisher
    ):
        ada = await server.register("ada@example.org")
        url = publisher.script("/later", [Answer(404), Answer(body=ARTICLE)])
        id_ = await keep(ada, url)
        await work(server)
        failed = await look(ada, id_)

        shown = await ada.get(f"/bookmarks/{id_}?part=row", headers=HTMX)
        retried = await ada.post(f"/bookmarks/{id_}/retry", data={}, headers=HTML)
        await work(server)

        assert failed["enrich_status"] == "failed"
        assert "404" in failed["enrich_error"]
        assert "Retry" in row(shown.text)
        assert retried.status == 303
        assert (await look(ada, id_))["enrich_status"] == "done"

    @pytest.mark.threat("S11")
    async def test_an_address_inside_the_network_is_refused_once_and_for_all(self, server: Server):
        ada = await server.register("ada@example.org")
        id_ = await keep(ada, "http://10.0.0.1/router")

        await work(server)

        failed = await look(ada, id_)
        assert failed["enrich_status"] == "failed"
        assert "not on the public internet" in failed["enrich_error"]

    async def test_a_page_of_scripts_keeps_its_title_and_description(
        self, server: Server, publisher: Publisher
    ):
        ada = await server.register("ada@example.org")
        id_ = await keep(ada, publisher.page("/app", SHELL))

        await work(server)

        after = await look(ada, id_)
        assert (after["title"], after["summary"]) == ("An app", "It needs scripts.")
        assert (after["enrich_status"], after["enrich_error"]) == (
            "done",
            "No article was found on the page.",
        )

    async def test_a_saved_item_goes_to_the_archive_and_saving_again_finds_it(
        self, server: Server, publisher: Publisher
    ):
        ada = await server.register("ada@example.org")
        page = publisher.page("/clocks", ARTICLE)
        now = server.container.clock.now()
        news = [entry(1, link=page, published_at=now)]
        feed = publisher.feed("/feed.xml", entries=news)
        added = (await ada.post("/feeds", json={"url": feed})).json()
        await work(server)
        item = (await ada.get(f"/feeds/{added['id']}")).json()["items"][0]["id"]
        path = f"/feeds/{added['id']}/items/{item}/save"

        first = await ada.post(path)
        again = await ada.post(path)
        by_hand = await ada.post("/api/bookmarks", json={"url": page})
        await work(server)

        assert (first.status, again.status, by_hand.status) == (201, 200, 200)
        assert first.json()["state"] == "archive"
        assert first.json()["enrich_status"] == "pending"
        after = await look(ada, first.json()["id"])
        assert (after["state"], after["enrich_status"]) == ("archive", "done")
        assert "escapement" in after["content"]


class TestModels:
    @pytest.fixture
    async def api(self) -> AsyncIterator[ModelAPI]:
        async with ModelAPI() as running:
            yield running

    @pytest.fixture
    async def modelled(self, serve: Serve, api: ModelAPI) -> Server:
        return serve(ai_type="compatible", ai_base_url=api.base_url, ai_model="test-model")

    async def test_the_models_summary_and_tags_are_kept(
        self, modelled: Server, api: ModelAPI, publisher: Publisher
    ):
        ada = await modelled.register("ada@example.org")
        api.script(says({"summary": "Clocks, told briefly.", "tags": ["history"]}))
        id_ = await keep(ada, publisher.page("/clocks", ARTICLE))

        await work(modelled)

        after = await look(ada, id_)
        assert after["summary"] == "Clocks, told briefly."
        assert after["tags"] == ["history"]
        assert len(api.calls) == 1

    @pytest.mark.threat("L6", "L11")
    async def test_with_the_model_down_the_description_stands_in(
        self, modelled: Server, api: ModelAPI, publisher: Publisher
    ):
        ada = await modelled.register("ada@example.org")
        api.script(fails(500))
        id_ = await keep(ada, publisher.page("/clocks", ARTICLE))

        await work(modelled)
        down = await look(ada, id_)
        api.script(says({"summary": "Up again.", "tags": []}))
        await ada.post(f"/api/bookmarks/{id_}/enrich")
        await work(modelled)

        assert down["enrich_status"] == "done"
        assert down["enrich_error"] == "AI service is temporarily unavailable"
        assert down["summary"] == "A short history of clocks."
        assert "escapement" in down["content"]
        up = await look(ada, id_)
        assert (up["summary"], up["enrich_error"]) == ("Up again.", None)

    async def test_a_jina_reader_is_asked_when_one_is_set(self, serve: Serve, publisher: Publisher):
        page = "https://public.example/clocks"
        data = {"title": "From the reader", "content": f"# Clocks\n\n{SENTENCES[1]}"}
        publisher.script(f"/{page}", [Answer(body=json.dumps({"data": data}))])
        server = serve(jina_url=publisher.url("").rstrip("/"), jina_key="secret")
        ada = await server.register("ada@example.org")
        id_ = await keep(ada, page)

        await work(server)

        after = await look(ada, id_)
        assert (after["title"], after["enrich_status"]) == ("From the reader", "done")
        [asked] = publisher.requests
        assert asked.headers["authorization"] == "Bearer secret"


class TestShelves:
    async def test_search_tags_pins_and_tabs(self, server: Server):
        ada = await server.register("ada@example.org")
        clocks = await keep(ada, "https://a.example/clocks", title="Clocks", tags="x")
        await keep(ada, "https://b.example/trees", title="Trees", state="archive")
        await ada.post(f"/bookmarks/{clocks}/pin", data={"pinned": "1"}, headers=HTML)

        async def shown(query: str) -> list[str]:
            page = await ada.get(f"/ui/?{query}", headers=HTML)
            assert page.status == 200, page.text
            return [
                node.text()
                for node in LexborHTMLParser(page.text).css(".bookmark h3, .bookmark-title a")
            ]

        assert await shown("view=bookmarks") == ["Clocks", "Trees"]
        assert await shown("view=inbox") == ["Clocks"]
        assert await shown("view=archive") == ["Trees"]
        assert await shown("view=bookmarks&q=tree") == ["Trees"]
        assert await shown("view=bookmarks&tag=x") == ["Clocks"]
        assert await shown("view=archive&tag=x") == []
        await ada.post(
            f"/bookmarks/{clocks}/edit",
            data={"title": "Watches", "description": "", "tags": "y, z"},
            headers=HTML,
        )
        assert await shown("view=bookmarks&tag=x") == []
        assert await shown("view=bookmarks&q=watches") == ["Watches"]

    @pytest.mark.parametrize(
        "query", ["q=" + "a" * 300, "q=%00", "tag=%00", "cursor=x", "view=none"]
    )
    async def test_odd_questions_are_refused(self, server: Server, query: str):
        ada = await server.register("ada@example.org")
        start = "" if query.startswith("view") else "view=bookmarks&"

        reply = await ada.get(f"/ui/?{start}{query}", headers=HTML)

        assert reply.status == 400

    async def test_a_bookmarklet_only_asks(self, server: Server):
        ada = await server.register("ada@example.org")
        query = "url=https%3A%2F%2Fa.example%2Fx%3Fy%3D1&title=A%20%3Cb%3Etitle"

        tools = await ada.get("/bookmarks/tools", headers=HTML)
        asked = await ada.get(f"/bookmarks/add?{query}", headers=HTML)
        kept_by_asking = (await ada.get("/api/bookmarks")).json()["bookmarks"]
        page = LexborHTMLParser(asked.text)
        fields = {
            field.attributes["name"]: field.attributes.get("value") or ""
            for field in page.css("form[action='/bookmarks'] input")
            if field.attributes.get("type") != "radio"
        }
        kept = await ada.post("/bookmarks", data=fields, headers=HTML, csrf=False)
        again = await ada.post("/bookmarks", data=fields, headers=HTML, csrf=False)

        link = next(
            a.attributes["href"] or ""
            for a in LexborHTMLParser(tools.text).css("a")
            if (a.attributes["href"] or "").startswith("javascript:")
        )
        assert f"location.href='{server.url}/bookmarks/add?url='" in link
        assert kept_by_asking == []
        assert fields["title"] == "A <b>title"
        assert kept.status == 303
        [bookmark] = (await ada.get("/api/bookmarks")).json()["bookmarks"]
        assert (bookmark["url"], bookmark["title"]) == ("https://a.example/x?y=1", "A <b>title")
        assert again.headers["Location"] == f"/bookmarks/{bookmark['id']}?did=known"


class TestFiles:
    async def test_what_is_taken_away_can_be_brought_along(self, server: Server):
        ada = await server.register("ada@example.org")
        await keep(ada, "https://a.example/", title="A & B", tags="x, y")
        await keep(ada, "https://b.example/", title="Filed", state="archive")
        exported = {
            form: await ada.get(f"/bookmarks/export.{form}") for form in ("html", "md", "json")
        }
        bob = await server.register("bob@example.org")

        reply = await bring(bob, exported["html"].body)
        again = await bring(bob, exported["html"].body)

        for reply_ in exported.values():
            assert reply_.status == 200
            assert "attachment" in reply_.headers["Content-Disposition"]
        assert "A \\& B" in exported["md"].text or "A & B" in exported["md"].text
        assert len(exported["json"].json()["bookmarks"]) == 2
        assert (reply.status, reply.headers["Location"]) == (
            303,
            "/ui/?view=bookmarks&did=brought.2.0",
        )
        assert again.headers["Location"].endswith("did=brought.0.2")
        mine = (await bob.get("/api/bookmarks")).json()["bookmarks"]
        found = {b["title"]: (b["state"], b["tags"]) for b in mine}
        assert found == {"A & B": ("inbox", ["x", "y"]), "Filed": ("archive", [])}

    @pytest.mark.parametrize("document", [b"", b"<p>Hello</p>", b"\x00\xff" * 100])
    async def test_a_file_without_bookmarks_is_told(self, server: Server, document: bytes):
        ada = await server.register("ada@example.org")

        reply = await bring(ada, document)

        assert reply.status == 400
        assert "This file has no bookmarks" in reply.text

    @pytest.mark.threat("P8")
    async def test_a_file_of_too_many_tags_is_told(self, server: Server):
        ada = await server.register("ada@example.org")

        reply = await bring(ada, b"<a>" * 600_000)

        assert reply.status == 400
        assert "This file has too many bookmarks" in reply.text
        assert "at most 50,000" in reply.text

    @pytest.mark.threat("P8")
    async def test_files_are_taken_a_few_times_a_minute(self, server: Server):
        ada = await server.register("ada@example.org")

        replies = [await bring(ada, b"") for _ in range(13)]

        assert [reply.status for reply in replies] == [400] * 12 + [429]

    @pytest.mark.threat("X9")
    async def test_odd_letters_in_a_file_do_no_harm(self, server: Server):
        ada = await server.register("ada@example.org")
        document = (
            b"<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p>"
            b'<DT><A HREF="https://a.example/" TAGS="a\x00b,\xf0\x9f\x8e\x89">x\x00y</A>'
            b'<DT><A HREF="javascript:alert(1)">no</A></DL>'
        )

        reply = await bring(ada, document)

        assert reply.status == 303
        [bookmark] = (await ada.get("/api/bookmarks")).json()["bookmarks"]
        assert (bookmark["title"], bookmark["tags"]) == ("xy", ["ab", "🎉"])


async def bring(visitor: Visitor, document: bytes) -> Any:
    form = aiohttp.FormData()
    file = BytesIO(document)
    form.add_field("file", file, filename="b.html", content_type="text/html")
    return await visitor.post("/bookmarks/import", data=form, headers=HTML)
