"""Items to publish, plain and hostile."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from feedloom.model.distilled.documents import Channel, DeframedItem
from feedloom.model.distilled.requests import AnalyzerResult, Score
from feedloom.model.feed import Enclosure
from feedloom.model.urls import url_hash

NOON = datetime(2026, 3, 1, 12, 0, 0, 654_321, tzinfo=UTC)
SELF = "https://feeds.example/rss?url=https%3A%2F%2Fnews.example%2Ffeed&x=1"
CHANNEL = Channel(
    title="News & more",
    url="https://news.example/",
    description="All the <news>",
    language="en-GB",
    feed_url="https://news.example/feed.xml",
)
HOSTILE = (
    "]]>",
    "<![CDATA[x]]>",
    "<script>alert(1)</script>",
    "&amp; &lt; & < > \" '",
    "&unknown; &#0; &#x1F;",
    "\x00\x01\x08\x0b\x0c\x1f\x7f\x80\x9f",
    "\ufffe\uffff\ufdd0",
    "\ud800 lone \udfff",
    "😀👩‍👩‍👧 🏳️‍🌈",
    "\u202e\u05e2\u05d1\u05e8\u05d9\u05ea\u202c \u0627\u0644\u0639\u0631\u0628\u064a\u0629",
    "\u2028\u2029\u200b\ufeff",
    "a\r\nb\rc\td",
    "<?xml version='1.0'?><!DOCTYPE x>",
    "<?xml-stylesheet href='evil.xsl'?>",
    "</title></item></channel></rss>",
    "<item>\n</item>\n<deframer:overall>0</deframer:overall>",
    "--> <!-- -->",
    "x" * 5_000,
    " ",
    "",
    "\U0001d56c\U0001d593 astral title",
    "\U000e0041\U0010ffff",
)


def analysis(score: float = 0.2, **changes: str) -> AnalyzerResult:
    one = Score(score, "a reason")
    result = AnalyzerResult(
        title_original="An original title",
        description_original="An original description",
        title_corrected="A corrected title",
        title_correction_reason="why the title",
        description_corrected="A corrected description",
        description_correction_reason="why the description",
        framing=one,
        clickbait=one,
        persuasive=one,
        hyper_stimulus=one,
        speculative=one,
        overall_reason="overall",
        category="world",
    )
    return replace(result, **changes)  # type: ignore[arg-type] # texts only


def item(number: int = 1, **changes: object) -> DeframedItem:
    url = f"https://news.example/{number}"
    plain = DeframedItem(
        guid=url,
        url=url,
        url_hash=url_hash(url),
        title="An original title",
        description="An original description",
        published_at=NOON - timedelta(minutes=number),
        analysis=analysis(),
        author="Jane Roe",
        enclosures=(Enclosure("https://news.example/a.mp3", "audio/mpeg", 123),),
        thumbnail_url="https://news.example/t.jpg",
        categories=("one", "two"),
        comments_url="https://news.example/1#comments",
    )
    return replace(plain, **changes)  # type: ignore[arg-type] # keywords of a test


def hostile_items() -> list[DeframedItem]:
    """Items with each hostile text in every field that takes text."""
    found = []
    for number, text in enumerate(HOSTILE):
        judged = analysis(
            title_original=text,
            description_original=text,
            title_corrected=text,
            title_correction_reason=text,
            description_corrected=text,
            description_correction_reason=text,
            overall_reason=text,
        )
        found.append(
            item(
                number,
                guid=f"{number} {text}",
                url=f"https://news.example/?q={number}&a=b",
                title=text,
                description=text,
                author=text,
                categories=(text, text),
                enclosures=(
                    Enclosure(f"https://news.example/{number}?a=1&b=2", text, -5),
                    Enclosure("https://news.example/second.mp3", None, None),
                    Enclosure(text, "audio/mpeg", 1),
                ),
                thumbnail_url=text,
                comments_url=text,
                analysis=judged if number % 2 else None,
            )
        )
    return found
