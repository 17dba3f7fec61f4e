"""What a run counted, and how far it is: both for people at the terminal.

``counts("queue", kills=40)`` prints one line in the summary at the end of the run, also
from the processes of a parallel one. ``progress("queue", 10, 40)`` tells in the long
form how far a test is; in the short form it says nothing.
"""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pytest

Counts = Callable[..., None]
Progress = Callable[[str, int, int], None]

_NAME = "counts"
_EVERY_S = 10.0


@pytest.fixture
def counts(
    record_property: Callable[[str, object], None], request: pytest.FixtureRequest
) -> Counts:
    """Hand out what notes numbers for the end of the run."""

    def note(part: str, **numbers: object) -> None:
        said = " ".join(f"{name}={_written(value)}" for name, value in numbers.items())
        record_property(_NAME, f"{part}: {said}")

    return note


@pytest.fixture
def progress(pytestconfig: pytest.Config) -> Progress:
    """Hand out what tells how far a long test is, at most every ten seconds."""
    reporter = pytestconfig.pluginmanager.get_plugin("terminalreporter")
    is_long = "LONG_TESTS" in os.environ
    last = [time.monotonic()]

    def tell(part: str, done: int, of: int) -> None:
        now = time.monotonic()
        if not is_long or reporter is None or now - last[0] < _EVERY_S:
            return
        last[0] = now
        with _uncaptured(pytestconfig):
            reporter.write_line(f"  {part}: {done:,} of {of:,}")

    return tell


def lines(reports: Iterator[Any]) -> list[str]:
    """Collect what the tests of a run noted."""
    return sorted(
        str(value)
        for report in reports
        for name, value in getattr(report, "user_properties", ())
        if name == _NAME and report.when == "call"
    )


def _written(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.2f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _uncaptured(config: pytest.Config) -> AbstractContextManager[None]:
    capturing = config.pluginmanager.get_plugin("capturemanager")
    if capturing is None:
        return nullcontext()
    held: AbstractContextManager[None] = capturing.global_and_fixture_disabled()
    return held
