"""The page about apps: the tests it names for each function are there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
_NAMED = re.compile(r"`(test_\w+)`")
_DEFINED = re.compile(r"^(?:async )?def (test_\w+)", re.MULTILINE)


def test_every_test_named_for_a_function_of_a_protocol_exists():
    page = (ROOT / "docs" / "clients.md").read_text("utf-8")
    named = set(_NAMED.findall(page))
    folder = ROOT / "tests" / "journeys" / "sync"
    defined = {
        name
        for path in folder.rglob("test_*.py")
        for name in _DEFINED.findall(path.read_text("utf-8"))
    }

    assert len(named) > 30
    assert named - defined == set()
