import gzip
import json
import re
import time
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedloom.model.distilled.documents import Built, Channel, DeframedItem
from feedloom.model.distilled.requests import AnalyzerResult, Score, TitleKind
from feedloom.model.feed import CleanHTML, Enclosure
from feedloom.publish import deframed_rss, filter_by_score, item_document, rating
from tests.unit.publish.feed_rules import (
    DC,
    DEFRAMER,
    MEDIA,
    read_elsewhere,
    reread,
    rss_faults,
    strict,
)
from tests.unit.publish.samples import CHANNEL, NOON, SELF, analysis, hostile_items, item


def build(*items: DeframedItem, channel: Channel = CHANNEL) -> Built:
    return deframed_rss(channel, items, updated_at=NOON, self_url=SELF)


def test_an_item_is_served_corrected_with_every_score_and_reason():
    found = strict(build(item()).xml_content).find("channel/item")

    assert found is not None
    assert found.findtext("title") == "A corrected title"
    assert found.findtext("description") == "A corrected description"
    assert found.findtext(f"{DEFRAMER}status") == "deframed"
    assert found.findtext(f"{DEFRAMER}title_original") == "An original title"
    for name in ("framing", "clickbait", "persuasive", "hyper_stimulus", "speculative"):
        assert found.findtext(f"{DEFRAMER}{name}") == "0.2"
        assert found.findtext(f"{DEFRAMER}{name}_reason") == "a reason"
    assert found.findtext(f"{DEFRAMER}overall") == "0.2"
    assert found.findtext(f"{DEFRAMER}overall_reason") == "overall"
    assert found.findtext(f"{DEFRAMER}title_correction_reason") == "why the title"
    assert found.findtext(f"{DEFRAMER}category") == "world"


@pytest.mark.parametrize("score", [0, 1])
def test_scores_may_be_whole_numbers(score: int):
    found = strict(build(item(analysis=analysis(score))).xml_content)

    assert found.findtext(f"channel/item/{DEFRAMER}framing") == str(score)


def not_judged() -> DeframedItem:
    unknown = Score(None, "not judged")
    result = replace(
        analysis(),
        framing=unknown,
        clickbait=unknown,
        persuasive=unknown,
        hyper_stimulus=unknown,
        speculative=unknown,
    )
    return item(2, analysis=result)


def test_what_was_not_judged_has_no_score_and_passes_any_limit():
    built = build(item(1), not_judged(), item(3, analysis=None))
    found = strict(built.xml_content).findall("channel/item")[1]
    kept = filter_by_score(built, 0.1)

    assert found.find(f"{DEFRAMER}overall") is None
    assert found.find(f"{DEFRAMER}framing") is None
    assert found.findtext(f"{DEFRAMER}framing_reason") == "not judged"
    assert kept.item_refs == (not_judged().url_hash,)
    told = item_document(not_judged(), CHANNEL)
    assert (told["score"], told["rating"]) == (None, None)


def test_the_full_text_of_the_publisher_is_kept():
    text = CleanHTML("<p>All of <b>it</b> &amp; more</p>")
    found = strict(build(item(content=text)).xml_content)

    name = "{http://purl.org/rss/1.0/modules/content/}encoded"
    assert found.findtext(f"channel/item/{name}") == text


def test_a_quotation_is_served_in_its_marks():
    quoted = replace(analysis(), title_kind=TitleKind.QUOTATION)

    found = strict(build(item(analysis=quoted)).xml_content)
    assert found.findtext("channel/item/title") == "\u201cA corrected title\u201d"


def test_titles_that_earlier_versions_reworded_are_served_as_published():
    stored = analysis(title_correction_reason="offline rules: used a plain verb")
    document = {k: v for k, v in stored.as_json().items() if k != "title_kind"}

    read = AnalyzerResult.from_json(document)
    assert read is not None
    assert (read.title_corrected, read.title_kind) == ("An original title", TitleKind.SAME)


def test_what_the_publisher_attached_is_kept():
    files = (
        Enclosure("https://news.example/a.mp3", "audio/mpeg", 123),
        Enclosure("https://news.example/b.mp4", "video/mp4", None),
    )
    found = strict(build(item(enclosures=files)).xml_content).find("channel/item")

    assert found is not None
    first = found.find("enclosure")
    assert first is not None
    assert first.attrib == {
        "url": "https://news.example/a.mp3",
        "length": "123",
        "type": "audio/mpeg",
    }
    second = found.find(f"{MEDIA}content")
    assert second is not None
    assert second.get("url") == "https://news.example/b.mp4"
    assert found.findtext(f"{DC}creator") == "Jane Roe"
    assert [c.text for c in found.findall("category")] == ["one", "two"]


def test_an_item_without_analysis_is_the_original_and_marked():
    found = strict(build(item(analysis=None)).xml_content).find("channel/item")

    assert found is not None
    assert found.findtext("title") == "An original title"
    assert found.findtext("description") == "An original description"
    assert found.findtext(f"{DEFRAMER}status") == "original"
    assert found.find(f"{DEFRAMER}overall") is None


def test_a_plain_document_breaks_no_rule():
    assert rss_faults(build(*(item(n) for n in range(5))).xml_content) == []


@pytest.mark.threat("X16")
def test_hostile_items_break_no_rule():
    assert rss_faults(build(*hostile_items()).xml_content) == []


def test_hostile_items_are_read_by_others_and_by_ourselves():
    items = hostile_items()
    document = build(*items).xml_content
    elsewhere = read_elsewhere(document)
    again = reread(document)

    assert len(elsewhere.entries) == len(again.entries) == len(items)
    assert again.fast


def test_text_survives_the_way_through_a_reader():
    told = 'Ärger & <b>Müll</b>: "5 < 6" 😀 ]]> עברית'
    document = build(item(analysis=analysis(title_corrected=told))).xml_content

    assert strict(document).findtext("channel/item/title") == told
    assert reread(document).entries[0].title.startswith("Ärger &")


def test_plain_descriptions_are_escaped_for_readers_that_expect_html():
    told = "a < b & <script>alert(1)</script>"
    document = build(item(analysis=analysis(description_corrected=told))).xml_content
    found = read_elsewhere(document).entries[0].description

    assert found == "a &lt; b &amp; &lt;script&gt;alert(1)&lt;/script&gt;"


@pytest.mark.threat("X16")
def test_no_instruction_or_doctype_is_in_the_document():
    document = build(*hostile_items()).xml_content

    assert document.count(b"<?") == 1
    assert b"<!" not in document


@pytest.mark.parametrize(
    "channel",
    [
        Channel("", ""),
        Channel("\x00", "javascript:alert(1)", description="]]>", language="no language"),
        Channel("A", "/relative", feed_url="https://user:secret@news.example/feed"),
        Channel(" ", "https://user:secret@news.example/", language="zh-Hans-CN"),
    ],
)
def test_any_channel_breaks_no_rule(channel: Channel):
    document = build(item(), channel=channel).xml_content

    assert rss_faults(document) == []
    assert b"secret" not in document


def test_an_empty_feed_is_a_feed():
    document = build().xml_content

    assert rss_faults(document) == []
    assert read_elsewhere(document).entries == []


def test_repeated_guids_are_made_unique():
    items = [item(n, guid="same") for n in range(3)]
    found = strict(build(*items).xml_content).findall("channel/item/guid")

    assert [g.text for g in found] == ["same", "same#2", "same#3"]


def test_an_item_without_a_usable_address_has_no_link():
    found = strict(build(item(url="javascript:alert(1)", guid="")).xml_content)

    assert found.find("channel/item/link") is None
    assert rss_faults(build(item(url="", guid="x")).xml_content) == []


@pytest.mark.threat("S15")
def test_credentials_in_addresses_are_not_served():
    secret = "https://user:secret@news.example/"
    items = item(
        url=f"{secret}a",
        enclosures=(Enclosure(f"{secret}b.mp3"),),
        thumbnail_url=f"{secret}c.jpg",
        comments_url=f"{secret}d",
    )

    assert b"secret" not in build(items).xml_content


class TestBuilt:
    def test_the_build_date_is_the_time_of_the_update_in_whole_seconds(self):
        built = build(item())

        assert b"<lastBuildDate>Sun, 01 Mar 2026 12:00:00 GMT</lastBuildDate>" in built.xml_content
        assert built.updated_at == datetime(2026, 3, 1, 12, tzinfo=UTC)

    def test_the_same_input_gives_the_same_bytes(self):
        assert build(item()) == build(item())

    def test_the_compressed_form_is_the_document(self):
        built = build(*(item(n) for n in range(20)))

        assert gzip.decompress(built.xml_gzip) == built.xml_content
        assert len(built.xml_gzip) < len(built.xml_content) / 3
        assert built.xml_gzip[4:8] == b"\0\0\0\0"

    def test_each_form_has_its_own_strong_tag(self):
        built = build(item())

        assert re.fullmatch(r'"[0-9a-f]{32}"', built.etag)
        assert built.gzip_etag == f'{built.etag[:-1]}-gz"'
        assert build(item(2)).etag != built.etag

    def test_the_header_is_the_beginning_and_the_references_are_in_order(self):
        items = [item(n) for n in range(3)]
        built = build(*items)

        assert built.xml_content.startswith(built.xml_header)
        assert built.xml_content[len(built.xml_header) :].startswith(b"<item>")
        assert built.item_refs == tuple(i.url_hash for i in items)

    def test_fifty_items_are_built_quickly(self):
        items = [item(n, description="word " * 200) for n in range(50)]
        started = time.perf_counter()
        for _ in range(10):
            build(*items)

        assert time.perf_counter() - started < 2


class TestFilter:
    def test_only_items_within_the_score_stay(self):
        items = [item(n, analysis=analysis(n / 10)) for n in range(10)]
        calm = filter_by_score(build(*items), 0.5)

        assert calm.item_refs == tuple(i.url_hash for i in items[:6])
        assert len(strict(calm.xml_content).findall("channel/item")) == 6
        assert rss_faults(calm.xml_content) == []

    def test_an_item_without_a_score_is_left_out(self):
        built = build(item(1), item(2, analysis=None))

        assert filter_by_score(built, 1.0).item_refs == (item(1).url_hash,)

    @pytest.mark.threat("L5")
    def test_hostile_items_cannot_smuggle_a_score(self):
        items = hostile_items()
        calm = filter_by_score(build(*items), 0.1)

        assert calm.item_refs == ()
        assert rss_faults(calm.xml_content) == []

    def test_everything_within_gives_the_same_document(self):
        built = build(item(1), item(2))

        assert filter_by_score(built, 1.0) == built

    def test_another_score_is_another_tag_but_the_same_time(self):
        built = build(item(1), item(2, analysis=analysis(0.9)))
        calm = filter_by_score(built, 0.5)

        assert calm.etag != built.etag
        assert calm.updated_at == built.updated_at

    @given(st.lists(st.tuples(st.text(max_size=60), st.floats(0, 1)), max_size=8), st.floats(0, 1))
    def test_filtering_is_building_with_fewer_items(
        self, told: list[tuple[str, float]], limit: float
    ):
        items = [
            item(n, title=text, analysis=analysis(round(score, 3), title_corrected=text))
            for n, (text, score) in enumerate(told)
        ]
        kept = [i for i in items if i.analysis and (i.analysis.overall or 0) <= limit]

        assert filter_by_score(build(*items), limit) == build(*kept)


@pytest.mark.threat("X16")
@given(st.text(), st.text(), st.text(max_size=40), st.lists(st.text(max_size=20), max_size=3))
def test_any_text_makes_a_document_without_faults(
    title: str, description: str, author: str, categories: list[str]
):
    judged = analysis(title_corrected=title, description_corrected=description)
    document = build(
        item(author=author, categories=tuple(categories), analysis=judged, guid=title)
    ).xml_content

    assert rss_faults(document) == []
    assert reread(document).fast


class TestLookup:
    def test_an_item_is_shown_with_its_result(self):
        shown = item_document(item(), CHANNEL)

        assert json.loads(json.dumps(shown)) == shown
        assert shown["title"] == "A corrected title"
        assert shown["score"] == 0.2
        assert shown["rating"] == "low"
        assert shown["published_at"] == "2026-03-01T11:59:00Z"
        assert shown["feed"] == {"title": "News & more", "url": "https://news.example/feed.xml"}
        assert shown["media"] == [
            {"url": "https://news.example/a.mp3", "type": "audio/mpeg", "length": 123}
        ]
        assert set(shown) == {
            "hash",
            "url",
            "title",
            "published_at",
            "feed",
            "media",
            "score",
            "rating",
            "result",
        }

    def test_an_item_without_analysis_has_no_score(self):
        shown = item_document(replace(item(), analysis=None), CHANNEL)

        assert (shown["score"], shown["rating"], shown["result"]) == (None, None, None)

    @pytest.mark.parametrize(
        ("score", "word"),
        [
            (0, "low"),
            (0.24, "low"),
            (0.25, "moderate"),
            (0.5, "high"),
            (0.75, "extreme"),
            (1, "extreme"),
        ],
    )
    def test_a_score_has_a_word(self, score: float, word: str):
        assert rating(score) == word
