"""Documents made to harm are refused or read in a second, within a little memory."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from feedloom.model.errors import ParseError
from feedloom.model.feed import ParsedFeed
from feedloom.parse import FeedParser, read_opml
from tests.corpus.feeds import NOW, URL
from tests.unit.parse.bombs import BOMBS, LIST_BOMBS, made

MOST_S = 8.0
"""The goal is one second of a quiet machine; this one is shared, perhaps traced."""
MOST_MEMORY = 96 * 1024 * 1024
"""Beside the document itself: the goal of 64 MiB, and what the allocator keeps."""


def parse(body: bytes) -> ParsedFeed:
    async def read() -> ParsedFeed:
        parser = FeedParser(deadline_s=2.0)
        try:
            at_once = parser.parse_at_once(body, url=URL, now=NOW)
            return at_once or await parser.guess(body, url=URL, now=NOW)
        finally:
            await parser.close()

    return asyncio.run(read())


def memory(name: str) -> int:
    """Return a figure of this process in bytes, as the kernel counts it."""
    lines = Path("/proc/self/status").read_text().splitlines()
    figures = dict(line.split(":", 1) for line in lines)
    return int(figures[name].split()[0]) * 1024


def measured(work: Callable[[], object]) -> tuple[float, int]:
    """Return what a piece of work costs: seconds, and bytes at its peak."""
    Path("/proc/self/clear_refs").write_text("5")
    before, started = memory("VmRSS"), time.perf_counter()
    work()
    return time.perf_counter() - started, memory("VmHWM") - before


def outcome(work: Callable[[], object]) -> object:
    try:
        return work()
    except ParseError as error:
        return str(error)


def test_there_are_sixty_kinds():
    assert len(BOMBS) >= 60
    assert len(LIST_BOMBS) >= 10


@pytest.mark.sampled(24)
@pytest.mark.threat("P2", "P4", "P5")
@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_costs_little(name: str):
    body = made(BOMBS, name)
    spent_s, extra = measured(lambda: outcome(lambda: parse(body)))

    assert spent_s < MOST_S
    assert extra < MOST_MEMORY + 6 * len(body)


@pytest.mark.sampled(4)
@pytest.mark.threat("O1")
@pytest.mark.parametrize("name", LIST_BOMBS)
def test_a_bomb_in_a_list_costs_little(name: str):
    body = made(LIST_BOMBS, name)
    spent_s, extra = measured(lambda: outcome(lambda: read_opml(body)))

    assert spent_s < MOST_S
    assert extra < MOST_MEMORY + 6 * len(body)


@pytest.mark.threat("P1")
@pytest.mark.parametrize(
    "name", [name for name in BOMBS if "laughs" in name or name.startswith("entity-")]
)
def test_no_entity_is_expanded_or_fetched(name: str):
    body = made(BOMBS, name)
    found = outcome(lambda: parse(body))

    assert "lollol" not in str(found)
    assert "root:" not in str(found)


@pytest.mark.threat("P5")
@pytest.mark.parametrize("name", ["items", "entries", "empty-items", "items-broken"])
def test_of_too_many_entries_the_first_are_kept_and_it_is_said(name: str):
    parsed = parse(made(BOMBS, name))

    assert isinstance(parsed, ParsedFeed)
    assert parsed.truncated
    assert len(parsed.entries) <= 50
    assert len(parsed.listed_guids) <= 20_000


def test_an_ordinary_damaged_document_is_read():
    damaged = b"<rss><channel><title>x</title><item><title>a</item></channel></rss>"

    assert parse(damaged).title == "x"
