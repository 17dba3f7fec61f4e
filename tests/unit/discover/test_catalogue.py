"""The shipped directory."""

from collections import Counter

from feedloom.discover import TOPICS, read_directory
from feedloom.model.urls import normalise, url_key

ENTRIES = read_directory()


def test_all_feeds_are_there_once():
    keys = Counter(url_key(entry.feed_url) for entry in ENTRIES)

    assert len(ENTRIES) == 1473
    assert [key for key, count in keys.items() if count > 1] == []


def test_addresses_are_written_in_one_way():
    assert [e.feed_url for e in ENTRIES if normalise(e.feed_url) != e.feed_url] == []
    assert [e.site_url for e in ENTRIES if normalise(e.site_url) != e.site_url] == []


def test_no_address_carries_credentials():
    assert [e.feed_url for e in ENTRIES if "@" in e.feed_url.split("/")[2]] == []


def test_topics_are_a_closed_vocabulary_and_all_of_it_is_used():
    assert {entry.topic for entry in ENTRIES} == set(TOPICS)
    assert list(TOPICS) == sorted(set(TOPICS))


def test_every_entry_says_what_it_is():
    for entry in ENTRIES:
        assert entry.title == entry.title.strip() != ""
        assert 2 <= len(entry.language.partition("-")[0]) <= 3
        assert entry.country is None or (len(entry.country) == 2 and entry.country.isupper())
        assert entry.format in {None, "rss", "atom", "json"}
        assert all(tag == tag.strip().lower() != "" for tag in entry.tags)


def test_reading_again_gives_the_same():
    assert read_directory() == ENTRIES
