"""Nothing lies around that nothing uses, and the finder of such things finds them."""

from pathlib import Path

import pytest

from tests.project.test_texts import ROOT
from tools import find_unused

PLANTED = {
    "rooms.py": (
        "def used(): return used_too()\n"
        "def used_too(): return Kept.field\n"
        "def forgotten(): return used()\n"
        "class Kept:\n    field: int\n    lost: int = 0\n"
        "LONELY = 1\n"
    ),
    "store.py": 'SELECT = "SELECT id, name FROM things"\nprint(SELECT)\n',
    "migrations/0001.sql": (
        "CREATE TABLE things (\n  id BIGINT,\n  name TEXT,\n  dusty TEXT,\n  PRIMARY KEY (id)\n);\n"
    ),
    "templates/shown.html": '<p class="warm dot-{{ x }}">',
    "templates/stale.html": "<p>",
    "pages.py": 'PAGE = "shown.html"\nprint(PAGE)\n',
    "static/a.css": ".warm { color: red }\n.dot-red { color: red }\n.cold { top: 0 }\n",
}


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    for name, text in PLANTED.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_planted_leftovers_are_found_and_nothing_else(planted: Path):
    found = {(one.kind, one.name) for one in find_unused.find(planted)}

    assert found == {
        ("function", "forgotten"),
        ("field", "lost"),
        ("constant", "LONELY"),
        ("column", "dusty"),
        ("template", "stale.html"),
        ("style", ".cold"),
    }


def test_routes_that_nothing_leads_to_are_found_and_no_others():
    texts = {
        Path("routes.py"): 'HOME = "/here"\nROUTES = ("/lost", "/lost/{id}")\n',
        Path("page.html"): '<a href="/things/{{ a.id }}/edit"> <a href="/things">',
        Path("page.js"): "fetch(`/things/${id}`)",
        Path("guide.md"): "Ask `/x/lost`, `/lost-and-found` or `/files/a/b.txt`.",
    }
    paths = ["/here", "/lost", "/lost/{id}", "/things", "/things/{id}"]
    paths += ["/things/{id}/edit", "/things/{id}/delete", "/files/{name:path}"]

    found = {one.name for one in find_unused.unmentioned(paths, texts)}

    assert found == {"/lost", "/lost/{id}", "/things/{id}/delete"}


@pytest.mark.long  # `make check` looks, too
def test_nothing_of_ours_is_unused(capsys: pytest.CaptureFixture[str]):
    assert find_unused.main() == 0, capsys.readouterr().out


def test_every_exception_is_still_needed():
    everything = "\n".join(
        path.read_text("utf-8")
        for path in (ROOT / "src").rglob("*")
        if path.suffix in {".py", ".css", ".sql"}
    )

    assert [n for n in find_unused.ARGUED if n.lstrip("./") not in everything] == []
