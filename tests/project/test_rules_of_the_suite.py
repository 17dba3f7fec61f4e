"""The suite's own rules hold: no skip, no warning and no way out goes unnoticed."""

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

ROOT = Path(__file__).parents[2]

PLANTED = {
    "skip": "import pytest\n@pytest.mark.skip\ndef test_it(): ...",
    "skip_inside": "import pytest\ndef test_it(): pytest.skip('later')",
    "skip_at_import": "import pytest\npytest.skip('all', allow_module_level=True)",
    "importorskip": "import pytest\npytest.importorskip('absent')\ndef test_it(): ...",
    "warning": "import warnings\ndef test_it(): warnings.warn('loose')",
    "way_out": (
        "import socket\ndef test_it(): socket.create_connection(('192.0.2.1', 80), 1)"
    ),
    "unknown_marker": "import pytest\n@pytest.mark.slow\ndef test_it(): ...",
    "unexpected_pass": "import pytest\n@pytest.mark.xfail\ndef test_it(): ...",
    "leaked_socket": (
        "import gc, socket\ndef test_it():\n    socket.socket()\n    gc.collect()\n"
    ),
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


def test_a_plain_test_passes(verdicts: dict[str, set[str]]):
    assert verdicts["plain"] == set()
