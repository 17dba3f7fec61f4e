"""The digest from end to end: the contract's words and statuses, on both engines."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import ClassVar

import pytest
from selectolax.lexbor import LexborHTMLParser

from feedloom.app import Container
from feedloom.cli.digest import of_person, verify
from feedloom.model.errors import FeedloomError, InvalidInput
from tests.factories_feeds import FeedEntry, entry
from tests.model_api import ModelAPI, Reply, fails, says
from tests.publisher import Publisher
from tests.serving import HTML, HTMX, Server, Visitor
from tests.stores import Stores

pytestmark = pytest.mark.both_engines

NO_ARTICLES = "No articles found from the last 24 hours"
UNAVAILABLE = "AI service is temporarily unavailable"
FAILED = "Failed to generate summary. Please try again later."
STORY = (
    "The council approved the new tram line on Monday evening by a large majority. ",
    "Construction of the tram line is to begin next spring, the council said. ",
    "Shop owners along the tram line asked the council for help until it is done. ",
)
Serve = Callable[..., Server]


def story(server: Server, hours_ago: float) -> list[FeedEntry]:
    """Tell the same news three times, as three articles."""
    now = server.container.clock.now()
    return [
        entry(
            number,
            title=f"Tram line, part {number}",
            content=f"<p>{text}</p>",
            published_at=now - timedelta(hours=hours_ago, minutes=number),
        )
        for number, text in enumerate(STORY, 1)
    ]


async def reader(server: Server, publisher: Publisher, hours_ago: float = 1.0) -> Visitor:
    """Register somebody with three articles about one thing."""
    visitor = await server.register("ada@example.org")
    url = publisher.feed("/news.xml", entries=story(server, hours_ago), title="City")
    added = await visitor.post("/feeds", json={"url": url})
    assert added.status == 201, added.text
    await server.refresh_all()
    return visitor


async def execute(server: Server, text: str, **params: object) -> None:
    async def run(container: Container) -> None:
        await Stores(container.web, container.work).execute(text, **params)

    await server.call(run)


async def count(server: Server, table: str) -> int:
    async def run(container: Container) -> int:
        rows = await Stores(container.web, container.work).rows(
            f"SELECT count(*) AS n FROM {table}"
        )
        found: int = rows[0]["n"]
        return found

    return await server.call(run)


def said(text: str) -> str:
    """Return what a person reads in a part of a page."""
    return " ".join(LexborHTMLParser(f"<div>{text}</div>").text().split())


class TestWithoutAModel:
    async def test_nothing_yet_is_an_empty_state_with_generate(self, server: Server):
        ada = await server.register("ada@example.org")

        reply = await ada.get("/summaries/latest", headers=HTMX)

        assert reply.status == 200
        assert 'hx-post="/summaries"' in reply.text
        assert 'hx-target="#summary-container"' in reply.text
        assert "Generate" in said(reply.text)
        assert "<html" not in reply.text

    async def test_no_articles_is_404_in_the_contracts_words(self, server: Server):
        ada = await server.register("ada@example.org")

        part = await ada.post("/summaries", headers=HTMX)
        program = await ada.post("/summaries")

        assert part.status == program.status == 404
        assert NO_ARTICLES in said(part.text)
        assert program.json()["detail"] == NO_ARTICLES
        assert await count(server, "summaries") == 0

    async def test_articles_of_yesterday_are_not_of_the_last_24_hours(
        self, server: Server, publisher: Publisher
    ):
        ada = await reader(server, publisher, hours_ago=24.5)

        reply = await ada.post("/summaries", headers=HTMX)

        assert (reply.status, NO_ARTICLES in said(reply.text)) == (404, True)

    async def test_a_digest_is_made_kept_shown_and_cites_its_articles(
        self, server: Server, publisher: Publisher
    ):
        ada = await reader(server, publisher)

        made = await ada.post("/summaries", headers=HTMX)
        shown = await ada.get("/summaries/latest", headers=HTMX)

        assert (made.status, shown.status) == (200, 200)
        assert "tram line" in said(made.text)
        assert said(shown.text) == said(made.text)
        page = LexborHTMLParser(made.text)
        sources = [link.attributes["href"] or "" for link in page.css(".digest-sources a")]
        assert len(sources) >= 2
        for href in sources:
            assert (await ada.get(href, headers=HTML)).status == 200
        numbers = [node.text() for node in page.css(".cite a")]
        assert set(numbers) <= {str(n) for n in range(1, len(sources) + 1)}
        assert "without a language model" in said(made.text)

    async def test_the_event_is_written_with_the_number_of_articles(
        self, server: Server, publisher: Publisher
    ):
        ada = await reader(server, publisher)

        await ada.post("/summaries", headers=HTMX)

        events = await ada.get("/admin/events", headers=HTML)
        assert "summary_generated" in events.text
        assert await count(server, "summaries") == 1

    async def test_a_second_one_within_half_a_minute_is_refused_and_loses_nothing(
        self, server: Server, publisher: Publisher
    ):
        ada = await reader(server, publisher)
        made = await ada.post("/summaries", headers=HTMX)

        again = await ada.post("/summaries", headers=HTMX)
        program = await ada.post("/api/summaries")

        assert again.status == program.status == 429
        assert 0 < int(again.headers["Retry-After"]) <= 30
        assert "just now" in said(again.text)
        assert "tram line" in said(again.text), made.text
        await execute(server, "UPDATE throttle SET blocked_until = 0")
        assert (await ada.post("/summaries", headers=HTMX)).status == 200

    @pytest.mark.threat("L8")
    async def test_only_one_is_made_at_a_time(self, serve: Serve, publisher: Publisher):
        server = serve(ai_type="mock")
        ada = await reader(server, publisher)

        replies = await asyncio.gather(*(ada.post("/summaries") for _ in range(5)))

        statuses = sorted(reply.status for reply in replies)
        assert statuses == [200, 409, 409, 409, 409]
        refused = next(reply for reply in replies if reply.status == 409)
        assert "being generated" in refused.json()["detail"]
        assert await count(server, "summaries") == 1

    async def test_plain_forms_and_pages_work_too(self, server: Server, publisher: Publisher):
        ada = await reader(server, publisher)
        form = {"csrf_token": ada.token}

        made = await ada.post("/summaries", data=form, headers=HTML, csrf=False)
        again = await ada.post("/summaries", data=form, headers=HTML, csrf=False)
        whole = await ada.get("/summaries/latest", headers=HTML)

        assert (made.status, made.headers["Location"]) == (303, "/digest")
        assert (again.status, "just now" in said(again.text)) == (429, True)
        assert "<html" in whole.text
        assert "tram line" in said(whole.text)

    async def test_the_dashboard_brings_the_empty_container(self, server: Server):
        ada = await server.register("ada@example.org")

        page = LexborHTMLParser((await ada.get("/dashboard", headers=HTML)).text)

        element = page.css_first("#summary-container")
        assert element is not None
        assert element.attributes["hx-get"] == "/summaries/latest"
        assert element.attributes["hx-trigger"] == "load"


class TestHistory:
    async def test_old_digests_can_be_browsed_and_deleted(
        self, server: Server, publisher: Publisher
    ):
        ada = await reader(server, publisher)
        for _ in range(3):
            assert (await ada.post("/api/summaries")).status == 200
            await execute(server, "UPDATE throttle SET blocked_until = 0")

        page = LexborHTMLParser((await ada.get("/digest", headers=HTML)).text)
        links = [a.attributes["href"] or "" for a in page.css(".digest-list a")]
        one = await ada.get(links[0], headers=HTML)
        gone = await ada.post(f"{links[0]}/delete", data={}, headers=HTML)

        assert len(links) == 2
        assert "tram line" in said(one.text)
        assert gone.status == 303
        assert (await ada.get(links[0], headers=HTML)).status == 404
        assert await count(server, "summaries") == 2

    async def test_json_lists_shows_and_deletes(self, server: Server, publisher: Publisher):
        ada = await reader(server, publisher)
        made = (await ada.post("/api/summaries")).json()

        listed = await ada.get("/api/summaries")
        shown = await ada.get(f"/api/summaries/{made['id']}")
        latest = await ada.get("/summaries/latest")

        assert listed.json() == {"summaries": [made], "next_cursor": None}
        assert shown.json() == made
        assert latest.json() == {"summary": made}
        assert made["article_count"] == 3
        cited = {one["id"] for one in made["citations"]}
        claimed = {i for p in made["paragraphs"] for c in p for i in c["article_ids"]}
        assert claimed == cited
        known = listed.headers["ETag"]
        again = await ada.get("/api/summaries", headers={"If-None-Match": known})
        assert again.status == 304
        assert (await ada.delete(f"/api/summaries/{made['id']}")).status == 204
        assert (await ada.get("/summaries/latest")).json() == {"summary": None}

    async def test_digests_are_part_of_what_a_person_takes_away(
        self, server: Server, publisher: Publisher
    ):
        ada = await reader(server, publisher)
        made = (await ada.post("/api/summaries")).json()

        taken = (await ada.get("/settings/export.json")).json()

        [digest] = taken["digests"]
        assert digest["content"] == made["content"]
        assert [one["url"] for one in digest["sources"]] == [
            one["url"] for one in made["citations"]
        ]

    async def test_a_cited_article_that_is_gone_is_linked_to_outside(
        self, server: Server, publisher: Publisher
    ):
        ada = await reader(server, publisher)
        await ada.post("/summaries", headers=HTMX)

        await execute(server, "DELETE FROM article_states")

        page = await ada.get("/summaries/latest", headers=HTMX)
        links = LexborHTMLParser(page.text).css(".digest-sources a")
        hrefs = [link.attributes["href"] or "" for link in links]
        assert hrefs
        assert all(href.startswith("https://blog.example/") for href in hrefs)


class TestWithAModel:
    @pytest.fixture
    async def api(self):
        async with ModelAPI() as running:
            yield running

    @pytest.fixture
    async def modelled(self, serve: Serve, api: ModelAPI) -> Server:
        return serve(ai_type="compatible", ai_base_url=api.base_url, ai_model="test-model")

    async def test_what_the_model_says_is_kept_with_its_citations(
        self, modelled: Server, api: ModelAPI, publisher: Publisher
    ):
        ada = await reader(modelled, publisher)
        paragraphs = [f"{STORY[0]}[1].", "The council lied [2, 3].", "A third <b>line</b> [99]."]
        api.script(says({"paragraphs": paragraphs}))

        made = (await ada.post("/api/summaries")).json()

        texts = [" ".join(c["text"] for c in p) for p in made["paragraphs"]]
        # What is not in its article is told by the article itself.
        assert texts == [STORY[0].strip(), STORY[1].strip()]
        assert [len(c["article_ids"]) for p in made["paragraphs"] for c in p] == [1, 1]
        assert made["model"] == "test-model"
        [call] = api.calls
        assert call.body["max_tokens"] == 1000
        assert call.body["temperature"] == pytest.approx(0.3)
        assert "Tram line, part 1" in call.user

    @pytest.mark.threat("L6")
    async def test_a_failing_provider_is_503_in_the_contracts_words_and_keeps_nothing(
        self, modelled: Server, api: ModelAPI, publisher: Publisher
    ):
        ada = await reader(modelled, publisher)
        api.script(fails(500))

        part = await ada.post("/summaries", headers=HTMX)

        assert part.status == 503
        assert UNAVAILABLE in said(part.text)
        assert "Generate" in said(part.text)
        assert len(api.calls) == 2
        assert await count(modelled, "summaries") == 0
        # The way is free at once: nothing was made that the next would follow too soon.
        paragraphs = [f"{STORY[0]}[1]"] * 3
        api.script(says({"paragraphs": paragraphs}))
        assert (await ada.post("/summaries", headers=HTMX)).status == 200

    @pytest.mark.threat("L6")
    @pytest.mark.parametrize(
        "answer",
        [
            says("not json at all"),
            says({"paragraphs": ["No citation."] * 3}),
            says({"wrong": 1}),
            Reply(body=b"\x00"),
        ],
        ids=["words", "uncited", "wrong keys", "garbage"],
    )
    async def test_an_answer_that_cannot_be_used_keeps_nothing(
        self, modelled: Server, api: ModelAPI, publisher: Publisher, answer: Reply
    ):
        ada = await reader(modelled, publisher)
        api.script(answer)

        reply = await ada.post("/summaries")

        assert reply.status in {500, 503}
        expected = FAILED if reply.status == 500 else UNAVAILABLE
        assert reply.json()["detail"] == expected
        assert await count(modelled, "summaries") == 0

    async def test_a_spent_budget_is_an_unavailable_service(
        self, serve: Serve, api: ModelAPI, publisher: Publisher
    ):
        server = serve(
            ai_type="compatible", ai_base_url=api.base_url, ai_model="test-model", ai_daily_tokens=1
        )
        ada = await reader(server, publisher)

        reply = await ada.post("/summaries")

        assert (reply.status, reply.json()["detail"]) == (503, UNAVAILABLE)
        assert api.calls == []

    async def test_a_database_that_fails_is_500_in_the_contracts_words(
        self, server: Server, publisher: Publisher
    ):
        ada = await reader(server, publisher)
        await execute(server, "ALTER TABLE summaries RENAME TO elsewhere")

        part = await ada.post("/summaries", headers=HTMX)
        shown = await ada.get("/summaries/latest", headers=HTMX)
        program = await ada.post("/summaries")

        assert (part.status, program.status, shown.status) == (500, 500, 500)
        assert FAILED in said(part.text)
        assert program.json()["detail"] == FAILED
        assert said(shown.text) == "Failed to load summary"


class TestEveryDay:
    async def test_a_daily_digest_comes_by_itself(self, server: Server, publisher: Publisher):
        ada = await reader(server, publisher)
        form = {"daily": "1", "hour": "6", "timezone": "Europe/Berlin"}

        saved = await ada.post("/digest/schedule", data=form, headers=HTML)
        await execute(server, "UPDATE users SET digest_at = 1 WHERE digest_at > 0")
        await server.call(lambda container: container.digests(container.work).queue_due())
        await server.refresh_all(due_only=True)

        assert saved.status == 303
        assert await count(server, "summaries") == 1
        page = LexborHTMLParser((await ada.get("/digest", headers=HTML)).text)
        assert page.css_first("[name=daily][checked]") is not None
        assert page.css_first("option[value='6'][selected]") is not None
        again = "users WHERE digest_at > 1"
        assert await count(server, again) == 1

    async def test_it_ends_when_it_is_switched_off(self, server: Server):
        ada = await server.register("ada@example.org")
        await ada.post(
            "/digest/schedule", data={"daily": "1", "hour": "6", "timezone": ""}, headers=HTML
        )

        await ada.post("/digest/schedule", data={"hour": "6"}, headers=HTML)

        assert await count(server, "users WHERE digest_at IS NOT NULL") == 0

    @pytest.mark.parametrize(
        ("hour", "zone"), [("24", "UTC"), ("x", "UTC"), ("6", "Mars/Base"), ("6", "../etc/passwd")]
    )
    async def test_odd_hours_and_zones_are_refused(self, server: Server, hour: str, zone: str):
        ada = await server.register("ada@example.org")
        form = {"daily": "1", "hour": hour, "timezone": zone}

        reply = await ada.post("/digest/schedule", data=form, headers=HTML)

        assert reply.status == 400
        assert await count(server, "users WHERE digest_at IS NOT NULL") == 0


async def write_daily(server: Server) -> None:
    """Let the hour come at which digests are due, and a worker do what there is to do."""
    await execute(server, "UPDATE users SET digest_at = 1 WHERE digest_at > 0")
    await execute(server, "UPDATE throttle SET blocked_until = 0")
    await server.call(lambda container: container.digests(container.work).queue_due())
    await server.refresh_all(due_only=True)


class TestSinceTheLast:
    DAILY: ClassVar = {"daily": "1", "hour": "6", "timezone": ""}

    async def test_a_quiet_feeds_post_of_the_day_before_yesterday_is_not_lost(
        self, server: Server, publisher: Publisher
    ):
        ada = await reader(server, publisher, hours_ago=50)
        await ada.post("/digest/schedule", data=self.DAILY, headers=HTML)

        on_demand = await ada.post("/summaries")
        await write_daily(server)

        assert on_demand.status == 404
        found = (await ada.get("/summaries/latest")).json()["summary"]
        assert found["article_count"] == 3

    async def test_each_article_counts_once_whatever_is_made_in_between(
        self, server: Server, publisher: Publisher
    ):
        ada = await reader(server, publisher)
        await ada.post("/digest/schedule", data=self.DAILY, headers=HTML)
        await write_daily(server)
        first = (await ada.get("/summaries/latest")).json()["summary"]
        await write_daily(server)
        assert await count(server, "summaries") == 1

        now = server.container.clock.now()
        more = entry(9, title="Harbour opens", content="<p>The harbour opens again on Monday.</p>")
        more = replace(more, published_at=now - timedelta(hours=30))
        publisher.feed("/news.xml", entries=[*story(server, 1.0), more], title="City")
        await execute(server, "UPDATE throttle SET blocked_until = 0")
        assert (await ada.post("/summaries")).json()["article_count"] == 3
        assert (await ada.delete(f"/api/summaries/{first['id']}")).status == 204
        await server.refresh_all()
        await write_daily(server)

        latest = (await ada.get("/summaries/latest")).json()["summary"]
        assert (latest["article_count"], latest["items"][0]["headline"]["text"]) == (
            1,
            "Harbour opens",
        )

    @pytest.mark.threat("L6")
    async def test_the_model_failing_leaves_a_digest_that_says_so(
        self, serve: Serve, publisher: Publisher
    ):
        async with ModelAPI() as api:
            model = {"ai_base_url": api.base_url, "ai_model": "test-model"}
            server = serve(ai_type="compatible", **model)
            ada = await reader(server, publisher)
            await ada.post("/digest/schedule", data=self.DAILY, headers=HTML)
            for reply in (fails(500), says({"paragraphs": ["The moon is of cheese [1]."] * 3})):
                api.script(reply)
                await execute(server, "UPDATE users SET digest_until = NULL")
                await write_daily(server)

                found = (await ada.get("/summaries/latest")).json()["summary"]
                assert found["model"] == "offline-1"
                assert "The language model failed" in found["note"]
                assert "tram line" in found["content"]

        assert await count(server, "summaries") == 2


class TestProof:
    async def test_the_command_and_the_export_prove_every_sentence(
        self, server: Server, publisher: Publisher, tmp_path: Path, capsys
    ):
        ada = await reader(server, publisher)
        await ada.post("/summaries")
        file = tmp_path / "export.json"
        file.write_text((await ada.get("/settings/export.json")).text)

        verify(file=file, as_json=True)
        report = await server.call(of_person("ada@example.org"))

        printed = capsys.readouterr().out
        # The server's log is printed there, too.
        [proven], _ = json.JSONDecoder().raw_decode(printed, printed.index("[\n"))
        assert proven["sentences"] == proven["proven"] > 1
        [row] = report
        assert (row["proven"], row["changed"], row["gone"]) == (proven["proven"], 0, 0)
        assert row["found"] >= row["proven"]

        exported = file.read_text()
        changed = json.loads(exported)
        claim = changed["digests"][0]["items"][0]["claims"][0]
        claim["article_ids"].append(claim["article_ids"][0] + 1)
        file.write_text(json.dumps(changed))
        with pytest.raises(FeedloomError, match="without support: 1"):
            verify(file=file)

        changed = json.loads(exported)
        claim = changed["digests"][0]["items"][0]["claims"][0]
        claim["text"] = "The council cancelled the tram line."
        file.write_text(json.dumps(changed))
        with pytest.raises(FeedloomError, match="without support: 1"):
            verify(file=file)
        claim["evidence"][0]["words"] = claim["text"]
        file.write_text(json.dumps(changed))
        with pytest.raises(FeedloomError, match="without support: 1"):
            verify(file=file)

    async def test_what_changed_or_is_gone_since_is_told_and_does_no_harm(
        self, server: Server, publisher: Publisher
    ):
        ada = await reader(server, publisher)
        await ada.post("/summaries")
        await execute(server, "UPDATE articles SET content = '<p>Other words.</p>'")
        [changed] = await server.call(of_person("ada@example.org"))
        await execute(server, "DELETE FROM article_states")
        [gone] = await server.call(of_person("ada@example.org"))

        assert changed["changed"] >= 1
        assert gone["gone"] == changed["changed"] + changed["found"]
        assert gone["proven"] == gone["sentences"]

    async def test_a_digest_from_before_evidence_was_kept_does_not_fail(
        self, server: Server, publisher: Publisher
    ):
        ada = await reader(server, publisher)
        await ada.post("/summaries")
        old = {"note": "", "cited": [], "paragraphs": [[{"text": "Told.", "items": []}]]}
        await execute(server, "UPDATE summaries SET paragraphs = :old", old=json.dumps(old))
        [report] = await server.call(of_person("ada@example.org"))

        assert (report["sentences"], report["proven"]) == (0, 0)

    @pytest.mark.parametrize("text", ["", "[]", '{"digests": [{}]}'])
    def test_a_file_that_is_no_export_is_refused(self, tmp_path: Path, text: str):
        file = tmp_path / "export.json"
        file.write_text(text)

        with pytest.raises(InvalidInput, match="is not an export"):
            verify(file=file)
        with pytest.raises(InvalidInput, match="cannot be read"):
            verify(file=tmp_path / "missing.json")
