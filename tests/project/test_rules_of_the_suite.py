"""The suite's own rules hold: no skip, no warning and no way out goes unnoticed."""

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

ROOT = Path(__file__).parents[2]
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")

PLANTED = {
    "skip": "import pytest\n@pytest.mark.skip\ndef test_it(): ...",
    "skip_inside": "import pytest\ndef test_it(): pytest.skip('later')",
    "skip_at_import": "import pytest\npytest.skip('all', allow_module_level=True)",
    "importorskip": "import pytest\npytest.importorskip('absent')\ndef test_it(): ...",
    "warning": "import warnings\ndef test_it(): warnings.warn('loose')",
    "way_out": ("import socket\ndef test_it(): socket.create_connection(('192.0.2.1', 80), 1)"),
    "unknown_marker": "import pytest\n@pytest.mark.slow\ndef test_it(): ...",
    "unexpected_pass": "import pytest\n@pytest.mark.xfail\ndef test_it(): ...",
    "leaked_socket": ("import gc, socket\ndef test_it():\n    socket.socket()\n    gc.collect()\n"),
}


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """Run all planted tests under this suite's rules, in a process of their own."""
    folder = tmp_path_factory.mktemp("planted")
    for name, body in PLANTED.items():
        (folder / f"test_{name}.py").write_text(body)
    (folder / "test_plain.py").write_text("def test_it(clock): assert clock.now()")
    report = folder / "report.xml"
    command = [
        *(sys.executable, "-m", "pytest", "-p", "tests.conftest", "-p", "no:xdist"),
        *("-c", "pyproject.toml", "--rootdir", str(folder), "-p", "no:cacheprovider"),
        *("--continue-on-collection-errors", f"--junitxml={report}", str(folder)),
    ]
    subprocess.run(command, cwd=ROOT, check=False, capture_output=True)
    found: dict[str, set[str]] = {}
    for case in ET.parse(report).getroot().iter("testcase"):
        name = str(case.get("classname") or case.get("name")).removeprefix("test_")
        found.setdefault(name, set()).update(child.tag for child in case)
    return found


@pytest.mark.parametrize("name", PLANTED)
def test_planted_offences_fail(verdicts: dict[str, set[str]], name: str):
    assert verdicts[name] & {"failure", "error"}


SHORT_FORM = {
    "journeys/test_engines.py": """
import pytest
pytestmark = pytest.mark.usefixtures("empty_engine_url")
def test_either(): ...
@pytest.mark.both_engines
def test_both(): ...
""",
    "contract/test_store.py": "def test_store(empty_engine_url): ...",
    "test_families.py": """
import pytest
@pytest.mark.sampled(3)
@pytest.mark.parametrize("n", range(500))
def test_family(n): ...
@pytest.mark.sampled(3)
@pytest.mark.parametrize("n", range(2))
def test_small_family(n): ...
@pytest.mark.long
def test_night(): ...
""",
}


def _outcome(folder: Path, *options: str) -> str:
    for name, body in SHORT_FORM.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(body)
    command = [
        *(sys.executable, "-m", "pytest", "-p", "tests.conftest", "--collect-only"),
        *("-c", "pyproject.toml", "--rootdir", str(folder), "-p", "no:cacheprovider"),
        *("-q", str(folder), *options),
    ]
    environment = {k: v for k, v in os.environ.items() if k != "LONG_TESTS"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, check=False, capture_output=True, text=True
    )
    return done.stdout


def test_the_short_form_says_what_it_leaves_out(tmp_path: Path):
    said = _outcome(tmp_path)

    ids = [line.partition("::")[2] for line in said.splitlines() if "::" in line]
    assert sorted(ids) == [
        "test_both[postgresql]",
        "test_both[sqlite]",
        "test_either[sqlite]",
        "test_family[0]",
        "test_family[249]",
        "test_family[499]",
        "test_small_family[0]",
        "test_small_family[1]",
        "test_store[postgresql]",
        "test_store[sqlite]",
    ]
    assert "left to `make test-all`: 499 tests (long 1, sampled 497, second engine 1)" in said


def test_a_test_named_by_its_id_always_runs(tmp_path: Path):
    said = _outcome(tmp_path, f"{tmp_path}/test_families.py::test_night")

    assert "::test_night" in said


def test_the_whole_suite_leaves_nothing_out(tmp_path: Path):
    said = _outcome(tmp_path, "--all")

    assert said.count("::test_family[") == 500
    assert "::test_night" in said
    assert "test_either[postgresql]" in said
    assert "left to" not in said


@pytest.mark.parametrize("target", ["test-all", "faults", "coverage"])
def test_the_long_targets_leave_nothing_out(target: str):
    recipe = re.search(rf"^{target}:.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)

    assert recipe is not None
    assert "LONG_TESTS=1" in recipe[1] or "--all" in recipe[1]


def test_a_plain_test_passes(verdicts: dict[str, set[str]]):
    assert verdicts["plain"] == set()
