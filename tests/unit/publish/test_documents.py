import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import ClassVar
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedloom.markup import clean_html
from feedloom.model.distilled.documents import (
    Channel,
    ImportedPage,
    OutlineFeed,
    OutlineFolder,
    PersonExport,
    ViewItem,
)
from feedloom.model.distilled.requests import Claim, Digest, DigestArticle, DigestParagraph
from feedloom.model.feed import CleanHTML, Enclosure
from feedloom.model.reader import Bookmark
from feedloom.publish import (
    bookmarks_json,
    bookmarks_markdown,
    data_export,
    digest_markdown,
    interleave,
    netscape_bookmarks,
    opml,
    read_netscape,
    view_feed,
)
from tests.unit.publish.feed_rules import ATOM, read_elsewhere, reread, rss_faults, strict
from tests.unit.publish.samples import CHANNEL, HOSTILE, NOON

OWN = "https://feeds.example/view/token?format=rss&n=50"
VIEW = ViewItem(
    guid="guid-1",
    url="https://news.example/1",
    title="A title",
    content=clean_html("<p>Text with <b>bold</b> &amp; more</p>"),
    published_at=NOON,
    author="Jane Roe",
    source_title="News",
    source_url="https://news.example/feed.xml",
    enclosures=(Enclosure("https://news.example/a.mp3", "audio/mpeg", 5),),
    categories=("one",),
)


def hostile_view() -> list[ViewItem]:
    return [
        replace(
            VIEW,
            guid=text,
            title=text,
            author=text,
            source_title=text,
            categories=(text,),
            content=clean_html(text),
            url=f"https://news.example/?q={number}&b=c",
        )
        for number, text in enumerate(HOSTILE)
    ]


class TestView:
    @pytest.mark.threat("X16")
    def test_a_view_as_rss_breaks_no_rule(self):
        items = [VIEW, *hostile_view()]
        document = view_feed(CHANNEL, items, updated_at=NOON, self_url=OWN)

        assert rss_faults(document) == []
        assert len(read_elsewhere(document).entries) == len(items)
        assert len(reread(document).entries) == len(items)

    def test_articles_keep_their_markup(self):
        document = view_feed(CHANNEL, [VIEW], updated_at=NOON, self_url=OWN)

        assert reread(document).entries[0].content_html == VIEW.content

    def test_a_view_as_atom_is_strict_and_complete(self):
        items = [VIEW, *hostile_view()]
        document = view_feed(CHANNEL, items, updated_at=NOON, self_url=OWN, format="atom")
        root = strict(document)
        entries = root.findall(f"{ATOM}entry")

        assert root.tag == f"{ATOM}feed"
        for required in ("id", "title", "updated"):
            assert all(e.findtext(f"{ATOM}{required}") for e in (root, *entries))
        ids = [entry.findtext(f"{ATOM}id", "") for entry in entries]
        assert len(set(ids)) == len(items)
        assert all(re.fullmatch(r"urn:uuid:[0-9a-f-]{36}", i) for i in ids)
        links = root.findall(f".//{ATOM}link")
        assert all((link.get("href") or "").startswith("https://") for link in links)
        assert len(read_elsewhere(document).entries) == len(items)
        assert reread(document).fast

    def test_an_article_has_the_same_id_for_ever(self):
        documents = {
            view_feed(CHANNEL, [VIEW], updated_at=at, self_url=OWN, format="atom")
            for at in (NOON, NOON + timedelta(days=1))
        }
        ids = {strict(d).findtext(f"{ATOM}entry/{ATOM}id") for d in documents}

        assert len(ids) == 1

    @pytest.mark.parametrize("kind", ["rss", "atom"])
    def test_what_is_not_known_is_left_out(self, kind: str):
        bare = ViewItem("", "", "", CleanHTML(""), NOON, enclosures=(Enclosure("x"),))
        document = view_feed(
            Channel("", ""),
            [bare],
            updated_at=NOON,
            self_url=OWN,
            format=kind,  # type: ignore[arg-type] # one of two
        )

        assert len(read_elsewhere(document).entries) == 1
        assert b"enclosure" not in document

    @pytest.mark.threat("X16")
    @given(st.text(), st.sampled_from(["rss", "atom"]))
    def test_any_text_makes_a_readable_view(self, text: str, kind: str):
        told = replace(VIEW, title=text, guid=text, author=text, content=CleanHTML(text))
        document = view_feed(
            Channel(text, text),
            [told],
            updated_at=NOON,
            self_url=OWN,
            format=kind,  # type: ignore[arg-type] # one of two
        )

        assert strict(document) is not None


class TestOPML:
    ROOT = OutlineFolder(
        "root",
        feeds=(OutlineFeed("Top", "https://top.example/feed"),),
        folders=(
            OutlineFolder(
                'Tech & "more"',
                feeds=(OutlineFeed("A", "https://a.example/f?x=1&y=2", "https://a.example/"),),
                folders=(OutlineFolder("Deep", feeds=(OutlineFeed("B", "https://b.example/"),)),),
            ),
            OutlineFolder("Empty"),
        ),
    )

    def test_folders_are_nested_outlines(self):
        body = strict(opml(self.ROOT, title="Mine", created_at=NOON)).find("body")

        assert body is not None
        assert [o.get("text") for o in body] == ["Top", 'Tech & "more"', "Empty"]
        tech = body[1]
        assert tech[0].get("xmlUrl") == "https://a.example/f?x=1&y=2"
        assert tech[0].get("htmlUrl") == "https://a.example/"
        assert tech[1].get("text") == "Deep"
        assert tech[1][0].get("xmlUrl") == "https://b.example/"

    def test_a_feed_says_what_it_is(self):
        found = strict(opml(self.ROOT, title="Mine", created_at=NOON)).find("body/outline")

        assert found is not None
        assert found.get("type") == "rss"
        assert found.get("title") == "Top"

    @pytest.mark.threat("O7", "S15")
    def test_no_password_is_exported(self):
        feed = OutlineFeed(
            "Private", "https://me:secret@a.example/feed", "https://me:secret@a.example"
        )
        document = opml(OutlineFolder("", feeds=(feed,)), title="x", created_at=NOON)

        assert b"secret" not in document
        assert b"https://a.example/feed" in document

    def test_folders_may_be_nested_very_deeply(self):
        folder = OutlineFolder("last")
        for number in range(3_000):
            folder = OutlineFolder(str(number), folders=(folder,))
        document = opml(folder, title="Deep", created_at=NOON)

        assert document.count(b"<outline") == document.count(b"</outline>") == 3_000

    @pytest.mark.threat("X16")
    @pytest.mark.parametrize("text", HOSTILE)
    def test_hostile_names_stay_well_formed(self, text: str):
        feed = OutlineFeed(text, "https://a.example/", description=text)
        folder = OutlineFolder("", feeds=(feed,), folders=(OutlineFolder(text),))
        document = opml(folder, title=text, created_at=NOON)

        assert len(strict(document).findall("body/outline")) == 2


ADDED_AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
SAVED = Bookmark(
    id=1,
    url="https://a.example/page?x=1&y=2",
    title="A <page> & more",
    description="",
    summary="Two sentences. On one page.",
    tags=("one", "two words"),
    state="archive",
    pinned=False,
    source_article_id=None,
    enrich_status="done",
    enrich_error=None,
    added_at=ADDED_AT,
    archived_at=None,
    updated_at=ADDED_AT,
)


class TestBookmarks:
    def test_a_netscape_file_comes_back_as_it_was(self):
        pages = [SAVED, replace(SAVED, url="https://b.example/", state="inbox", summary="")]
        found = read_netscape(netscape_bookmarks(pages))

        assert found.skipped == 0
        assert found.pages == (
            ImportedPage(
                url="https://a.example/page?x=1&y=2",
                title="A <page> & more",
                added_at=SAVED.added_at,
                description="Two sentences. On one page.",
                tags=("one", "two words"),
                to_read=False,
            ),
            ImportedPage(
                url="https://b.example/",
                title="A <page> & more",
                added_at=SAVED.added_at,
                tags=("one", "two words"),
            ),
        )

    @given(st.text(max_size=80), st.text(max_size=80), st.lists(st.text(max_size=10), max_size=3))
    def test_any_text_comes_back_or_is_tidied(self, title: str, summary: str, tags: list[str]):
        page = replace(SAVED, title=title, summary=summary, tags=tuple(tags))
        written = netscape_bookmarks([page])
        found = read_netscape(written)

        assert len(found.pages) == 1
        assert found.pages[0].url == SAVED.url
        again = replace(
            SAVED,
            title=found.pages[0].title,
            summary=found.pages[0].description,
            tags=found.pages[0].tags,
        )
        assert read_netscape(netscape_bookmarks([again])) == found

    def test_a_browsers_file_is_read_with_folders_as_tags(self):
        data = b"""<!DOCTYPE NETSCAPE-Bookmark-file-1>
        <!-- This is an automatically generated file. -->
        <TITLE>Bookmarks</TITLE><H1>Bookmarks Menu</H1>
        <DL><p>
            <DT><A HREF="https://one.example/" ADD_DATE="1700000000" ICON="data:,AA==">One</A>
            <DT><H3 ADD_DATE="1">Reading</H3>
            <DL><p>
                <DT><A HREF='https://two.example/' add_date="1700000000000">Two &amp; a half</A>
                <DD>A description
                over two lines
                <DT><H3>Deep</H3>
                <DL><p>
                    <DT><A HREF="https://three.example/" TAGS="x,y">Three</A>
                </DL><p>
            </DL><p>
            <DT><A HREF="javascript:alert(1)">Bookmarklet</A>
            <DT><A HREF="place:sort=8">Recent</A>
            <DT><A HREF="https://one.example/">One again</A>
            <DT><A HREF="about:blank">Blank</A>
            <DD>Said of a page that is not usable
            <HR>
        </DL><p>"""
        found = read_netscape(data)

        assert [(p.url, p.title, p.tags) for p in found.pages] == [
            ("https://one.example/", "One", ()),
            ("https://two.example/", "Two & a half", ("Reading",)),
            ("https://three.example/", "Three", ("x", "y", "Reading", "Deep")),
        ]
        assert found.pages[1].description == "A description over two lines"
        assert (
            found.pages[0].added_at
            == found.pages[1].added_at
            == datetime.fromtimestamp(1_700_000_000, UTC)
        )
        assert found.skipped == 3

    @pytest.mark.threat("P8")
    def test_names_and_numbers_without_end_are_read_once(self):
        huge = "&#" + "1" * 5000 + ";"
        data = (
            f'<DT><A HREF="https://one.example/{huge}" {"a" * 1_000_000}>{huge}</A>'
            f'<DT><A {"a_" * 500_000} = HREF="https://two.example/">Two</A>'
        ).encode()
        found = read_netscape(data)

        assert [page.title for page in found.pages] == ["\ufffd", "Two"]

    @pytest.mark.parametrize("date", ["", "0", "-5", "x", "9" * 30, "99999999999999999999", "1e9"])
    def test_a_senseless_date_is_no_date(self, date: str):
        data = f'<DT><A HREF="https://one.example/" ADD_DATE="{date}">One</A>'.encode()

        assert read_netscape(data).pages[0].added_at is None

    @pytest.mark.parametrize(
        "data",
        [
            b"",
            b"\xff\xfe\x00",
            b"<a<a" * 300_000,
            b"<dl>" * 300_000,
            b"<h3>" * 100_000 + b"</dl>" * 100_000,
            b'<a href="' * 100_000,
            b"<dd>" * 300_000,
        ],
    )
    def test_a_hostile_file_holds_nothing(self, data: bytes):
        assert read_netscape(data).pages == ()

    def test_a_very_long_file_is_cut_and_says_so(self):
        data = b"".join(b'<DT><A HREF="https://x.example/%d">x</A>\n' % n for n in range(50_010))
        found = read_netscape(data)

        assert len(found.pages) == 50_000
        assert found.truncated

    @pytest.mark.threat("P8")
    def test_tags_without_end_are_read_up_to_a_limit(self):
        last = b'<DT><A HREF="https://x.example/">x</A>'
        found = read_netscape(b"<a>" * 600_000 + last)

        assert found.truncated
        assert found.pages == ()
        assert not read_netscape(b"<p>" * 400_000 + last).truncated

    @pytest.mark.threat("P8")
    def test_a_long_folder_name_is_not_repeated_whole_for_each_page(self):
        data = b"<H3>%s</H3><DL>" % (b"x " * 5_000)
        [page] = read_netscape(data + b'<DT><A HREF="https://x.example/">x</A>').pages

        assert [len(tag) for tag in page.tags] == [199]

    def test_a_tag_is_one_line(self):
        data = b'<DT><A HREF="https://x.example/" TAGS="a\n\n# b, \n,c">x</A>'

        assert read_netscape(data).pages[0].tags == ("a # b", "c")

    @pytest.mark.threat("S15")
    def test_no_form_holds_a_password(self):
        page = replace(SAVED, url="https://u:pw@a.example/x")

        for write in (netscape_bookmarks, bookmarks_markdown, bookmarks_json):
            assert "pw" not in str(write([page]))

    def test_only_web_addresses_are_exported(self):
        written = netscape_bookmarks([replace(SAVED, url="javascript:alert(1)")])

        assert b"javascript" not in written

    def test_markdown_is_a_list_by_state(self):
        written = bookmarks_markdown([SAVED, replace(SAVED, state="inbox", title="New [one]")])

        assert written.index("## Inbox") < written.index("## Archive")
        assert "- [New \\[one\\]](<https://a.example/page?x=1&y=2>)" in written
        assert "`two words`" in written

    @pytest.mark.parametrize("text", HOSTILE)
    def test_markdown_links_lead_only_to_the_page(self, text: str):
        page = replace(
            SAVED,
            title=f"{text}](https://evil.example)",
            summary=text,
            tags=(f"a\n\n{text}", "`", " "),
        )
        written = bookmarks_markdown([page])

        assert re.findall(r"(?<!\\)\]\(([^)]*)\)", written) == ["<https://a.example/page?x=1&y=2>"]
        assert len(written.splitlines()) == 5

    def test_json_holds_everything(self):
        found = json.loads(bookmarks_json([replace(SAVED, content="# Text", pinned=True)]))

        assert found["format"] == "feedloom-bookmarks-1"
        assert found["bookmarks"] == [
            {
                "url": SAVED.url,
                "title": SAVED.title,
                "description": "",
                "summary": SAVED.summary,
                "content": "# Text",
                "tags": ["one", "two words"],
                "state": "archive",
                "pinned": True,
                "added_at": "2026-01-02T03:04:05Z",
                "archived_at": None,
            }
        ]

    @pytest.mark.parametrize("text", HOSTILE)
    def test_json_is_valid_for_any_text(self, text: str):
        found = json.loads(bookmarks_json([replace(SAVED, title=text)]))

        assert len(found["bookmarks"]) == 1


class TestExport:
    def test_sections_and_times_are_written(self):
        export = PersonExport(
            exported_at=NOON,
            version="0.1.0",
            profile={"email": "a@example.org", "settings": MappingProxyType({"theme": "dark"})},
            sections={"subscriptions": ({"url": "https://a.example/", "added_at": NOON},)},
        )
        found = json.loads(data_export(export))

        assert found == {
            "format": "feedloom-export-1",
            "version": "0.1.0",
            "exported_at": "2026-03-01T12:00:00Z",
            "profile": {"email": "a@example.org", "settings": {"theme": "dark"}},
            "subscriptions": [{"url": "https://a.example/", "added_at": "2026-03-01T12:00:00Z"}],
        }

    def test_what_has_no_place_in_an_export_is_a_bug(self):
        export = PersonExport(NOON, "1", {"secret": b"bytes"})
        with pytest.raises(TypeError):
            data_export(export)


class TestDigest:
    ARTICLES: ClassVar = {
        n: DigestArticle(n, f"Title [{n}]", "Source", NOON, "", f"https://x.example/{n}")
        for n in (5, 6)
    }

    def test_citations_are_numbered_and_listed(self):
        digest = Digest(
            paragraphs=(
                DigestParagraph((Claim("First.", (6,)), Claim("Then.", (5, 6)))),
                DigestParagraph((Claim("No source.", ()),)),
            ),
            model="m",
            article_count=2,
            note="A note.",
        )

        assert digest_markdown(digest, self.ARTICLES) == (
            "First. \\[1\\] Then. \\[2\\]\\[1\\]\n\nNo source.\n\n*A note.*\n\n"
            "1. [Title \\[6\\]](<https://x.example/6>), Source\n"
            "2. [Title \\[5\\]](<https://x.example/5>), Source\n"
        )

    def test_an_article_that_is_gone_is_not_cited(self):
        digest = Digest((DigestParagraph((Claim("A.", (5, 99)),)),), "m", 1)

        assert digest_markdown(digest, self.ARTICLES).startswith("A. \\[1\\]\n")


class TestInterleave:
    def test_feeds_take_turns(self):
        feeds = {1: ["a1", "a2", "a3", "a4"], 2: ["b1"], 3: ["c1", "c2"]}

        assert interleave(feeds, 6, address=str) == ["a1", "b1", "c1", "a2", "c2", "a3"]

    def test_a_busy_feed_cannot_crowd_out_a_quiet_one(self):
        feeds = {1: [f"a{n}" for n in range(1_000)], 2: ["b1", "b2"]}
        taken = interleave(feeds, 10, address=str)

        assert {"b1", "b2"} <= set(taken)

    def test_the_same_page_is_taken_once_and_costs_no_turn(self):
        feeds = {
            1: ["https://x.example/1", "https://x.example/2"],
            2: ["http://x.example/1/?utm_source=feed", "https://x.example/3"],
        }

        assert interleave(feeds, 10, address=str) == [
            "https://x.example/1",
            "https://x.example/3",
            "https://x.example/2",
        ]

    @pytest.mark.parametrize("limit", [0, -1])
    def test_nothing_is_taken_when_nothing_is_asked_for(self, limit: int):
        assert interleave({1: ["a"]}, limit, address=str) == []

    @given(
        st.dictionaries(st.integers(0, 5), st.lists(st.text(max_size=3), max_size=9)),
        st.integers(0, 30),
    )
    def test_it_is_fair_distinct_and_complete(self, feeds: dict[int, list[str]], limit: int):
        taken = interleave(feeds, limit, address=str)
        every = {text for items in feeds.values() for text in items}

        assert len(taken) == len(set(taken)) == min(limit, len(every))
        assert set(taken) <= every


def test_documents_are_bytes_in_utf_8():
    document = view_feed(CHANNEL, [VIEW], updated_at=NOON, self_url=OWN)

    assert ET.fromstring(document.decode().split("?>", 1)[1]).tag == "rss"
