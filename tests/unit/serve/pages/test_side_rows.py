"""Rows of the sidebar are kept between pages; what they show is always current."""

from dataclasses import replace

from selectolax.lexbor import LexborHTMLParser, LexborNode

from feedloom.serve.pages.navigation import NavFeed
from feedloom.serve.pages.renderer import side_rows

FEED = NavFeed(id=7, title="Blog", unread=2, health="working", favicon_id=None)


def row(feed: NavFeed, here: str = "/", key: bytes = b"key") -> LexborHTMLParser:
    return LexborHTMLParser(str(side_rows(key, [feed], here)))


def one(page: LexborHTMLParser, selector: str) -> LexborNode:
    found = page.css_first(selector)
    assert found is not None, selector
    return found


def test_a_count_that_changed_is_shown_at_once():
    before, after = row(FEED), row(replace(FEED, unread=3))
    none = row(replace(FEED, unread=0))

    counts = [one(each, ".count").text() for each in (before, after, none)]

    assert counts == ["2", "3", ""]


def test_only_the_page_one_is_on_is_marked():
    marked = {
        here: row(FEED, here).css_matches("[aria-current=page]")
        for here in ("/read/feed/7", "/read/feed/70", "/read/all", "7")
    }

    assert marked == {"/read/feed/7": True, "/read/feed/70": False, "/read/all": False, "7": False}


def test_icons_are_signed_with_the_key_of_this_installation():
    iconic = replace(FEED, favicon_id=5)

    ours, theirs = (one(row(iconic, key=key), "img").attributes["src"] for key in (b"a", b"b"))

    assert ours != theirs


def test_titles_are_text():
    title = '<img src=x onerror="x">&amp;'

    shown = row(replace(FEED, title=title))

    assert one(shown, ".nav-text").text() == title
    assert shown.css_first(".nav-text img") is None


def test_a_feed_that_fails_has_a_dot_with_words():
    dot = one(row(replace(FEED, health="broken")), ".dot-broken")

    assert dot.attributes["aria-label"] == "Broken"
