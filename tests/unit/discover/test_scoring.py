"""Scores are sums of named reasons, and the order they give never changes by itself."""

from dataclasses import replace
from datetime import timedelta
from itertools import permutations

import pytest

from feedloom.discover.scores import (
    WEIGHTS,
    Context,
    Validated,
    is_main,
    latest_at,
    rank_all,
    score,
)
from feedloom.model.feed import Format, ParsedEntry, ParsedFeed
from feedloom.model.stages import Candidate, Origin
from tests.unit.discover.making import SITE, entry, feed
from tests.unit.discover.memory_web import NOW

CONTEXT = Context(SITE + "/", SITE + "/", NOW)
FULL = "x" * 600


def found(
    path: str = "/feed",
    *,
    origin: Origin = Origin.HTML,
    of: ParsedFeed | None = None,
    title: str = "",
    rank: int = 0,
) -> Validated:
    url = path if "://" in path else SITE + path
    return Validated(Candidate(url, origin, title, rank=rank), url, of or feed(entry()))


def reasons_of(one: Validated, context: Context = CONTEXT, **rest):
    return dict(score(one, context, **rest)[1])


def test_the_weights_are_those_of_the_design():
    assert dict(WEIGHTS) == {
        "pasted": 60,
        "html": 50,
        "platform": 45,
        "headers": 40,
        "anchor": 20,
        "guess": 10,
        "external": 5,
        "same_site": 15,
        "items_same_site": 10,
        "has_items": 10,
        "of_address": 25,
        "asked_section": 15,
        "whole_site": 10,
        "fresh": 5,
        "full_content": 3,
        "same_language": 3,
        "atom": 1,
        "json": 1,
        "deeper": -1,
        "other_language": -3,
        "later_choice": -6,
        "section": -20,
        "comments": -40,
    }


def test_every_origin_has_a_weight_in_the_order_of_trust():
    weights = [WEIGHTS[origin.value] for origin in Origin]

    assert len(weights) == 7
    assert max(weights) == WEIGHTS[Origin.PASTED.value]
    assert min(weights) == WEIGHTS[Origin.EXTERNAL.value]


def test_a_full_set_of_reasons_adds_up():
    one = found(of=feed(entry(text=FULL), kind=Format.ATOM))

    total, reasons = score(one, CONTEXT)

    assert dict(reasons) == {
        "html": 50,
        "same_site": 15,
        "items_same_site": 10,
        "has_items": 10,
        "fresh": 5,
        "full_content": 3,
        "atom": 1,
        "whole_site": 10,
    }
    assert total == 104


def test_a_bare_feed_has_only_its_origin():
    assert reasons_of(found("/pots", of=feed(site_url=None))) == {"html": 50}


@pytest.mark.parametrize(
    ("site_url", "expected"),
    [
        ("https://www.site.example/blog", True),
        ("http://site.example/", True),
        ("https://other.example/", False),
        ("https://site.example.evil.example/", False),
        ("not an address", False),
        (None, False),
    ],
)
def test_the_site_link_counts_by_registrable_domain(site_url, expected):
    assert ("same_site" in reasons_of(found(of=feed(entry(), site_url=site_url)))) is expected


def test_items_count_when_most_of_them_are_of_the_site():
    away = entry(2, at="https://other.example")
    unlinked = ParsedEntry(guid="x", url=None, title="x")

    assert "items_same_site" in reasons_of(found(of=feed(entry(), unlinked)))
    assert "items_same_site" in reasons_of(found(of=feed(entry(1), entry(3), away)))
    assert "items_same_site" not in reasons_of(found(of=feed(entry(), away)))
    assert "items_same_site" not in reasons_of(found(of=feed(unlinked)))


def test_the_domain_after_a_redirect_counts_too():
    context = Context(SITE + "/", "https://new.example/", NOW)
    one = found(of=feed(entry(at="https://new.example"), site_url="https://new.example/"))

    assert {"same_site", "items_same_site"} <= set(reasons_of(one, context))


@pytest.mark.parametrize(
    ("days", "fresh"), [(0, True), (30, True), (31, False), (-30, False), (None, False)]
)
def test_fresh_is_what_has_news_of_the_last_thirty_days(days, fresh):
    assert ("fresh" in reasons_of(found(of=feed(entry(days=days))))) is fresh


def test_dates_in_the_future_do_not_count_as_latest():
    one = feed(entry(1, days=-400), entry(2, days=7))

    assert latest_at(one, NOW) == NOW - timedelta(days=7)


def test_full_content_needs_half_of_the_entries():
    short = entry(2)

    assert "full_content" in reasons_of(found(of=feed(entry(text=FULL), short)))
    assert "full_content" not in reasons_of(found(of=feed(entry(text=FULL), short, entry(3))))


def test_comments_and_sections_are_pushed_back():
    assert reasons_of(found("/comments/feed"))["comments"] == -40
    assert reasons_of(found("/tag/tea/feed"))["section"] == -20
    assert reasons_of(found(title="Ann » Comments Feed"))["comments"] == -40
    assert reasons_of(found(of=feed(entry(), title="Comments for Ann")))["comments"] == -40


def test_a_section_is_not_pushed_back_when_the_person_asked_for_it():
    context = Context(f"{SITE}/tag/tea/", f"{SITE}/tag/tea/", NOW)

    asked = reasons_of(found("/tag/tea/feed"), context)
    other = reasons_of(found("/tag/pots/feed"), context)

    assert asked["asked_section"] == 15
    assert "section" not in asked
    assert "section" not in other
    assert "asked_section" not in other


def test_asking_for_a_section_does_not_excuse_comments():
    context = Context(f"{SITE}/tag/tea/", f"{SITE}/tag/tea/", NOW)

    assert reasons_of(found("/tag/tea/comments/feed"), context)["comments"] == -40


def test_what_was_pasted_is_never_pushed_back():
    assert "comments" not in reasons_of(found("/comments/feed", origin=Origin.PASTED))
    assert "section" not in reasons_of(found("/tag/tea/feed", origin=Origin.PASTED))


def test_adapters_offer_sections_on_purpose_but_not_comments():
    assert "section" not in reasons_of(found("/search.rss?q=x", origin=Origin.PLATFORM))
    assert "comments" in reasons_of(found("/comments.rss", origin=Origin.PLATFORM))


def test_depth_is_counted_against_the_shallowest_sibling():
    def reasons(path: str, origin: Origin = Origin.ANCHOR):
        return reasons_of(found(path, origin=origin), shallowest=1)

    assert "deeper" not in reasons("/feed")
    assert reasons("/a/b/feed")["deeper"] == -2
    assert reasons("/a" * 30 + "/feed")["deeper"] == -9
    assert "deeper" not in reasons("/a/b/feed", Origin.HTML)


def test_among_equals_the_first_on_the_page_comes_first():
    beer = found("/beer.xml", title="Beer", rank=1)
    food = found("/food-and-drink.xml", title="Food", rank=0)

    assert rank_all([beer, food], CONTEXT)[0].url == food.url


def test_a_feed_of_everything_comes_before_one_of_a_topic():
    own = replace(CONTEXT, own_words=frozenset({"ann"}))
    topic = found("/rss/1.xml", title="Ann: Tea")

    for whole in (
        found("/rss/20.xml", title="Top stories", rank=5),
        found("/rss/20.xml", title="Ann: Alle Meldungen", rank=5),
        found("/rss/20.xml", title="RSS", rank=5, of=feed(entry(), title="Ann")),
        found("/export/public/rss/all.xml", rank=5),
    ):
        assert rank_all([topic, whole], own)[0].url == whole.url
        assert "whole_site" in reasons_of(whole, own)


def test_a_topic_may_hold_a_word_for_everything():
    for label in ("Sports news", "Top 10 beers", "Latest reviews", "World"):
        assert "whole_site" not in reasons_of(found("/rss/20.xml", title=label))


def test_the_format_decides_only_between_feeds_of_one_name():
    main = found("/main.xml", title="News")
    other = feed(entry(), title="Podcast", kind=Format.ATOM)
    podcast = found("/all.xml", of=other, rank=1)

    assert rank_all([podcast, main], CONTEXT)[0].url == main.url


@pytest.mark.parametrize(
    ("feed_language", "page_language", "times"),
    [
        ("de", "de", 0),
        ("de-at", "de", 0),
        ("de-at", "de-ch", 1),
        ("fr", "de", 4),
        ("", "de", 0),
        ("fr", "", 0),
        ("x-default", "de", 0),
    ],
)
def test_another_language_counts_less(feed_language, page_language, times):
    context = replace(CONTEXT, language=page_language)
    one = found()
    one = replace(one, candidate=replace(one.candidate, language=feed_language))

    assert reasons_of(one, context).get("other_language", 0) == -3 * times


def test_later_choices_of_an_adapter_count_less():
    assert "later_choice" not in reasons_of(found(origin=Origin.PLATFORM))
    assert reasons_of(found(origin=Origin.PLATFORM, rank=1))["later_choice"] == -6
    assert reasons_of(found(origin=Origin.PLATFORM, rank=9))["later_choice"] == -18
    assert "later_choice" not in reasons_of(found(rank=3))


def test_an_adapters_first_choice_wins_while_it_has_entries():
    stale, fresh = feed(entry(days=90)), feed(entry(days=1))
    releases = found("/a/b/releases.atom", origin=Origin.PLATFORM, of=stale)
    commits = found("/a/b/commits.atom", origin=Origin.PLATFORM, of=fresh, rank=1)
    empty = found("/a/b/releases.atom", origin=Origin.PLATFORM, of=feed())

    assert rank_all([commits, releases], CONTEXT)[0].url == releases.url
    assert rank_all([commits, empty], CONTEXT)[0].url == commits.url


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (found("/a.xml", of=feed(entry(), kind=Format.ATOM)), found("/b.xml")),
        (found("/a.xml", of=feed(entry(), kind=Format.JSON)), found("/b.xml")),
        (found("/ab.xml"), found("/abc.xml")),
        (found("/a.xml"), found("/b.xml")),
        (found("/a.xml"), found("/x/a.xml")),
        (found("/b.xml", origin=Origin.PASTED, of=feed(site_url=None)), found("/a.xml")),
        (found("/b.xml"), found("/a.xml", origin=Origin.HEADERS)),
    ],
    ids=["atom", "json", "shorter", "alphabet", "shallow", "pasted", "trust"],
)
def test_what_comes_first(better, worse):
    for pair in permutations((better, worse)):
        assert [one.url for one in rank_all(pair, CONTEXT)] == [better.url, worse.url]


def test_the_facts_of_a_feed_are_carried_along():
    entries = [entry(n, days=n) for n in range(1, 9)]
    ranked = rank_all([found(of=feed(*entries, description="Notes"), title="Link")], CONTEXT)

    one = ranked[0]
    assert (one.valid, one.error, one.format) == (True, None, "rss")
    assert (one.title, one.description) == ("Ann's pages", "Notes")
    assert one.latest_at == NOW - timedelta(days=1)
    assert one.sample[0] == ("Entry 1", f"{SITE}/entries/1", NOW - timedelta(days=1))
    assert len(one.sample) == 5


def test_a_feed_without_a_title_is_called_as_its_link():
    ranked = rank_all([found(of=feed(entry(), title=""), title="Link")], CONTEXT)

    assert ranked[0].title == "Link"


@pytest.mark.parametrize(
    ("address", "answers"),
    [
        ("https://friend.example/feed.xml", False),
        ("https://feeds.friend.example/show", True),
        ("https://feeds.megaphone.fm/show", True),
        ("/feed.xml", True),
    ],
)
def test_a_linked_feed_of_another_site_answers_only_where_feeds_are_hosted(address, answers):
    other = "https://friend.example"
    of = feed(entry(at=other), site_url=f"{other}/")

    assert is_main(found(address, origin=Origin.ANCHOR, of=of), CONTEXT) is answers
    assert is_main(found(address, origin=Origin.HTML, of=of), CONTEXT)
