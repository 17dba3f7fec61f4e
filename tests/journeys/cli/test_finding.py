"""``feedloom discover`` and ``feedloom directory``, on both engines."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.databases import Databases
from tests.factories_feeds import entries
from tests.journeys.cli.commands import Command, commands
from tests.publisher import Publisher, PublisherThread

LINK = '<link rel="alternate" type="application/rss+xml" href="{}">'


@pytest.fixture
def feedloom(
    engine_url: Databases,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Command:
    monkeypatch.setenv("COLUMNS", "400")
    return commands(engine_url, str(tmp_path), monkeypatch, capsys)


@pytest.fixture
def site() -> Iterator[Publisher]:
    with PublisherThread() as made:
        yield made


def test_candidates_are_printed_with_scores_and_reasons(feedloom: Command, site: Publisher):
    best = site.feed("/feed.xml", entries=entries(3), title="Blog")
    site.feed("/comments.xml", entries=entries(2, 50), title="Comments on Blog")
    home = site.page("/", LINK.format("/feed.xml") + LINK.format("/comments.xml"))

    said = feedloom("discover", home)
    as_json = feedloom("discover", home, "--json").json()

    assert said.code == 0
    assert said.out.splitlines()[-1] == f"Best: {best}"
    assert "html +50" in said.out
    assert "comments -40" in said.out
    assert as_json["canonical"] == best
    assert [one["valid"] for one in as_json["candidates"]] == [True, True]


def test_a_pasted_password_is_not_printed(feedloom: Command, site: Publisher):
    site.feed("/feed.xml", entries=entries(3), title="Blog")
    home = site.page("/", LINK.format("/feed.xml"))
    nothing = site.page("/nothing", "<title>Nothing</title>")

    said = [
        feedloom("discover", address.replace("//", "//ann:geheim@"), *more)
        for address in (home, f"{home}feed.xml", nothing)
        for more in ((), ("--json",))
    ]

    assert [one.code for one in said[:4]] == [0, 0, 0, 0]
    assert not any("geheim" in one.out + one.err for one in said)


def test_nothing_found_says_what_was_tried_and_fails(feedloom: Command, site: Publisher):
    home = site.page("/", "<title>Nothing</title>")

    said = feedloom("discover", home)
    garbage = feedloom("discover", "not an address at all")

    assert said.code == garbage.code == 1
    assert f"No feed was found at {home}" in said.err
    assert f"{site.url('/feed')}  HTTP status 404." in said.err
    assert "Traceback" not in garbage.err


def test_the_directory_is_seeded_once_and_searched(feedloom: Command):
    empty = feedloom("directory", "search", "python")
    first = feedloom("directory", "seed")
    again = feedloom("directory", "seed")
    found = feedloom("directory", "search", "python", "--limit", "3", "--json").json()
    german = feedloom("directory", "search", "--language", "de", "--json").json()

    assert "feedloom directory seed" in empty.out + empty.err
    assert (first.out.strip(), again.out.strip()) == ("Added 1473 feeds.", "Added 0 feeds.")
    assert [feed["title"] for feed in found][:2] == ["Python Insider", "Python Podcast"]
    assert {feed["language"] for feed in german} == {"de"}
    assert len(german) == 20
