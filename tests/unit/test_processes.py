"""How Python itself is set for a program that runs for long."""

import gc
import subprocess
import sys
from collections.abc import Iterator

import pytest

from feedloom.processes import tune_interpreter


@pytest.fixture(autouse=True)
def settled() -> Iterator[None]:
    thresholds, turn_s = gc.get_threshold(), sys.getswitchinterval()
    tune_interpreter()
    yield
    # What is frozen stays it: else the tests that follow look through all of the suite.
    gc.set_threshold(*thresholds)
    sys.setswitchinterval(turn_s)


def test_what_is_there_is_passed_over_and_what_comes_later_is_not():
    passed_over = gc.get_freeze_count()
    later: list[list[int]] = [[] for _ in range(1_000)]
    looked_through = len(gc.get_objects())

    assert passed_over > 10_000
    assert len(later) <= looked_through < passed_over


def test_cycles_are_looked_for_seldom_and_threads_take_turns_often():
    assert gc.get_threshold()[0] > 700
    assert sys.getswitchinterval() < 0.001


@pytest.mark.threat("W13")
def test_a_process_takes_as_many_open_files_as_it_may_have():
    code = """
import resource
from feedloom.processes import open_files
limit = resource.RLIMIT_NOFILE
resource.setrlimit(limit, (64, 900))
print(open_files(), *resource.getrlimit(limit))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["900", "900", "900"]


@pytest.mark.threat("W13")
def test_with_few_open_files_fewer_feeds_are_fetched_and_fewer_callers_kept():
    code = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))
from feedloom.config import Settings
from feedloom.factories import feed_connections
from feedloom.serve.middleware.server import most_connections
print(feed_connections(Settings()), most_connections())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["25", "50"]
