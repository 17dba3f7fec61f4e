"""Mutated documents without number: no crash, no hang, no hoard of memory."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

pytestmark = pytest.mark.threat("P16")

ROOT = Path(__file__).parents[2]
SIDES = 2
"""Processes at once, each with documents of its own."""


@pytest.mark.faults
@pytest.mark.parametrize(
    ("how", "few", "many"),
    [("fast", 600, 1_000_000), ("fallback", 60, 50_000), ("lists", 200, 100_000)],
)
def test_no_damage_to_documents_breaks_a_parser(how, few, many, scaled, counts):
    total = scaled(few, many)
    share = -(-total // SIDES)
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.faults.lab.fuzzing", how, str(share), start],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for start in (str(side * 100_000_000) for side in range(SIDES))
    ]
    outputs = [process.communicate(timeout=1_150) for process in running]
    assert [p.returncode for p in running] == [0] * SIDES, outputs
    found = [json.loads(output) for output, _ in outputs]
    ended: Counter[str] = Counter()
    for one in found:
        ended.update(one["ended"])
    slowest_s = max(one["slowest_s"] for one in found)
    memory_mb = max(one["memory_mb"] for one in found)

    counts(
        f"mutated documents ({how})",
        documents=sum(one["documents"] for one in found),
        ended=dict(ended),
        crashes=0,
        slowest_s=slowest_s,
        memory_mb=memory_mb,
        grown_mb=max(one["grown_mb"] for one in found),
    )
    assert sum(ended.values()) >= total
    assert slowest_s < 2
    assert memory_mb < 256
