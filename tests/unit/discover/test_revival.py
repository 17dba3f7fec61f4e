"""Which feed may stand in for a dead one."""

from dataclasses import replace

import pytest

from feedloom.discover import KnownFeed, is_replacement
from feedloom.model.feed import ParsedEntry
from tests.unit.discover.making import SITE, entry, feed

NEW = f"{SITE}/new.xml"
AWAY = "https://away.example"
OLD = KnownFeed(
    url=f"{SITE}/old.xml",
    title="Ann's pages",
    site_url=f"{SITE}/",
    guids=frozenset({f"{SITE}/entries/1", "17"}),
    urls=frozenset({f"{SITE}/entries/2", f"{SITE}/", "broken address"}),
)


def test_a_known_identifier_proves_it():
    judged = is_replacement(OLD, NEW, feed(entry(1), title="Anything"))

    assert judged == (True, "It has 1 of the known entries.")


def test_a_known_address_proves_it_in_any_spelling():
    moved = ParsedEntry(guid="new", url="http://site.example/entries/2/", title="x")

    assert is_replacement(OLD, NEW, feed(moved, title="Anything")).is_replacement


def test_the_front_page_as_an_address_proves_nothing():
    home = ParsedEntry(guid="new", url=f"{SITE}/", title="x")

    assert not is_replacement(OLD, NEW, feed(home, title="Anything")).is_replacement


def test_a_short_identifier_proves_nothing():
    short = ParsedEntry(guid="17", url=f"{SITE}/elsewhere", title="x")

    assert not is_replacement(OLD, NEW, feed(short, title="Anything")).is_replacement


@pytest.mark.parametrize(
    "title", ["Ann's pages", "ANN\u2019S PAGES", "Ann's Pages - RSS Feed", "The Anns pages"]
)
def test_a_similar_title_on_the_same_site_is_enough(title):
    judged = is_replacement(OLD, NEW, feed(entry(9), title=title))

    assert judged == (True, "It is on the same site and has the same title.")


@pytest.mark.parametrize("title", ["", "RSS Feed", "Buy shoes", "site.example", "Ben's recipes"])
def test_another_title_without_a_known_entry_is_refused(title):
    judged = is_replacement(OLD, NEW, feed(entry(9), title=title))

    assert judged == (False, "Neither its entries nor its title match the old feed.")


def test_a_dead_feed_without_a_title_needs_a_known_entry():
    nameless = KnownFeed(url=OLD.url, title="", guids=OLD.guids)

    assert not is_replacement(nameless, NEW, feed(entry(9), title="")).is_replacement
    assert is_replacement(nameless, NEW, feed(entry(1), title="")).is_replacement


@pytest.mark.parametrize(
    ("title", "description"),
    [
        ("site.example is for sale", "This domain is for sale"),
        ("Ann's pages", "Buy this domain today"),
        ("Parked domain", ""),
    ],
)
def test_a_parked_domain_is_refused_even_with_the_old_name(title, description):
    judged = is_replacement(OLD, NEW, feed(entry(1), title=title, description=description))

    assert judged == (False, "The domain looks parked or for sale.")


def test_entries_that_sell_domains_are_those_of_a_parked_domain():
    sold = ParsedEntry(guid="a", url=f"{SITE}/a", title="HugeDomains: this name")

    assert not is_replacement(OLD, NEW, feed(sold, title=OLD.title)).is_replacement


def test_the_old_title_over_foreign_entries_is_refused():
    judged = is_replacement(OLD, NEW, feed(entry(1, at=AWAY), entry(2, at=AWAY)))

    assert judged == (False, "It has the old title, but its entries link elsewhere.")


def test_the_old_title_without_entries_is_refused():
    assert not is_replacement(OLD, NEW, feed()).is_replacement


def test_another_site_is_refused():
    other = feed(entry(9, at=AWAY), site_url=f"{AWAY}/")

    judged = is_replacement(OLD, f"{AWAY}/feed", other)

    assert judged == (False, "It belongs to another site.")


def test_two_known_entries_prove_a_move_to_another_domain():
    moved = feed(
        ParsedEntry(guid=f"{SITE}/entries/1", url=f"{AWAY}/1", title="x"),
        ParsedEntry(guid="n", url=f"{SITE}/entries/2", title="y"),
        site_url=f"{AWAY}/",
    )
    one = feed(moved.entries[0], site_url=f"{AWAY}/")

    assert is_replacement(OLD, f"{AWAY}/feed", moved).is_replacement
    assert not is_replacement(OLD, f"{AWAY}/feed", one).is_replacement


def test_a_feed_host_in_common_does_not_make_the_same_site():
    hosted = KnownFeed(url="https://feeds.feedburner.com/ann", title="News of the day")
    other = feed(entry(9, at=AWAY), title="News of the day", site_url="no address")

    judged = is_replacement(hosted, "https://feeds.feedburner.com/ben", other)

    assert judged == (False, "It belongs to another site.")


def test_comments_do_not_replace_articles_but_may_replace_comments():
    comments = feed(entry(1), title="Comments for Ann's pages")
    old = KnownFeed(url=f"{SITE}/comments/old.xml", title="Comments for Ann's pages")

    refused = is_replacement(OLD, f"{SITE}/comments/feed", comments)

    assert refused == (False, "It is a comments feed, and the old one was not.")
    assert is_replacement(old, f"{SITE}/comments/feed", comments).is_replacement


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Local News North", "Local News South"),
        ("Radio 1", "Radio 4"),
        ("Python 2 releases", "Python 3 releases"),
        ("Example Blog (English)", "Example Blog (Spanish)"),
        ("Results U19", "Results U17"),
    ],
)
def test_titles_that_each_say_what_the_other_does_not_are_two_feeds(old, new):
    known = replace(OLD, title=old)

    assert not is_replacement(known, NEW, feed(entry(9), title=new)).is_replacement


@pytest.mark.parametrize(
    ("old", "new"),
    [("Café am Rand", "Cafe am Rand"), ("Goodreads", "Good reads"), ("Colour", "Color")],
)
def test_a_title_that_is_only_spelled_differently_is_the_same(old, new):
    known = replace(OLD, title=old)

    assert is_replacement(known, NEW, feed(entry(9), title=new)).is_replacement
