"""A disk that fills up: reads go on, the rest waits, and nothing is half there."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.databases import ENGINES

pytestmark = pytest.mark.threat("D6")

ROOT = Path(__file__).parents[2]
READS = 4


@pytest.mark.faults
@pytest.mark.parametrize("kind", ENGINES)
def test_a_full_disk_stops_only_what_needs_room(kind, scaled, counts):
    episodes = scaled(2, 100)
    ran = subprocess.run(
        [sys.executable, "-m", "tests.faults.lab.full_disk", kind, str(episodes)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=1_150,
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    seen = json.loads(ran.stdout.splitlines()[-1])

    counts(f"full disk on {kind}", episodes=episodes, **seen)
    assert seen["reads"] == {"200": READS * episodes}
    assert seen["writes"] == {"503+": episodes}
    assert seen["refreshes"] == {"waited": episodes}
    assert seen["after"] == {"201": episodes, "stored": episodes}
    assert seen["halves"] == 0
    assert seen["faults"] == []
    assert seen["slowest_s"] < 10
