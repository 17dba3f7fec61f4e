import asyncio
import contextlib
import json
import os
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import msgspec
import psutil
import pytest

from feedloom.distill import JinaReader, LocalExtractor
from feedloom.distill.extraction import child as child_module
from feedloom.distill.extraction.child import read_article
from feedloom.distill.extraction.local import ChildPool, tame_markdown
from feedloom.model.errors import (
    BadAddress,
    BlockedAddress,
    DistillError,
    NoArticle,
    TimedOut,
    TooLarge,
    Unreachable,
)
from feedloom.model.stages import FetchRequest, FetchResponse, Purpose
from tests.unit.distill.doubles import KEY, Naps

URL = "https://news.example/a/story"
PARAGRAPH = (
    "<p>Paragraph {} tells of the <b>bridge</b> and of the <a href='/river'>river</a> "
    "below it, at such length that it counts as the content of an article.</p>"
)
PAGE = (
    "<html lang='en'><head><title>The bridge | News</title>"
    "<meta name='description' content='What became of the bridge.'>"
    "<meta property='og:image' content='/bridge.jpg'>"
    "<meta name='author' content='Jane Roe'>"
    "<meta property='article:published_time' content='2026-02-03T10:00:00Z'></head>"
    "<body><nav>Home | Sport | Weather</nav><article><h1>The bridge</h1>"
    + "".join(PARAGRAPH.format(n) for n in range(8))
    + "<img src='/inside.jpg' alt='inside'><script>alert(1)</script></article>"
    "<footer>Imprint and cookies</footer></body></html>"
)


class OnePage:
    """A ``Fetcher`` that has one page, or one error."""

    def __init__(
        self,
        body: bytes = PAGE.encode(),
        *,
        status: int = 200,
        content_type: str = "text/html; charset=utf-8",
        error: Exception | None = None,
    ) -> None:
        self._fetched = FetchResponse(URL, status, {"content-type": content_type}, body)
        self._error = error
        self.asks: list[FetchRequest] = []

    async def fetch(self, ask: FetchRequest) -> FetchResponse:
        self.asks.append(ask)
        if self._error:
            raise self._error
        return self._fetched

    async def close(self) -> None:
        """Nothing is open."""


@pytest.fixture
async def pool() -> AsyncIterator[ChildPool]:
    children = ChildPool(size=1, deadline_s=1.0)
    yield children
    await children.close()


async def extract(fetcher: OnePage, **settings: float) -> object:
    extractor = LocalExtractor(fetcher, **settings)  # type: ignore[arg-type] # keywords of a test
    try:
        return await extractor.extract(URL)
    finally:
        await extractor.close()


async def test_the_article_of_a_page_is_found():
    fetcher = OnePage()
    extractor = LocalExtractor(fetcher)
    found = await extractor.extract(URL)
    await extractor.close()

    assert found.title == "The bridge"
    assert found.description == "What became of the bridge."
    assert found.image_url == "https://news.example/bridge.jpg"
    assert found.author == "Jane Roe"
    assert found.published_at == datetime(2026, 2, 3, tzinfo=UTC)
    assert "Paragraph 7 tells of the bridge" in found.text
    assert "**bridge**" in found.markdown
    assert "<strong>bridge</strong>" in found.html
    assert 'href="https://news.example/river"' in found.html
    assert "Imprint" not in found.text
    assert "alert" not in found.html + found.text + found.markdown


async def test_a_page_is_asked_for_as_an_article_with_limits():
    fetcher = OnePage()
    await extract(fetcher)

    ask = fetcher.asks[0]
    assert (ask.sink, ask.max_bytes, ask.timeout_s) == (Purpose.ARTICLE, 10_000_000, 30.0)


@pytest.mark.parametrize(
    ("fetcher", "says"),
    [
        (OnePage(status=404), "HTTP 404"),
        (OnePage(content_type="application/pdf"), "not a web page"),
        (OnePage(b""), "No article"),
        (OnePage(b"<html><body></body></html>"), "No article"),
        (OnePage(b"x" * 10_000_001), "too large"),
    ],
)
async def test_a_page_without_an_article_is_an_error(fetcher: OnePage, says: str):
    with pytest.raises(DistillError, match=says):
        await extract(fetcher)


async def test_a_page_without_an_article_says_what_it_says_of_itself():
    page = (
        b"<title>An app</title><meta name=description content='It needs scripts.'>"
        b"<body><div id=root></div>"
    )

    with pytest.raises(NoArticle) as caught:
        await extract(OnePage(page))

    assert (caught.value.title, caught.value.description) == ("An app", "It needs scripts.")


async def test_a_page_without_facts_about_itself_has_only_text():
    page = "<html><body><article>" + PARAGRAPH.format(1) * 9 + "</article></body></html>"
    extractor = LocalExtractor(OnePage(page.encode(), content_type="text/html"))
    found = await extractor.extract(URL)
    await extractor.close()

    assert "Paragraph 1" in found.text
    assert (found.image_url, found.author, found.published_at) == (None, None, None)


async def test_an_error_of_the_fetcher_stays_what_it_is():
    with pytest.raises(TimedOut):
        await extract(OnePage(error=TimedOut()))


@pytest.mark.parametrize(
    ("charset", "encoding"),
    [("iso-8859-1", "latin-1"), ("windows-1251", "cp1251"), ("utf-8", "utf-8")],
)
def test_the_headers_character_set_is_used(charset: str, encoding: str):
    word = "Брюкке" if encoding == "cp1251" else "Brücke"
    page = PAGE.replace("bridge", word).encode(encoding)

    assert word in read_article(page, URL, charset)["markdown"]


@pytest.mark.parametrize("charset", ["idna", "punycode", "hex", "zlib", "../x", "utf-16", ""])
def test_a_senseless_character_set_is_passed_over(charset: str):
    assert "bridge" in read_article(PAGE.encode(), URL, charset)["markdown"]


def test_half_a_character_does_not_end_the_process(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(child_module, "read_article", lambda *_: {"title": "a\ud800b"})

    article = child_module.answer(msgspec.msgpack.encode(child_module.Page(URL, "", b"")))

    assert msgspec.msgpack.decode(article) == {"title": "a?b"}


async def test_one_process_reads_page_after_page(pool: ChildPool):
    for _ in range(3):
        found = await pool.read(URL, "utf-8", PAGE.encode())
        assert found["title"] == "The bridge"

    assert len(_children()) == 1


def _children() -> list[psutil.Process]:
    mine = psutil.Process().children(recursive=True)
    return [p for p in mine if "feedloom.distill.extraction.child" in " ".join(p.cmdline())]


@pytest.mark.threat("P14")
async def test_a_child_has_no_secrets_and_little_memory(
    pool: ChildPool, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("FEEDLOOM_AI_API_KEY", KEY)
    await pool.read(URL, "", PAGE.encode())
    child = _children()[0]

    assert KEY not in str(child.environ())
    assert set(child.environ()) == {"PYTHONPATH", "PYTHONUTF8"}
    assert child.rlimit(psutil.RLIMIT_AS)[0] == 1 << 30
    assert child.nice() > os.nice(0)


@pytest.mark.threat("P14")
async def test_a_page_that_takes_too_long_is_given_up_and_the_next_is_read(pool: ChildPool):
    await pool.read(URL, "", PAGE.encode())
    child = _children()[0]
    child.suspend()
    started = time.monotonic()
    with pytest.raises(DistillError):
        await pool.read(URL, "", PAGE.encode())
    took_s = time.monotonic() - started

    assert took_s < 5
    assert not child.is_running()
    assert (await pool.read(URL, "", PAGE.encode()))["title"] == "The bridge"


async def test_a_child_that_dies_is_replaced(pool: ChildPool):
    await pool.read(URL, "", PAGE.encode())
    _children()[0].kill()

    assert (await pool.read(URL, "", PAGE.encode()))["title"] == "The bridge"


async def test_a_cancelled_page_does_not_answer_for_the_next(pool: ChildPool):
    await pool.read(URL, "", PAGE.encode())
    other = PAGE.replace("bridge", "tunnel").encode()
    reading = asyncio.create_task(pool.read(URL, "", PAGE.encode() + b" " * 3_000_000))
    await asyncio.sleep(0.01)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading

    assert (await pool.read(URL, "", other))["title"] == "The tunnel"


async def test_closing_leaves_no_process_behind():
    pool = ChildPool(size=2)
    await asyncio.gather(*(pool.read(URL, "", PAGE.encode()) for _ in range(2)))
    assert len(_children()) == 2
    await pool.close()

    assert _children() == []


HOSTILE = {
    "deep": b"<div>" * 400_000 + b"text",
    "wide": b"<p>a</p>" * 400_000,
    "attributes": b"<p " + b"a=b " * 500_000 + b">x</p>",
    "unclosed": b"<a<b" * 800_000,
    "one line": b"x" * 9_000_000,
    "tables": b"<table><tr><td>" * 150_000,
    "entities": b"&amp;" * 1_500_000,
    "nulls": b"\x00" * 1_000_000 + PAGE.encode(),
    "binary": bytes(range(256)) * 10_000,
}


@pytest.mark.sampled(4)
@pytest.mark.threat("P14")
@pytest.mark.parametrize("kind", HOSTILE)
async def test_a_hostile_page_ends_by_itself_or_at_its_deadline(kind: str, pool: ChildPool):
    worst_gap_s = 0.0

    async def tick() -> None:
        nonlocal worst_gap_s
        last = time.monotonic()
        while True:
            await asyncio.sleep(0.01)
            worst_gap_s = max(worst_gap_s, time.monotonic() - last)
            last = time.monotonic()

    await pool.read(URL, "", PAGE.encode())
    ticking = asyncio.create_task(tick())
    started = time.monotonic()
    with contextlib.suppress(DistillError):
        await pool.read(URL, "", HOSTILE[kind])
    took_s = time.monotonic() - started
    ticking.cancel()

    assert took_s < 10, "the deadline of one second, and time to end the process"
    assert worst_gap_s < 1.0, "the event loop goes on meanwhile"


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("[a](https://x.example)", "[a](https://x.example)"),
        ("[a](javascript:alert(1))", "[a](#))"),
        ("![a](data:image/png;base64,AAAA)", "![a](#)"),
        ("[a]( vbscript:x )", "[a](#)"),
        ("a\x00b\u202ec", "abc"),
        ("  text  ", "text"),
    ],
)
def test_markdown_is_tamed(markdown: str, expected: str):
    assert tame_markdown(markdown) == expected


class Scripted(OnePage):
    """A ``Fetcher`` that plays answers in turn."""

    def __init__(self, *script: FetchResponse | Exception) -> None:
        super().__init__()
        self._script = list(script)

    async def fetch(self, ask: FetchRequest) -> FetchResponse:
        self.asks.append(ask)
        found = self._script.pop(0) if len(self._script) > 1 else self._script[0]
        if isinstance(found, Exception):
            raise found
        return found


def answered(body: bytes, status: int = 200) -> FetchResponse:
    return FetchResponse("https://r.example", status, {}, body)


GOOD = answered(
    b'{"code": 200, "data": {"title": "The <b>bridge</b>", "description": "About it.",'
    b' "content": "# The bridge\\n\\nIt **stands** [here](https://x.example/y)'
    b' <script>alert(1)</script>.", "publishedTime": "2026-02-03T10:00:00+01:00"}}'
)


class TestJina:
    async def test_a_page_is_read_by_the_service(self):
        fetcher = Scripted(GOOD)
        reader = JinaReader(fetcher, base_url="https://r.example/", key=KEY, sleep=Naps())
        found = await reader.extract(URL)

        ask = fetcher.asks[0]
        assert ask.url == f"https://r.example/{URL}"
        assert (ask.sink, ask.timeout_s) == (Purpose.EXTRACTOR, 30.0)
        assert ask.headers["Authorization"] == f"Bearer {KEY}"
        assert found.title == "The bridge"
        assert found.html.startswith("<h1>The bridge</h1>")
        assert "<script" not in found.html
        assert "It stands here" in found.text
        assert found.published_at == datetime(2026, 2, 3, 9, tzinfo=UTC)

    @pytest.mark.parametrize(
        "fault", [Unreachable(), TimedOut(), answered(b"", 503), answered(b"", 429)]
    )
    async def test_it_is_tried_three_times(self, fault: FetchResponse | Exception):
        fetcher, naps = Scripted(fault, fault, GOOD), Naps()
        found = await JinaReader(fetcher, sleep=naps).extract(URL)

        assert found.title == "The bridge"
        assert len(fetcher.asks) == 3
        assert naps.taken == [1.0, 3.0]

    @pytest.mark.parametrize("fault", [Unreachable(), answered(b"", 500)])
    async def test_and_not_four_times(self, fault: FetchResponse | Exception):
        fetcher = Scripted(fault)
        with pytest.raises(DistillError):
            await JinaReader(fetcher, key=KEY, sleep=Naps()).extract(URL)

        assert len(fetcher.asks) == 3

    @pytest.mark.threat("L10")
    @pytest.mark.parametrize("status", [400, 401, 402, 404, 422])
    async def test_a_refusal_is_final_and_shows_no_key(self, status: int):
        fetcher = Scripted(answered(KEY.encode(), status))
        with pytest.raises(DistillError) as caught:
            await JinaReader(fetcher, key=KEY, sleep=Naps()).extract(URL)

        assert len(fetcher.asks) == 1
        assert KEY not in f"{caught.value} {caught.value.detail}"

    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b"[]",
            b"{}",
            b'{"data": null}',
            b'{"data": {"content": 5}}',
            b'{"data": {"content": "  "}}',
            b"[" * 100_000,
        ],
    )
    async def test_a_senseless_answer_is_an_error(self, body: bytes):
        with pytest.raises(DistillError):
            await JinaReader(Scripted(answered(body)), sleep=Naps()).extract(URL)

    @pytest.mark.threat("S11")
    @pytest.mark.parametrize(
        "url",
        [
            "http://127.0.0.1/",
            "http://10.0.0.1/x",
            "http://[::1]/",
            "http://169.254.169.254/latest",
            "http://localhost/",
            "http://printer/",
            "http://nas.local/",
            "http://db.internal/",
        ],
    )
    async def test_an_address_inside_a_network_is_not_passed_on(self, url: str):
        fetcher = Scripted(GOOD)
        with pytest.raises(BlockedAddress):
            await JinaReader(fetcher, sleep=Naps()).extract(url)

        assert fetcher.asks == []

    @pytest.mark.threat("S15")
    async def test_credentials_do_not_reach_the_service(self):
        fetcher = Scripted(GOOD)
        await JinaReader(fetcher, sleep=Naps()).extract("https://me:secret@news.example/a")

        assert "secret" not in fetcher.asks[0].url

    @pytest.mark.parametrize("error", [TooLarge(), BlockedAddress()])
    async def test_what_cannot_pass_is_not_tried_again(self, error: Exception):
        fetcher = Scripted(error)
        with pytest.raises(type(error)):
            await JinaReader(fetcher, sleep=Naps()).extract(URL)

        assert len(fetcher.asks) == 1

    @pytest.mark.parametrize(
        ("told", "expected"),
        [
            ("2026-02-03T10:00:00+01:00", datetime(2026, 2, 3, 9, tzinfo=UTC)),
            ("2026-02-03", datetime(2026, 2, 3, tzinfo=UTC)),
            ("Tue, 03 Feb 2026 10:00:00 GMT", datetime(2026, 2, 3, 10, tzinfo=UTC)),
            ("last week", None),
            (5, None),
        ],
    )
    async def test_times_are_read_or_left_out(self, told: object, expected: datetime | None):
        data = {"data": {"content": "Text.", "title": 5, "publishedTime": told}}
        reader = JinaReader(Scripted(answered(json.dumps(data).encode())), sleep=Naps())
        found = await reader.extract(URL)
        await reader.close()

        assert found.published_at == expected
        assert found.title == ""

    async def test_no_address_is_no_page(self):
        with pytest.raises(BadAddress):
            await JinaReader(Scripted(GOOD), sleep=Naps()).extract("nothing")


def test_what_a_selector_finds_is_the_article():
    page = (
        b"<html><body><div class=a><p>First <b>part</b>.</p></div><p>Menu</p>"
        b"<div class=a>Second.</div></body></html>"
    )

    found = read_article(page, URL, "utf-8", ".a, .a b")

    assert found["html"] == (
        '<div class="a"><p>First <b>part</b>.</p></div><div class="a">Second.</div>'
    )
    assert "Menu" not in found["markdown"]
    for useless in (".nothing", "div["):
        assert "Menu" in read_article(page, URL, "utf-8", useless).get("html", "Menu")
