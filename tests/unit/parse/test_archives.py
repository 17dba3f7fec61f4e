"""Whole feeds of everyday kinds: never slow, and identical by both paths."""

import pytest

from feedloom.parse.guesses import read_guessing
from feedloom.parse.parser import read_fast
from tests.corpus.feeds import NOW, URL
from tests.corpus.feeds.archives import KINDS, archive
from tests.unit.parse.looking import differences

LEAST_IDENTICAL = 0.995


@pytest.mark.parametrize("kind", KINDS)
def test_an_archive_is_read_by_the_fast_path(kind: str):
    parsed = read_fast(archive(kind, 60), url=URL, now=NOW)

    assert len(parsed.entries) == 50
    assert len(parsed.listed_guids) == 60
    assert parsed.truncated
    assert parsed.title == "The village paper"
    assert parsed.language == "en-GB"
    assert all(entry.title and entry.url for entry in parsed.entries)
    assert all(entry.published_at for entry in parsed.entries)
    assert all(entry.content_html for entry in parsed.entries)


@pytest.mark.parametrize("kind", KINDS)
def test_entries_are_newest_first(kind: str):
    parsed = read_fast(archive(kind, 60), url=URL, now=NOW)
    dates = [entry.published_at for entry in parsed.entries if entry.published_at]

    assert dates == sorted(dates, reverse=True)


def test_both_paths_read_nearly_all_entries_alike():
    total = different = 0
    found: set[str] = set()
    for seed in range(4):
        for kind in KINDS:
            body = archive(kind, 12, size=1_500, seed=seed)
            ours = read_fast(body, url=URL, now=NOW)
            theirs = read_guessing(body, url=URL, content_type="", now=NOW)
            total += len(ours.entries)
            found |= (unequal := differences(ours, theirs))
            different += len(ours.entries) if unequal else 0

    assert total >= 200
    assert 1 - different / total >= LEAST_IDENTICAL, found
