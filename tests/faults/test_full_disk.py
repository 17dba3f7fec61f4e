"""A disk that fills up: reads go on, the rest waits, and nothing is half there."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.databases import ENGINES

pytestmark = pytest.mark.threat("D6")

ROOT = Path(__file__).parents[2]
READS = 4


@pytest.mark.faults
@pytest.mark.parametrize("kind", ENGINES)
def test_a_full_disk_stops_only_what_needs_room(kind, scaled, counts):
    containers, each = scaled(1, 10), scaled(2, 10)
    episodes = containers * each
    # Houses with disks of their own: what stays of an episode would fill a small one.
    found = [full_disk(kind, each) for _ in range(containers)]
    seen: dict[str, Counter[str]] = {
        part: sum((Counter(one[part]) for one in found), Counter())
        for part in ("reads", "writes", "refreshes", "after")
    }
    halves = sum(one["halves"] for one in found)
    faults = [fault for one in found for fault in one["faults"]]
    slowest_s = max(one["slowest_s"] for one in found)

    counts(
        f"full disk on {kind}",
        episodes=episodes,
        **{part: dict(counted) for part, counted in seen.items()},
        halves=halves,
        faults=faults,
        slowest_s=slowest_s,
    )
    assert seen["reads"] == {"200": READS * episodes}
    assert seen["writes"] == {"503+": episodes}
    assert seen["refreshes"] == {"waited": episodes}
    assert seen["after"] == {"201": episodes, "stored": episodes}
    assert (halves, faults) == (0, [])
    assert slowest_s < 10


def full_disk(kind: str, episodes: int) -> dict[str, Any]:
    """Let a house live through some episodes; answer with what was seen."""
    ran = subprocess.run(
        [sys.executable, "-m", "tests.faults.lab.full_disk", kind, str(episodes)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    found: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return found
