"""The benchmarks as a command: a failing one is reported and the others run."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench.__main__ import BENCHES, run_apart

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", BENCHES)
def test_a_benchmark_can_be_run_and_says_how_it_measures(name):
    # It is read, not imported: its peers are only there for `make bench`.
    module = ast.parse((ROOT / "bench" / f"{name}.py").read_text())

    assert "run" in {n.name for n in module.body if isinstance(n, ast.FunctionDef)}
    assert len((ast.get_docstring(module) or "").split()) > 20


def test_a_failing_benchmark_is_kept_as_failed(tmp_path: Path):
    succeeded = run_apart("tables", quick=True, results=tmp_path)

    assert not succeeded
    kept = json.loads((tmp_path / "quick" / "tables.json").read_text())
    assert "has no attribute 'run'" in kept["failed"]
    assert "tables" not in kept


def test_an_unknown_benchmark_is_refused_with_the_names_there_are():
    done = subprocess.run(
        [sys.executable, "-m", "bench", "nonsense"],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
    )

    assert done.returncode == 2
    assert "there is no benchmark 'nonsense'" in done.stderr
    assert "parsing" in done.stderr
