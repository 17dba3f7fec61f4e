"""``feedloom subscribe`` and what its answer is good for."""

from pathlib import Path

import pytest

from tests.databases import sqlite_databases
from tests.journeys.cli.commands import Command, commands
from tests.publisher import PublisherThread

ADA, BOB = "ada@example.org", "bob@example.org"


@pytest.fixture
def feedloom(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    return commands(sqlite_databases(tmp_path), str(tmp_path), monkeypatch, capsys)


def test_a_new_subscription_tells_the_feed_that_update_asks_for(feedloom: Command):
    for email in (ADA, BOB):
        words = ("user", "add", email, "--password-stdin")
        feedloom("admin", *words, stdin="correct horse battery\n")
    with PublisherThread() as site:
        shared = site.feed("/a.xml", host="127.46.0.2")
        own = site.feed("/b.xml", host="127.46.0.3")
        for email in (ADA, BOB):
            feedloom("subscribe", shared, "--user", email)
        said = feedloom("subscribe", own, "--user", ADA, "--json").json()
        feedloom("update")
        before = len(site.requests)
        feed_id = str(said["feed_id"])
        updated = feedloom("update", "--feed", feed_id, "--json").json()
        asked = {each.path for each in site.requests[before:]}

    assert (said["id"], said["url"]) == (3, own)
    assert said["feed_id"] != said["id"]
    assert updated["feeds"] == 1
    assert asked == {"/b.xml"}


def test_a_feed_is_paused_and_resumed(feedloom: Command):
    words = ("user", "add", ADA, "--password-stdin")
    feedloom("admin", *words, stdin="correct horse battery\n")
    with PublisherThread() as site:
        url = site.feed("/a.xml")
        feedloom("subscribe", url, "--user", ADA)
        paused = feedloom("pause", url, "--user", ADA)
        before = len(site.requests)
        feedloom("update")
        asked_while_paused = site.requests[before:]
        resumed = feedloom("resume", "1", "--user", ADA)
        feedloom("update")

        assert paused.out.startswith("Paused ")
        assert resumed.out.startswith("Resumed ")
        assert asked_while_paused == []
        assert len(site.requests) > before
    for wrong in (("pause", "9", "--user", ADA), ("pause", url, "--user", BOB)):
        assert feedloom(*wrong).code == 1
