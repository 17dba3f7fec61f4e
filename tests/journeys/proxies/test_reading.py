"""The read side: stored bytes, validators, gzip, memory, scores, origins, a token."""

import asyncio
import gzip
import re
from datetime import timedelta
from email.utils import format_datetime, parsedate_to_datetime
from urllib.parse import quote, urlsplit
from xml.etree import ElementTree as ET

import feedparser
import pytest

from feedloom.model.distilled.proxies import NewProxy
from feedloom.parse import FeedParser
from tests.fakes import START
from tests.journeys.proxies.desk import ACTOR, Desk, rss_path
from tests.journeys.proxies.watching import watched
from tests.model_api import ModelAPI, says
from tests.publisher import Publisher
from tests.serving import Reply, Server
from tests.unit.distill.doubles import VALID_ANALYSIS

PLAIN = {"Accept-Encoding": "identity"}
ZIPPED = {"Accept-Encoding": "br, gzip;q=0.8"}
OVERALL = re.compile(r"<deframer:overall>([0-9.]+)<")
CALM = "Council approves budget for new library"
SHRILL = "SHOCKING: You won't BELIEVE what this evil council just did!!!"


async def calm_and_shrill(desk: Desk) -> str:
    text = "<p>The council met on Tuesday.</p>"
    entries = [desk.entry(2, title=SHRILL, content=text), desk.entry(1, title=CALM, content=text)]
    url = desk.publisher.feed("/news.xml", entries=entries)
    await desk.built(url, root_domain="calm.example")
    return url


async def raw(desk: Desk, url: str, headers: dict[str, str]) -> Reply:
    """Ask without letting the client undo the encoding."""
    return await desk.visitor.get(rss_path(url), headers=headers, auto_decompress=False)


async def test_both_forms_are_the_stored_bytes_with_a_tag_each(desk: Desk):
    url = desk.feed()
    proxy = await desk.built(url)
    [row] = await desk.rows(
        "SELECT xml_content, xml_gzip FROM cached_feeds WHERE feed_id = :id", id=proxy.feed_id
    )

    plain, zipped = await raw(desk, url, PLAIN), await raw(desk, url, ZIPPED)

    assert plain.body == row["xml_content"].encode()
    assert zipped.body == bytes(row["xml_gzip"])
    assert gzip.decompress(zipped.body) == plain.body
    assert "Content-Encoding" not in plain.headers
    assert zipped.headers["Content-Encoding"] == "gzip"
    assert plain.headers["ETag"] != zipped.headers["ETag"]
    assert not plain.headers["ETag"].startswith("W/")
    for reply in (plain, zipped):
        assert reply.headers["Vary"] == "Accept-Encoding"
        assert reply.headers["Content-Length"] == str(len(reply.body))
        assert reply.headers["Cache-Control"] == "public, no-cache"
        assert reply.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("form", [PLAIN, ZIPPED])
async def test_known_documents_are_not_sent_again(desk: Desk, form):
    url = desk.feed()
    await desk.built(url)
    first = await raw(desk, url, form)
    tag, modified = first.headers["ETag"], first.headers["Last-Modified"]

    for condition in (
        {"If-None-Match": tag},
        {"If-None-Match": f'"other", W/{tag}'},
        {"If-None-Match": "*"},
        {"If-Modified-Since": modified},
        {"If-None-Match": tag, "If-Modified-Since": "Thu, 01 Jan 1970 00:00:00 GMT"},
    ):
        reply = await raw(desk, url, form | condition)

        assert (reply.status, reply.body) == (304, b""), condition
        assert reply.headers["ETag"] == tag
        assert reply.headers["Last-Modified"] == modified


async def test_unknown_documents_are_sent(desk: Desk):
    url = desk.feed()
    await desk.built(url)
    first = await raw(desk, url, PLAIN)
    modified = parsedate_to_datetime(first.headers["Last-Modified"])
    before = format_datetime(modified - timedelta(seconds=1), usegmt=True)
    later = format_datetime(modified + timedelta(days=1), usegmt=True)
    other_form = (await raw(desk, url, ZIPPED)).headers["ETag"]

    for condition in (
        {"If-None-Match": '"other"'},
        {"If-None-Match": '"other"', "If-Modified-Since": later},
        {"If-None-Match": other_form},
        {"If-Modified-Since": before},
        {"If-Modified-Since": "yesterday"},
    ):
        reply = await raw(desk, url, PLAIN | condition)

        assert (reply.status, reply.body) == (200, first.body), condition


async def test_head_tells_all_but_the_body(desk: Desk):
    url = desk.feed()
    await desk.built(url)
    for _ in range(2):  # the first from the database, the second from memory
        got = await raw(desk, url, PLAIN)

        reply = await desk.visitor.ask("HEAD", rss_path(url), headers=PLAIN)

        assert (reply.status, reply.body) == (200, b"")
        for name in ("ETag", "Last-Modified", "Content-Type", "Content-Length"):
            assert reply.headers[name] == got.headers[name]


async def test_answers_from_memory_are_like_answers_from_the_route(desk: Desk):
    url = desk.feed()
    await desk.built(url)
    route, memory = await raw(desk, url, ZIPPED), await raw(desk, url, ZIPPED)

    assert "X-Request-Id" in route.headers
    assert "X-Request-Id" not in memory.headers, "it is a hit"
    assert route.body == memory.body
    for name in set(memory.headers) - {"date"}:
        assert route.headers[name] == memory.headers[name]
    for name in ("Content-Security-Policy", "X-Content-Type-Options", "ETag", "date"):
        assert name in memory.headers


@pytest.mark.parametrize(
    ("change", "status"),
    [
        (lambda p, url: p.change(url, enabled=False, actor=ACTOR), 403),
        (lambda p, url: p.store.delete(url, actor=ACTOR), 404),
    ],
    ids=["disable", "delete"],
)
async def test_memory_forgets_within_a_second(desk: Desk, change, status):
    url = desk.feed()
    await desk.built(url)
    assert (await raw(desk, url, PLAIN)).status == 200

    await desk.do(lambda p: change(p, url))
    stop = asyncio.get_running_loop().time() + 1.0
    while asyncio.get_running_loop().time() < stop:
        await raw(desk, url, PLAIN)

    assert (await raw(desk, url, PLAIN)).status == status


async def test_a_rebuilt_document_is_seen_within_a_second(desk: Desk):
    url = desk.feed((1,))
    await desk.built(url)
    before = await raw(desk, url, PLAIN)
    desk.publisher.bump("/news.xml", desk.entry(2))

    await desk.sync(url)
    await desk.run()
    stop = asyncio.get_running_loop().time() + 1.0
    while asyncio.get_running_loop().time() < stop:
        await raw(desk, url, PLAIN)

    after = await raw(desk, url, PLAIN)
    assert after.headers["ETag"] != before.headers["ETag"]
    assert "Entry 2" in after.text


HOSTILE = (
    "]]> <![CDATA[ & < > \" '",
    "bell \x07 and \x00 nul",
    "</title></item><script>alert(1)</script>",
    "emoji \U0001f980 and \u202ertl \u05e9\u05dc\u05d5\u05dd",
    "&amp;lt;b&gt; twice &#x26;",
)


@pytest.mark.threat("X16")
async def test_hostile_words_make_a_document_everybody_can_read(desk: Desk):
    entries = [
        desk.entry(n, title=title, content=f"<p>{title}</p>") for n, title in enumerate(HOSTILE, 1)
    ]
    url = desk.publisher.feed("/news.xml", entries=entries, title=HOSTILE[0])
    await desk.built(url)

    body = (await desk.rss(url)).body

    ET.fromstring(body)
    assert not feedparser.parse(body).bozo
    parsed = FeedParser().parse_at_once(
        body, url=url, content_type="application/rss+xml", now=START
    )
    assert parsed is not None
    assert len(parsed.entries) == len(HOSTILE)


async def test_spellings_of_one_address_find_one_feed(desk: Desk):
    url = desk.feed()
    await desk.built(url)

    for spelling in (url + "/", url + "?utm_source=x", url.replace("http:", "HTTP:")):
        assert (await desk.rss(spelling)).status == 200


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("", 400),
        ("url=", 400),
        ("url=ftp://x.example/feed", 400),
        ("url=%00", 400),
        ("url=" + "x" * 5000, 400),
        ("url=https://nowhere.example/feed", 404),
        ("url=https://nowhere.example/feed&max_score=high", 400),
        ("url=https://nowhere.example/feed&max_score=nan", 400),
        ("url=https://nowhere.example/feed&max_score=-0.1", 400),
        ("url=https://nowhere.example/feed&max_score=1.1", 400),
    ],
)
async def test_what_cannot_be_served_is_told(desk: Desk, query, status):
    reply = await desk.visitor.get(f"/rss?{query}")

    assert reply.status == status
    assert reply.headers["Content-Type"] == "application/problem+json"
    assert reply.headers["Access-Control-Allow-Origin"] == "*"
    assert len(reply.json()["detail"]) > 5


async def test_max_score_leaves_calm_items(desk: Desk):
    url = await calm_and_shrill(desk)
    whole = await desk.rss(url)
    scores = sorted(float(score) for score in OVERALL.findall(whole.text))
    assert scores[0] < 0.3 < scores[1]

    calm = await desk.rss(url, "&max_score=0.3")
    exact = await desk.rss(url, f"&max_score={scores[1]}")
    just_below = await desk.rss(url, f"&max_score={scores[1] - 0.001:.3f}")
    whatever = await desk.rss(url, "&max_score=1")

    counts = [reply.text.count("<item>") for reply in (calm, exact, just_below, whatever)]
    assert counts == [1, 2, 1, 2]
    assert CALM in calm.text
    assert calm.headers["ETag"] != whole.headers["ETag"]
    assert calm.headers["Last-Modified"] == whole.headers["Last-Modified"]
    again = await desk.rss(url, "&max_score=0.3", {"If-None-Match": calm.headers["ETag"]})
    assert again.status == 304


async def test_an_article_is_found_by_its_address(desk: Desk):
    await calm_and_shrill(desk)
    link = desk.publisher.url("/articles/2")

    reply = await desk.visitor.get(f"/api/item?url={quote(link, safe='')}")

    found = reply.json()
    assert reply.status == 200
    assert list(found) == [
        "hash",
        "url",
        "title",
        "published_at",
        "feed",
        "media",
        "score",
        "rating",
        "result",
    ]
    assert found["url"] == link
    assert found["feed"]["url"] == desk.publisher.url("/news.xml")
    assert found["score"] == found["result"]["overall"] > 0.3
    assert found["result"]["title_original"] == SHRILL
    assert reply.headers["Access-Control-Allow-Origin"] == "*"


async def test_an_address_may_be_spelt_as_browsers_do(desk: Desk):
    await calm_and_shrill(desk)
    link = desk.publisher.url("/articles/2")

    for spelling in (f"{link}/", f"{link}?utm_campaign=x&fbclid=1", f"{link}#top"):
        reply = await desk.visitor.get(f"/api/item?url={quote(spelling, safe='')}")
        assert reply.status == 200, spelling


async def test_the_domains_served_are_listed(desk: Desk):
    url = await calm_and_shrill(desk)
    await desk.do(lambda p: p.change(url, root_domain="listed.example", actor=ACTOR))

    served = (await desk.visitor.get("/api/domains")).json()["domains"]
    await desk.do(lambda p: p.change(url, enabled=False, actor=ACTOR))
    disabled = (await desk.visitor.get("/api/domains")).json()["domains"]

    assert "listed.example" in served
    assert "listed.example" not in disabled


async def test_an_article_above_the_score_or_unknown_is_not_found(desk: Desk):
    url = await calm_and_shrill(desk)
    link = quote(desk.publisher.url("/articles/2"), safe="")

    above = await desk.visitor.get(f"/api/item?url={link}&max_score=0.2")
    below = await desk.visitor.get(f"/api/item?url={link}&max_score=1")
    unknown = await desk.visitor.get("/api/item?url=https://nowhere.example/x")
    await desk.do(lambda p: p.change(url, enabled=False, actor=ACTOR))
    disabled = await desk.visitor.get(f"/api/item?url={link}")

    statuses = [reply.status for reply in (above, below, unknown, disabled)]
    assert statuses == [404, 200, 404, 404]


async def test_a_sites_feeds_take_turns(desk: Desk):
    busy = desk.feed(tuple(range(20, 10, -1)), "/busy.xml")
    quiet = desk.feed((2, 1), "/quiet.xml")
    for url in (busy, quiet):
        await desk.built(url, root_domain="turns.example")

    reply = await desk.visitor.get("/api/site?root=turns.example&limit=6")

    found = reply.json()
    assert (reply.status, found["root"]) == (200, "turns.example")
    numbers = [item["url"].rpartition("/")[2] for item in found["items"]]
    assert numbers == ["20", "2", "19", "1", "18", "17"]
    assert reply.headers["Access-Control-Allow-Origin"] == "*"


async def test_a_site_lists_each_address_once(desk: Desk):
    for path in ("/first.xml", "/second.xml"):
        await desk.built(desk.feed((3, 2, 1), path), root_domain="once.example")

    found = (await desk.visitor.get("/api/site?root=once.example")).json()

    urls = [item["url"] for item in found["items"]]
    assert sorted(urls) == sorted(set(urls))
    assert len(urls) == 3


async def test_a_site_knows_scores_and_limits(desk: Desk):
    await calm_and_shrill(desk)
    ask = desk.visitor.get

    calm = (await ask("/api/site?root=calm.example&max_score=0.3")).json()
    [one] = (await ask("/api/site?root=www.calm.example&limit=1")).json()["items"]
    statuses = [
        (await ask(f"/api/site?{query}")).status
        for query in (
            "root=nowhere.example",
            "root=",
            "root=calm.example&limit=0",
            "root=calm.example&limit=101",
            "root=calm.example&limit=x",
            "root=calm.example/path",
            "root=..",
        )
    ]

    assert [item["title"] for item in calm["items"]].count(CALM) == len(calm["items"])
    assert one["title"]
    assert statuses == [404, 400, 400, 400, 400, 400, 400]


@pytest.mark.threat("C6")
@pytest.mark.parametrize("path", ["/rss", "/api/item", "/api/site"])
async def test_pages_of_other_origins_may_ask(desk: Desk, path):
    reply = await desk.visitor.ask(
        "OPTIONS",
        path,
        headers={
            "Origin": "https://portal.example",
            "Access-Control-Request-Method": "GET",
            "Access-Control-Request-Headers": "authorization",
        },
    )

    assert reply.status == 204
    assert reply.headers["Access-Control-Allow-Origin"] == "*"
    assert "GET" in reply.headers["Access-Control-Allow-Methods"]
    assert "Authorization" in reply.headers["Access-Control-Allow-Headers"]
    assert "Access-Control-Allow-Credentials" not in reply.headers


@pytest.mark.parametrize("path", ["/rss", "/api/item", "/api/site"])
async def test_nothing_can_be_sent_there(desk: Desk, path):
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        assert (await desk.visitor.ask(method, f"{path}?url=x")).status == 405


@pytest.mark.threat("C4")
async def test_a_token_is_asked_for_when_one_is_set(serve, publisher: Publisher):
    server: Server = serve(proxy_token="open sesame")
    desk = Desk(server, publisher)
    url = desk.feed((1,))
    await desk.built(url, root_domain="token.example")
    link = quote(publisher.url("/articles/1"), safe="")
    bearer = {"Authorization": "Bearer open sesame"}

    for path in (rss_path(url), f"/api/item?url={link}", "/api/site?root=token.example"):
        with_header = [await desk.visitor.get(path, headers=bearer) for _ in range(3)]
        with_query = [await desk.visitor.get(f"{path}&token=open%20sesame") for _ in range(3)]
        without = [await desk.visitor.get(path) for _ in range(2)]
        wrong = await desk.visitor.get(f"{path}&token=open")

        assert [reply.status for reply in (*with_header, *with_query)] == [200] * 6
        assert [reply.status for reply in (*without, wrong)] == [401] * 3
    assert "private" in with_private(await desk.visitor.get(rss_path(url), headers=bearer))


async def test_an_app_password_stands_in_for_the_token_of_lookups(serve, publisher: Publisher):
    server: Server = serve(proxy_token="open sesame")
    desk = Desk(server, publisher)
    url = desk.feed((1,))
    await desk.built(url, root_domain="token.example")
    await server.register("plugin@example.org")
    program = await server.program("plugin@example.org", scope="read")
    stranger = server.visitor(Authorization="Bearer closed")

    for path in ("/api/domains", "/api/site?root=token.example"):
        assert (await program.get(path)).status == 200
        assert (await stranger.get(path)).status == 401
    assert (await program.get(rss_path(url))).status == 401


def with_private(reply: Reply) -> str:
    return reply.headers["Cache-Control"]


async def test_reading_reaches_nobody_and_asks_no_model(
    serve, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
):
    """No connection is made for a read, but those of the test's own client."""
    async with ModelAPI() as api:
        api.script(says(VALID_ANALYSIS))
        model = {"ai_base_url": api.base_url, "ai_model": "m"}
        desk = Desk(serve(ai_type="compatible", **model), publisher)
        url = await calm_and_shrill(desk)
        new = "https://never.example/f"
        await desk.do(lambda p: p.add(NewProxy(new), actor=ACTOR))
        await desk.do(lambda p: p.change(new, enabled=True, actor=ACTOR))
        disabled = desk.feed((1,), "/disabled.xml")
        await desk.add(disabled)
        await desk.do(lambda p: p.change(disabled, enabled=False, actor=ACTOR))
        link = quote(publisher.url("/articles/2"), safe="")
        publisher.forget()
        asked = len(api.calls)
        before = await desk.rows("SELECT count(*) AS n FROM ai_calls")
        own_port = int(desk.server.url.rpartition(":")[2])
        with watched(monkeypatch) as reached:
            statuses = [
                (await desk.visitor.get(path)).status
                for path in (
                    rss_path(url),
                    rss_path(url),
                    rss_path(url) + "&max_score=0.3",
                    rss_path(new),
                    rss_path(disabled),
                    rss_path("https://nowhere.example/f"),
                    f"/api/item?url={link}",
                    "/api/item?url=https://nowhere.example/x",
                    "/api/site?root=calm.example",
                    "/api/site?root=nowhere.example",
                )
            ]
            await desk.visitor.get(rss_path(url), headers={"If-None-Match": "*"})

        assert statuses == [200, 200, 200, 404, 403, 404, 200, 404, 200, 404]
        assert reached.ports == {own_port}
        assert reached.names <= {"127.0.0.1"}
        assert publisher.requests == []
        assert asked == len(api.calls) == 2
        assert await desk.rows("SELECT count(*) AS n FROM ai_calls") == before


async def test_what_is_watched_is_seen(desk: Desk, monkeypatch: pytest.MonkeyPatch):
    """The proof above would be worth nothing if a fetch went unnoticed."""
    url = desk.feed()
    await desk.add(url)
    await desk.sync(url)

    with watched(monkeypatch) as reached:
        await desk.run()

    assert urlsplit(url).port in reached.ports
