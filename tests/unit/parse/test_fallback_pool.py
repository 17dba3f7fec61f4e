"""The fallback's processes: started late, killed in time, replaced, closed."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from feedloom.model.errors import NotAFeed, ParseError
from feedloom.model.feed import Format
from feedloom.parse import FallbackPool, FeedParser
from tests.corpus.feeds import NOW, URL
from tests.corpus.feeds.pieces import item, rss

DOUBTFUL = rss(item("<title>Another</title>", description="<p>One<br>two")).encode()


def read(pool: FallbackPool, body: bytes = DOUBTFUL) -> str:
    found = pool.read(body, url=URL, content_type="", now=NOW)
    return found.entries[0].title


@pytest.fixture
def pool() -> Iterator[FallbackPool]:
    with FallbackPool() as pool:
        yield pool


def pids(pool: FallbackPool) -> set[int]:
    return {child.pid for child in pool._all}


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in {"Z", "X"}


def test_no_process_is_started_before_it_is_needed(pool: FallbackPool):
    assert pids(pool) == set()


def test_a_doubtful_document_is_read_and_marked_as_slow(pool: FallbackPool):
    found = pool.read(DOUBTFUL, url=URL, content_type="", now=NOW)

    assert found.format is Format.RSS
    assert found.title == "The feed"
    assert found.entries[0].guid == "https://example.org/1"
    assert not found.fast


def test_one_process_serves_many_documents(pool: FallbackPool):
    read(pool)
    first = pids(pool)
    for _ in range(20):
        read(pool)

    assert pids(pool) == first
    assert len(first) == 1


def test_a_document_that_is_no_feed_is_told_apart_from_a_damaged_one(
    pool: FallbackPool,
):
    with pytest.raises(NotAFeed) as other:
        read(pool, b"<note><to>x</to></note>")
    with pytest.raises(ParseError) as damaged:
        read(pool, b"<rss><channel></rss>")

    assert other.value.kind == "xml"
    assert not isinstance(damaged.value, NotAFeed)


@pytest.mark.threat("P8", "P13")
def test_a_process_that_takes_too_long_is_killed_and_replaced():
    long = rss(item("<title>B</title>" + "".join(f"<t{n}/>" for n in range(15_000))))
    with FallbackPool(deadline_s=0.02) as pool:
        with pytest.raises(ParseError, match="too complicated"):
            read(pool, long.encode())
        killed = pids(pool)
        with pytest.raises(ParseError, match="too complicated"):
            read(pool, long.encode())

        assert pids(pool) != killed
        assert not any(map(is_running, killed))


def test_starting_a_process_does_not_count_as_reading():
    with FallbackPool(deadline_s=0.5) as pool:
        first = read(pool)

        assert first == read(pool)


def test_a_process_that_died_while_idle_costs_no_document(pool: FallbackPool):
    read(pool)
    (victim,) = pids(pool)
    os.kill(victim, signal.SIGKILL)
    while is_running(victim):
        time.sleep(0.01)

    assert read(pool)
    assert pids(pool) != {victim}


def test_a_process_without_memory_says_so_and_is_replaced():
    with FallbackPool(memory_bytes=80 * 1024 * 1024) as pool:
        words = "&lt;b>x&amp;amp;" * 140_000
        large = rss(item("<title>Another</title>", description=words))
        with pytest.raises(ParseError, match=r"memory|complicated"):
            read(pool, large.encode())

        assert read(pool)


def test_a_process_that_cannot_even_start_is_a_failure_not_a_hang():
    with FallbackPool(memory_bytes=1024) as pool, pytest.raises(ParseError):
        read(pool)


def test_several_threads_share_the_processes():
    with FallbackPool(children=2) as pool:
        read(pool)
        titles: list[str] = []
        threads = [
            threading.Thread(
                target=lambda n=n: titles.append(
                    read(pool, DOUBTFUL.replace(b"A title", f"T{n}".encode()))
                )
            )
            for n in range(12)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert len(titles) == 12
        assert len(pids(pool)) <= 2


def test_closing_ends_every_process():
    pool = FallbackPool()
    read(pool)
    (pid,) = pids(pool)
    pool.close()

    assert not is_running(pid)


def test_closing_twice_or_unused_is_fine():
    pool = FallbackPool()
    pool.close()
    pool.close()

    with pytest.raises(RuntimeError, match="closed"):
        read(pool)


def test_closing_does_not_wait_for_a_busy_process():
    pool = FallbackPool(deadline_s=30)
    read(pool)
    (pid,) = pids(pool)
    os.kill(pid, signal.SIGSTOP)
    errors: list[Exception] = []

    def work() -> None:
        try:
            read(pool)
        except (ParseError, RuntimeError) as error:
            errors.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    while not next(iter(pool._all))._busy:
        time.sleep(0.01)
    pool.close()
    thread.join(10)

    assert not thread.is_alive()
    assert not is_running(pid)
    assert len(errors) == 1


def test_a_child_ends_when_its_parent_is_gone(pool: FallbackPool):
    read(pool)
    child = next(iter(pool._all))
    assert child._process.stdin is not None
    child._process.stdin.close()
    child._process.wait(5)

    assert child._process.returncode == 0


@pytest.mark.threat("P13")
def test_a_child_inherits_no_secrets(pool: FallbackPool):
    read(pool)
    (pid,) = pids(pool)
    environment = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    names = {each.partition(b"=")[0] for each in environment if each}

    assert names <= {b"PYTHONPATH", b"PYTHONUTF8", b"LC_CTYPE"}


@pytest.mark.threat("P13")
def test_a_child_is_bound_in_memory_and_can_write_no_file(pool: FallbackPool):
    read(pool)
    (pid,) = pids(pool)
    limits = Path(f"/proc/{pid}/limits").read_text()
    rows = {line[:26].strip(): line[26:].split()[0] for line in limits.splitlines()}

    assert rows["Max address space"] == str(256 * 1024 * 1024)
    assert rows["Max file size"] == "0"
    assert rows["Max core file size"] == "0"


def test_what_was_cut_for_the_fallback_is_marked_as_truncated(pool: FallbackPool):
    many = "".join(f"<item><guid>g{n}</guid><br></item>" for n in range(3000))
    found = pool.read(rss(many).encode(), url=URL, content_type="", now=NOW)

    assert found.truncated
    assert len(found.listed_guids) == 2000


def test_a_feed_parser_owns_and_closes_its_pool():
    parser = FeedParser()
    found = parser.parse(DOUBTFUL, url=URL, now=NOW)
    (pid,) = pids(parser._fallback)
    parser.close()

    assert not found.fast
    assert not is_running(pid)


def test_a_feed_parser_reads_ordinary_documents_without_any_process():
    parser = FeedParser()
    found = parser.parse(rss(item()).encode(), url=URL, now=NOW)

    assert found.fast
    assert pids(parser._fallback) == set()
    parser.close()
