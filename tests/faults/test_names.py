"""Name servers that lie: no answer of theirs makes us dial a forbidden address."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.faults
@pytest.mark.threat("S1", "S3", "S7", "S8", "S18")
def test_no_answer_of_a_name_server_leads_inside(counts):
    ran = subprocess.run(
        [sys.executable, "-m", "tests.faults.lab.names"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=150,
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    seen = json.loads(ran.stdout.splitlines()[-1])
    outcomes = seen["outcomes"]

    counts(
        "lying name servers",
        names=len(outcomes),
        questions=sum(sum(ends.values()) for ends in outcomes.values()),
        reached=len(seen["reached"]),
        public_reached=seen["public"],
    )
    assert seen["reached"] == {}
    assert set(outcomes["public.example"]) == {"200"}
    assert set(outcomes["mixed.example"]) == {"200"}
    assert set(outcomes["rebind.example"]) == {"200", "BlockedAddress"}
    for name in ("inside.example", "inside-six.example", "many.example"):
        assert set(outcomes[name]) == {"BlockedAddress"}, name
    for name in ("fails.example", "empty.example", "slow.example"):
        assert set(outcomes[name]) <= {"NameNotFound", "Unreachable", "TimedOut"}, name
    assert seen["slowest_s"] < 4
    assert seen["control"][1] > 0, "the lab's own proof: unguarded, it is reached"
