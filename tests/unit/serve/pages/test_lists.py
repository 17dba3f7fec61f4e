"""Lists of feeds, the sidebar's tree, the river's groups, numbers of addresses."""

from dataclasses import replace

import pytest
from starlette.datastructures import FormData, QueryParams
from starlette.requests import Request

from feedloom.model.errors import InvalidInput, NotFound
from feedloom.model.oversight import Signs
from feedloom.model.overviews import FeedLine, Fresh, Sidebar
from feedloom.model.reader import Folder
from feedloom.serve.ids import as_id
from feedloom.serve.pages.appearance import DEFAULT, read_appearance
from feedloom.serve.pages.feeds.actions import check_feed
from feedloom.serve.pages.feeds.dashboard import Query, build_list, read_query
from feedloom.serve.pages.forms import as_items, as_number, field, is_on, read_done
from feedloom.serve.pages.navigation import alarms_of, build_navigation, health_of
from feedloom.serve.pages.reader.river import build_river

LINE = FeedLine(
    id=1,
    feed_id=1,
    title="Blog",
    url="https://blog.example/feed",
    folder_id=1,
    in_root=True,
    retention="archive",
    unread=0,
    favicon_id=None,
    is_mailing_list=False,
    last_fetch_status="success",
    last_fetch_error=None,
    consecutive_failures=0,
    last_attempt_at=None,
)


@pytest.mark.parametrize(
    ("change", "health"),
    [
        ({}, "working"),
        ({"last_fetch_status": None}, "pending"),
        ({"last_fetch_status": "temporary_error", "consecutive_failures": 2}, "shaky"),
        ({"last_fetch_status": "temporary_error", "consecutive_failures": 3}, "broken"),
        ({"last_fetch_status": "permanent_error"}, "broken"),
        ({"last_fetch_status": "unauthorized"}, "broken"),
        ({"is_mailing_list": True}, "quiet"),
        ({"feed_id": None}, "quiet"),
    ],
)
def test_the_health_of_a_feed_is_one_word(change, health):
    assert health_of(replace(LINE, **change)) == health


def test_folders_hold_their_feeds_and_count_what_is_below():
    sidebar = Sidebar(
        feeds=(
            replace(LINE, id=1, unread=1),
            replace(LINE, id=2, in_root=False, folder_id=5, unread=2),
            replace(LINE, id=3, in_root=False, folder_id=6, unread=4),
        ),
        folders=(Folder(5, "Outer", 1), Folder(6, "Inner", 5)),
        tags=(),
        starred=0,
        newest_item=None,
    )

    nav = build_navigation(sidebar)

    (outer,) = nav.folders
    (inner,) = outer.folders
    assert (nav.unread, outer.unread, inner.unread) == (7, 6, 4)
    assert [feed.id for feed in nav.feeds] == [1]
    assert [feed.id for feed in (*outer.feeds, *inner.feeds)] == [2, 3]
    assert not nav.is_empty


def test_pages_of_feeds_are_cut_at_twenty_and_clamped():
    feeds = [replace(LINE, id=n, title=f"Feed {n:02}") for n in range(1, 42)]

    found = build_list(feeds, Query(page=9))

    assert [feed.id for feed in found.feeds] == [41]
    assert (found.current_page, found.total_pages, found.total_items) == (3, 3, 41)


@pytest.mark.parametrize(
    "query", ["page=0", "page=x", "page=1.5", "status=odd", "search=" + "x" * 256]
)
def test_odd_filters_are_refused(query):
    with pytest.raises(InvalidInput, match="Invalid query parameters"):
        read_query(QueryParams(query))


def test_empty_filters_mean_none():
    assert read_query(QueryParams("search=&status=&page=")) == Query()


def test_broken_and_quiet_feeds_come_after_the_last_source():
    broken = replace(LINE, id=2, last_fetch_status="permanent_error")
    more = build_river([LINE, broken], Fresh((), has_more=True), 1)
    last = build_river([LINE, broken], Fresh(()), 1)

    assert (more.sources, more.next_page) == ((), 2)
    assert [source.feed.id for source in last.sources] == [2]
    assert [source.feed.id for source in last.quiet] == [1]


@pytest.mark.parametrize("text", ["", "0", "-1", "x", "1.0", "2147483648", "\uff19", "1 "])
def test_what_is_no_id_is_not_found(text):
    with pytest.raises(NotFound):
        as_id(text)


def test_numbers_are_read_strictly():
    assert as_id("2147483647") == 2**31 - 1
    assert as_number(" 7 ", field="page") == 7
    assert as_items(["1,2", "3", " "]) == (1, 2, 3)
    with pytest.raises(InvalidInput):
        as_items(["1,x"])
    with pytest.raises(InvalidInput):
        as_items([",".join(map(str, range(1, 1_002)))])


@pytest.mark.parametrize(
    ("name", "url", "wrong"),
    [
        ("A", "https://a.example/feed", False),
        ("A", "HTTPS://a.example/feed", False),
        ("", "https://a.example/", True),
        ("A", "https://", True),
        ("A", "https://a b/", True),
        ("A", "mailto:a@example.org", True),
    ],
)
def test_forms_of_feeds_are_checked(name, url, wrong):
    assert bool(check_feed(name, url)) is wrong


def asked(query: str) -> Request:
    return Request({"type": "http", "headers": [], "query_string": query.encode()})


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("did=saved", "Saved."),
        ("did=swept.17.1", "1 article marked as read."),
        ("did=hidden.5", "Dismissed."),
        ("did=out", "You are signed out."),
        ("did=fetching.15.15.0", "Fetching all your feeds."),
        ("did=fetching.9.15.0", "Fetching 9 of 15 feeds; the others were fetched a moment ago."),
        (
            "did=fetching.9.15.2",
            (
                "Fetching 9 of 15 feeds; the others were fetched a moment ago, or failed"
                " and will be retried later."
            ),
        ),
        ("did=fetching.0.15.0", "Nothing to fetch: your feeds were fetched a moment ago."),
        ("did=fetching.0.0.0", "Nothing to fetch: polling is off for all your feeds."),
        ("did=no-feeds", "You have no feeds yet."),
        ("did=digest.7", "You'll get a digest every day at 07:00."),
    ],
)
def test_a_page_says_what_was_done(query, text):
    done = read_done(asked(query))

    assert done is not None
    assert done.text == text


@pytest.mark.parametrize(
    "query",
    [
        "",
        "did=",
        "did=odd",
        "did=swept.x.1",
        "did=hidden.<b>",
        "did=swept.1",
        "did=digest.24",
        "did=fetching.1.2",
    ],
)
def test_no_link_puts_words_on_a_page(query):
    assert read_done(asked(query)) is None


def test_unknown_settings_are_the_default():
    odd = {"theme": "neon", "size": 7, "mark_on_open": "yes", "else": 1}

    assert read_appearance(odd) == DEFAULT
    assert read_appearance({"theme": "dark", "mark_on_open": False}) == replace(
        DEFAULT, theme="dark", mark_on_open=False
    )


def test_fields_of_forms_are_text_or_nothing():
    form = FormData([("a", "1"), ("b", ""), ("c", "off")])

    assert [field(form, name) for name in ("a", "b", "d")] == ["1", "", ""]
    assert [is_on(form, name) for name in "abcd"] == [True, False, False, False]


@pytest.mark.parametrize(
    ("signs", "words"),
    [
        (Signs(1.0, shares_role=False), []),
        (Signs(None, shares_role=False), ["No worker"]),
        (Signs(91.0, shares_role=False), ["No worker"]),
        (Signs(90.0, shares_role=True), ["same PostgreSQL role"]),
        (Signs(None, shares_role=True), ["No worker", "same PostgreSQL role"]),
    ],
)
def test_operators_are_told_what_needs_a_hand(signs, words):
    told = alarms_of(signs)

    assert len(told) == len(words)
    assert all(word in line for word, line in zip(words, told, strict=True))
