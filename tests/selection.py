"""What `make test` leaves to `make test-all`.

In: the collected tests. Out: the short form, and how many tests it leaves out, for the
end of the run. Never: a test function that loses all its cases without a marker.

- A test that a fixture runs on both engines runs on SQLite, and on PostgreSQL too in
  ``tests/contract`` and where it is marked ``both_engines``.
- Of the cases of a test marked ``sampled(n)``, n run, evenly spread.
- A test marked ``long`` waits for `make test-all`.
- A test that is named by its whole id always runs.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

MARKERS = (
    "both_engines: engine differences matter; `make test` runs it on PostgreSQL too",
    "second_engine: the PostgreSQL run of a test (set by fixtures, not by hand)",
    "sampled(n): of the generated cases, `make test` runs n, evenly spread",
    "long: only `make test-all` runs it",
)
LEFT = pytest.StashKey[Counter[str]]()


def add_option(parser: pytest.Parser) -> None:
    parser.addoption("--all", action="store_true", help="run what `make test` leaves out, too")


def select(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Reduce ``items`` to the short form."""
    left = config.stash.setdefault(LEFT, Counter())
    named = {_absolute(config.invocation_params.dir, arg) for arg in config.args}
    reasons = {
        item: reason
        for item, reason in _reasons(items)
        if _absolute(config.rootpath, item.nodeid) not in named
    }
    left.update(reasons.values())
    items[:] = [item for item in items if item not in reasons]
    config.hook.pytest_deselected(items=list(reasons))


def report(left: Counter[str]) -> str:
    """Say how many tests the short form left out, and why."""
    parts = ", ".join(f"{reason} {count:,}" for reason, count in sorted(left.items()))
    return f"left to `make test-all`: {left.total():,} tests ({parts})"


def _absolute(folder: Path, node_id: str) -> str:
    file, _, rest = node_id.partition("::")
    return f"{folder / file}::{rest}"


def _reasons(items: list[pytest.Item]) -> Iterator[tuple[pytest.Item, str]]:
    families: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("long"):
            yield item, "long"
        elif item.get_closest_marker("second_engine") and not _needs_both(item):
            yield item, "second engine"
        elif item.get_closest_marker("sampled"):
            families[item.nodeid.partition("[")[0]].append(item)
    for family in families.values():
        kept = _spread(family)
        yield from ((item, "sampled") for item in family if item not in kept)


def _needs_both(item: pytest.Item) -> bool:
    is_contract = "contract" in item.path.parts
    return is_contract or item.get_closest_marker("both_engines") is not None


def _spread(family: list[pytest.Item]) -> set[pytest.Item]:
    marker = family[0].get_closest_marker("sampled")
    assert marker is not None
    (wanted,) = marker.args
    # Tests arrive in random order, and that must not choose other cases.
    ordered = sorted(family, key=_position)
    last, steps = len(ordered) - 1, max(1, wanted - 1)
    return {ordered[min(last, step * last // steps)] for step in range(wanted)}


def _position(item: pytest.Item) -> tuple[int, ...]:
    """Tell where the case stands among the parameters as they are written."""
    assert isinstance(item, pytest.Function)
    return tuple(item.callspec.indices.values())
