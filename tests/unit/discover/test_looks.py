"""What addresses and titles look like."""

import pytest

from feedloom.discover.looks import Kind, asked_kind, depth_of, is_within, kind_of, looks_like_feed

SITE = "https://site.example"


@pytest.mark.parametrize(
    ("path", "title", "kind"),
    [
        ("/feed", "", Kind.MAIN),
        ("/tags.atom", "", Kind.MAIN),
        ("/author.xml", "", Kind.MAIN),
        ("/feed", "No Comment", Kind.MAIN),
        ("/feed", "Ann » Feed", Kind.MAIN),
        ("/comments/feed/", "", Kind.COMMENTS),
        ("/feed/comments/", "", Kind.COMMENTS),
        ("/comments.xml", "", Kind.COMMENTS),
        ("/comments-rss2", "", Kind.COMMENTS),
        ("/?feed=comments-rss2", "", Kind.COMMENTS),
        ("/feeds/17/comments/default", "", Kind.COMMENTS),
        ("/category/tea/comments/feed", "", Kind.COMMENTS),
        ("/a/feed", "Comments on: A walk", Kind.COMMENTS),
        ("/a/feed", "Kommentare zu: Ein Weg", Kind.COMMENTS),
        ("/a/feed", "コメント", Kind.COMMENTS),
        ("/category/tea/feed", "", Kind.SECTION),
        ("/tag/tea/feed/", "", Kind.SECTION),
        ("/tags/tea.xml", "", Kind.SECTION),
        ("/feeds/tag/tea", "", Kind.SECTION),
        ("/author/ann/rss", "", Kind.SECTION),
        ("/search.rss?q=tea", "", Kind.SECTION),
        ("/search/tea/feed/rss2/", "", Kind.SECTION),
        ("/?feed=rss2&cat=3", "", Kind.SECTION),
        ("/x.xml", "Ann » Tea Category Feed", Kind.SECTION),
        ("/x.xml", "Search Results for tea", Kind.SECTION),
    ],
)
def test_which_part_of_a_site_a_feed_covers(path, title, kind):
    assert kind_of(SITE + path, title) is kind


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", Kind.MAIN),
        ("/category/tea/", Kind.SECTION),
        ("/a-walk/comments/", Kind.COMMENTS),
        ("/r/books/comments/1abc/which_one/", Kind.MAIN),
    ],
)
def test_which_part_a_person_asks_for(path, kind):
    assert asked_kind(SITE + path) is kind


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/feed", True),
        ("/rss/", True),
        ("/x.atom", True),
        ("/index.xml", True),
        ("/feeds/posts/default", True),
        ("/feed.json", True),
        ("/?format=feed&type=rss", True),
        ("/?rss", True),
        ("/", False),
        ("/sitemap_index.xml", False),
        ("/news-sitemap.xml", False),
        ("/rsd.xml", False),
        ("/feeding-cats", False),
        ("/posts.json", False),
        ("/?type=page", False),
    ],
)
def test_addresses_spelled_like_feeds(path, expected):
    assert looks_like_feed(SITE + path) is expected


@pytest.mark.parametrize(
    ("feed", "section", "expected"),
    [
        ("/category/tea/feed/", "/category/tea/", True),
        ("/feed/category/tea", "/category/tea", True),
        ("/tags/tea.xml", "/tags/tea.html", True),
        ("/search/tea/feed", "/?s=tea", True),
        ("/?feed=rss2&cat=3", "/?cat=3", True),
        ("/category/coffee/feed/", "/category/tea/", False),
        ("/?feed=rss2&cat=4", "/?cat=3", False),
        ("/feed", "/", False),
    ],
)
def test_feeds_within_a_section(feed, section, expected):
    assert is_within(SITE + feed, SITE + section) is expected


def test_a_feed_of_another_host_is_not_within():
    assert not is_within("https://other.example/tag/tea/feed", f"{SITE}/tag/tea/")


@pytest.mark.parametrize(("path", "depth"), [("/", 0), ("/a", 1), ("/a/", 1), ("/a//b/c?d/e", 3)])
def test_depth_counts_segments(path, depth):
    assert depth_of(SITE + path) == depth
