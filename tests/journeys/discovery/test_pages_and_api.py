"""Discovery, directory and search through pages and API, on both engines."""

import asyncio
from base64 import urlsafe_b64encode
from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser

from feedloom.app import Container
from feedloom.model.stages import DirectoryEntry
from tests.factories_feeds import entries, entry, rss
from tests.publisher import Answer, Publisher
from tests.serving import HTML, HTMX, Server, Visitor
from tests.stores import Stores

FEED = {"Content-Type": "application/rss+xml"}
LINK = '<link rel="alternate" type="application/rss+xml" href="{}">'


async def execute(server: Server, text: str, **params: object) -> None:
    async def run(container: Container) -> None:
        await Stores(container.web, container.work).execute(text, **params)

    await server.call(run)


def problem(reply: Any) -> tuple[int, str]:
    return reply.status, reply.json()["type"].rpartition(":")[2]


class TestDiscovery:
    async def test_a_site_is_told_with_its_feeds_and_why(self, server: Server, site: Publisher):
        ada = await server.register("ada@example.org")
        feed = site.feed("/feed.xml", entries=entries(3), title="Blog")
        site.feed("/comments.xml", entries=entries(2, 50), title="Comments on Blog")
        links = LINK.format("/feed.xml") + LINK.format("/comments.xml")
        url = site.page("/", f"<title>Blog</title>{links}")

        reply = await ada.post("/api/discover", json={"url": url})

        found = reply.json()
        assert reply.status == 200
        assert found["canonical"] == feed
        assert found["site"]["title"] == "Blog"
        best = found["candidates"][0]
        assert (best["url"], best["from"], best["valid"]) == (feed, "html", True)
        assert sum(best["reasons"].values()) == best["score"]
        assert best["newest"]["title"] == "Entry 3"
        assert len(found["candidates"]) == 2
        # Looking is not subscribing.
        assert (await ada.get("/feeds")).json() == []

    async def test_nothing_there_says_what_was_tried(self, server: Server, site: Publisher):
        ada = await server.register("ada@example.org")
        url = site.page("/", "<title>Nothing</title>")

        reply = await ada.post("/api/discover", json={"url": url})

        assert problem(reply) == (422, "no_feed")
        assert reply.headers["Content-Type"] == "application/problem+json"
        tried = [one["url"] for one in reply.json()["tried"]]
        assert tried[0] == url
        assert len(tried) > 3

    async def test_errors_have_types(self, server: Server):
        ada = await server.register("ada@example.org")
        expected = {
            "http://10.0.0.1/": "blocked_address",
            "http://127.0.0.9:1/": "unreachable",
            "not an address at all": "bad_address",
            "": "bad_address",
            "javascript:alert(1)": "bad_address",
        }

        told = {
            url: problem(await ada.post("/api/discover", json={"url": url})) for url in expected
        }

        assert told == {url: (422, kind) for url, kind in expected.items()}

    async def test_a_page_that_is_gone_is_not_found(self, server: Server, site: Publisher):
        ada = await server.register("ada@example.org")

        reply = await ada.post("/api/discover", json={"url": site.url("/gone/page")})

        assert problem(reply) == (422, "not_found")

    async def test_a_slow_site_is_202_and_known_later(self, server: Server, site: Publisher):
        server.container.searches.answer_s = 0.2
        ada = await server.register("ada@example.org")
        bob = await server.register("bob@example.org")
        body = rss(link=site.url("/"), entries=entries(1))
        site.script("/feed.xml", [Answer(body=body, headers=FEED, delay_s=1)])
        url = site.page("/", f"<title>Slow</title>{LINK.format('/feed.xml')}")

        asked = await ada.post("/api/discover", json={"url": url})

        # Had it waited any longer, it would know the feed.
        assert asked.status == 202
        where = asked.headers["Location"]
        assert where == f"/api/discover/{asked.json()['task']}"
        assert (await ada.get(where)).status == 202
        assert (await bob.get(where)).status == 404
        found = await _until_done(server, ada, where)
        assert found["canonical"] == site.url("/feed.xml")

    async def test_a_task_of_another_kind_is_not_found(self, server: Server, site: Publisher):
        ada = await server.register("ada@example.org")
        url = site.feed("/feed.xml", entries=entries(1))
        await ada.post("/feeds", json={"url": url})
        kept = await ada.post("/api/bookmarks", json={"url": "https://a.example/"})

        async def task_id(container: Container) -> int:
            rows = await Stores(container.web, container.work).rows(
                "SELECT id FROM tasks WHERE kind = 'enrich'"
            )
            found: int = rows[0]["id"]
            return found

        id_ = await server.call(task_id)
        assert kept.status == 201
        assert (await ada.get(f"/api/discover/{id_}")).status == 404


async def _until_done(server: Server, visitor: Visitor, where: str) -> Any:
    async with asyncio.timeout(30):
        while True:
            await server.refresh_all(due_only=True)
            reply = await visitor.get(where)
            if reply.status != 202:
                return reply.json()
            await asyncio.sleep(0.2)


class TestAdding:
    async def test_several_good_feeds_are_a_question(self, server: Server, site: Publisher):
        ada = await server.register("ada@example.org")
        news = site.feed("/news.xml", entries=entries(2), title="News")
        talk = site.feed("/talk.xml", entries=entries(2, 50), title="Podcast")
        links = LINK.format("/news.xml") + LINK.format("/talk.xml")
        url = site.page("/", f"<title>Site</title>{links}")

        asked = await ada.post("/ui/add", data={"url": url}, headers=HTMX)
        before = (await ada.get("/feeds")).json()
        chosen = await ada.post("/ui/add", data={"url": talk, "exact": "1"}, headers=HTMX)

        offered = [
            field.attributes["value"]
            for field in LexborHTMLParser(asked.text).css("input[name=url]")
        ]
        assert offered == [news, talk]
        assert before == []
        assert chosen.status == 200
        assert [feed["url"] for feed in (await ada.get("/feeds")).json()] == [talk]

    async def test_one_good_feed_is_simply_added(self, server: Server, site: Publisher):
        ada = await server.register("ada@example.org")
        feed = site.feed("/feed.xml", entries=entries(2), title="Blog")
        same = site.feed("/atom.xml", entries=entries(2), title="Blog", kind="atom")
        links = LINK.format("/feed.xml") + LINK.format("/atom.xml")
        url = site.page("/", f"<title>Blog</title>{links}")

        reply = await ada.post("/ui/add", data={"url": url}, headers=HTMX)

        assert reply.status == 200
        [added] = (await ada.get("/feeds")).json()
        assert added["url"] in {feed, same}

    async def test_a_slow_search_says_what_went_wrong(self, server: Server, site: Publisher):
        server.container.searches.answer_s = 0.2
        ada = await server.register("ada@example.org")
        url = site.script("/", Answer(500, delay_s=0.5))

        asked = await ada.post("/ui/add", data={"url": url}, headers=HTMX)
        [progress] = LexborHTMLParser(asked.text).css("[hx-get]")
        where = progress.attributes["hx-get"] or ""
        async with asyncio.timeout(30):
            while (told := await ada.get(where, headers=HTMX)).status == 202:
                await server.refresh_all(due_only=True)
                await asyncio.sleep(0.1)
        plain = await ada.get(where, headers=HTML)

        # Only an answer that is final empties the box.
        assert asked.status == 202
        assert (told.status, plain.status) == (400, 400)
        assert "has a problem and returned an error" in told.text
        [box] = LexborHTMLParser(plain.text).css("#add-url")
        assert box.attributes["value"] == url


ENTRIES = [
    DirectoryEntry(
        title=title,
        feed_url=f"https://{host}/feed",
        site_url=f"https://{host}/",
        topic=topic,
        language=language,
        tags=(),
    )
    for title, host, topic, language in (
        ("Garden", "garden.example", "lifestyle", "en"),
        ("Garden News", "gardennews.example", "news", "en"),
        ("Gärten", "gaerten.example", "news", "de"),
        ("Cars", "cars.example", "autos", "en"),
    )
]


HOSTILE = (
    *('"', "'", '"unclosed', "a OR b", "a AND", "NOT a", "NEAR(a b, 3)", "^a", "a*"),
    *("*", "%", "_", "%_%", "col:x", "title:garden", "{title}: x", "(a", "a)", "+ -"),
    *("-", "--", "-- x", "; DROP TABLE feeds", "a & b | !c", "a <-> b", "a:*", "\\"),
    *("🎉", "👩\u200d👩\u200d👧", "\u202egarden", "\ufeff", "é" * 300, "\ud7ff", "a\x00b", "\x00"),
    *("x" * 10_000, "x " * 5_000, '"' * 10_000, "x" * 20_000, "-x " * 3_000),
    *("feed:", 'feed:"', "before:x", "after:9999-99-99", "is:", "is:unread is:starred"),
)


async def seeded(server: Server) -> Visitor:
    async def seed(container: Container) -> None:
        await container.directory(container.work).store.seed(ENTRIES, check=False)
        await container.indexer().catch_up()

    await server.call(seed)
    return await server.register("ada@example.org")


async def listed(visitor: Visitor, query: str) -> list[str]:
    reply = await visitor.get(f"/api/directory?{query}")
    assert reply.status == 200, reply.text
    return [feed["title"] for feed in reply.json()["feeds"]]


class TestDirectory:
    async def test_programs_search_filter_and_page(self, server: Server):
        ada = await seeded(server)
        await execute(server, "UPDATE feeds SET state = 'unhealthy' WHERE title = 'Cars'")

        assert await listed(ada, "q=garden") == ["Garden", "Garden News"]
        assert await listed(ada, "topic=news&language=de") == ["Gärten"]
        assert await listed(ada, "state=unhealthy") == ["Cars"]
        seen, query = [], "limit=2"
        while True:
            page = (await ada.get(f"/api/directory?{query}")).json()
            seen += [feed["title"] for feed in page["feeds"]]
            if page["next_cursor"] is None:
                break
            query = f"limit=2&cursor={page['next_cursor']}"
        # What fails comes last.
        assert seen == ["Garden", "Garden News", "Gärten", "Cars"]

    async def test_pages_go_on_after_the_longest_title(self, server: Server):
        ada = await seeded(server)
        title = "a" + "\U0001f30d" * 999
        await execute(server, "UPDATE feeds SET title = :t WHERE title = 'Garden'", t=title)

        page = (await ada.get("/api/directory?limit=1")).json()
        rest = await listed(ada, f"cursor={page['next_cursor']}")

        assert page["feeds"][0]["title"] == title
        assert rest == ["Cars", "Garden News", "Gärten"]

    async def test_languages_have_names_and_checks_are_told(self, server: Server):
        ada = await seeded(server)
        await execute(
            server,
            "UPDATE feeds SET language = 'en-GB', description = 'About cars.',"
            " last_attempt_at = now_us(), last_fetch_status = 'success',"
            " state = 'healthy' WHERE title = 'Cars'",
        )

        [cars] = (await ada.get("/api/directory?language=EN&q=cars")).json()["feeds"]
        page = LexborHTMLParser((await ada.get("/directory", headers=HTML)).text)

        assert (cars["language"], cars["language_name"]) == ("en-GB", "English")
        assert cars["last_fetch_status"] == "success"
        assert cars["last_fetched_at"] is not None
        assert await listed(ada, "language=en") == ["Cars", "Garden", "Garden News"]
        assert await listed(ada, "language=e") == []
        assert await listed(ada, "language=%25") == []
        options = [node.text() for node in page.css("#directory-language option")]
        assert options == ["All", "English (3)", "German (1)"]
        first, second = page.css(".listed")[:2]
        assert "About cars." in first.text()
        assert "English" in first.text()
        assert ": it works." in first.text()
        assert "Checked" not in second.text()

    async def test_hostile_questions_are_only_words_at_every_route(self, server: Server):
        ada = await seeded(server)

        for text in HOSTILE:
            for path in ("/api/directory", "/api/search", "/directory", "/search"):
                headers = {} if path.startswith("/api") else HTML
                reply = await ada.get(path, params={"q": text}, headers=headers)
                refused = {400} if "\x00" in text and path.startswith("/api") else set()
                assert reply.status in (refused or {200, 400}), (path, text[:40])
                if len(text) <= 200 and "\x00" not in text:
                    assert reply.status == 200, (path, text)

    @pytest.mark.threat("A22")
    async def test_odd_questions_are_refused(self, server: Server):
        ada = await seeded(server)
        odd = ["limit=0", "limit=x", "state=odd", "cursor=%2F%2F", "cursor=abc", "q=%00"]
        links = (
            *('[true,"a",Infinity]', '[true,"a",-1]', f'[true,"a",1{"0" * 400}]', '{"a":1}'),
            *("[" * 1_400, r'[true,"\u0000",1]', r'[true,"\ud800",1]'),
        )
        odd += [f"cursor={urlsafe_b64encode(link.encode()).decode().rstrip('=')}" for link in links]

        for query in odd:
            assert (await ada.get(f"/api/directory?{query}")).status == 400, query

    async def test_a_feed_is_subscribed_to_from_the_page(self, server: Server, site: Publisher):
        ada = await seeded(server)
        url = site.feed("/listed.xml", entries=entries(2))
        await execute(server, "UPDATE feeds SET url = :u WHERE title = 'Cars'", u=url)

        page = LexborHTMLParser((await ada.get("/directory", headers=HTML)).text)
        titles = [node.text() for node in page.css(".listed h2")]
        values = [f.attributes["value"] for f in page.css(".listed input[name=url]")]
        reply = await ada.post("/ui/add", data={"url": url, "exact": "1"}, headers=HTMX)
        after = LexborHTMLParser((await ada.get("/directory", headers=HTML)).text)

        assert titles == ["Cars", "Garden", "Garden News", "Gärten"]
        assert url in values
        assert "Not checked yet" in page.css(".listed")[0].text()
        assert reply.status == 200
        assert "Subscribed" in after.css(".listed")[0].text()


class TestTopics:
    async def test_an_operator_decides_what_is_proposed(self, server: Server):
        ada = await seeded(server)
        bob = await server.register("bob@example.org")
        await execute(
            server,
            "UPDATE feeds SET topic_status = 'pending', topic_confidence = 0.4"
            " WHERE title <> 'Cars'",
        )

        page = LexborHTMLParser((await ada.get("/admin/topics", headers=HTML)).text)
        forms = [f.attributes["action"] or "" for f in page.css(".topics-waiting form")]
        hidden_before = await listed(bob, "topic=news")
        answers = [
            await ada.post(path, data=data, headers=HTML)
            for path, data in zip(
                forms,
                (
                    {"do": "approve", "topic": "science"},
                    {"do": "reject", "topic": "news"},
                    {"do": "hide"},
                ),
                strict=True,
            )
        ]

        assert [answer.status for answer in answers] == [303, 303, 303]
        assert hidden_before == []
        assert await listed(bob, "topic=science") == ["Garden"]
        assert await listed(bob, "topic=news") == []
        assert await listed(bob, "") == ["Cars", "Garden", "Garden News"]
        empty = await ada.get("/admin/topics", headers=HTML)
        assert "Nothing to decide" in empty.text

    async def test_what_there_is_not_is_refused(self, server: Server):
        ada = await seeded(server)

        unknown = await ada.post(
            "/admin/topics/1", data={"do": "approve", "topic": "x"}, headers=HTML
        )
        odd = await ada.post("/admin/topics/1", data={"do": "x"}, headers=HTML)
        gone = await ada.post(
            "/admin/topics/4711", data={"do": "approve", "topic": "ai"}, headers=HTML
        )

        assert (unknown.status, odd.status, gone.status) == (400, 400, 404)


class TestSearch:
    async def test_programs_and_people_find_the_same_with_operators(
        self, server: Server, site: Publisher
    ):
        ada = await server.register("ada@example.org")
        news = [
            entry(1, title="Tulips in May", content="<p>Red and yellow.</p>"),
            entry(2, title="Tulips in winter", content="<p>None at all.</p>"),
            entry(3, title="Roses", content="<p>Thorns, and tulips beside them.</p>"),
        ]
        url = site.feed("/garden.xml", entries=news, title="Gardening")
        await ada.post("/feeds", json={"url": url})
        await server.refresh_all(due_only=True)
        await server.call(lambda container: container.indexer().catch_up())
        items = (await ada.get("/api/articles")).json()["articles"]
        by_title = {item["title"]: item["id"] for item in items}
        await ada.patch(f"/api/articles/{by_title['Roses']}", json={"starred": True})

        async def found(text: str) -> list[str]:
            reply = await ada.get("/api/search", params={"q": text})
            page = await ada.get("/search", params={"q": text, "order": "newest"}, headers=HTML)
            rows = LexborHTMLParser(page.text).css(".row-title")
            titles = [article["title"] for article in reply.json()["articles"]]
            assert [row.text() for row in rows] == titles
            return titles

        assert await found("tulips") == ["Roses", "Tulips in winter", "Tulips in May"]
        assert await found("tulips -winter") == ["Roses", "Tulips in May"]
        assert await found('"tulips in may"') == ["Tulips in May"]
        assert await found("tulips is:starred") == ["Roses"]
        assert await found("feed:garden roses") == ["Roses"]
        assert await found("feed:nothing roses") == []
        assert await found("") == []

    async def test_the_page_explains_its_operators(self, server: Server):
        ada = await server.register("ada@example.org")

        for path in ("/search", "/search?q=nothing"):
            page = LexborHTMLParser((await ada.get(path, headers=HTML)).text)
            told = [node.text() for node in page.css(".search-help code")]
            assert {"-word", "feed:name", "is:unread", "is:starred"} <= set(told)

    async def test_other_peoples_articles_are_not_found(self, server: Server, site: Publisher):
        ada = await server.register("ada@example.org")
        url = site.feed("/garden.xml", entries=[entry(1, title="Secret garden")])
        await ada.post("/feeds", json={"url": url})
        await server.refresh_all(due_only=True)
        await server.call(lambda container: container.indexer().catch_up())
        bob = await server.register("bob@example.org")

        assert (await bob.get("/api/search?q=garden")).json()["articles"] == []
