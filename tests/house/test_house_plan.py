"""The import contracts catch what they are there for: each planted violation."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.test_texts import ROOT

HOUSE = "the house plan"
DOORS = "one door per room"
MARKUP = "one door for markup"
PORTS = "flow reaches effects through ports"
THIN = "serve talks to flow and ports only"
SQL = "SQL lives in store"
CALLS = "outbound HTTP lives in fetch"
CYCLES = "no cycles"

# Room of the planted module, what it imports, and the contract that must break.
PLANTED = [
    ("model", "feedloom.markup", HOUSE),
    ("markup", "feedloom.parse", HOUSE),
    ("parse", "feedloom.fetch", HOUSE),
    ("store", "feedloom.distill", HOUSE),
    ("publish", "feedloom.flow", HOUSE),
    ("flow", "feedloom.serve", HOUSE),
    ("serve", "feedloom.config", HOUSE),
    ("config", "feedloom.app", HOUSE),
    ("app", "feedloom.demo", HOUSE),
    ("flow", "feedloom.parse.planted_parse_0", DOORS),
    ("app", "feedloom.store.planted_store_0", DOORS),
    ("parse", "feedloom.markup.planted_markup_0", MARKUP),
    ("flow", "feedloom.store", PORTS),
    ("flow", "feedloom.fetch", PORTS),
    ("serve", "feedloom.store", THIN),
    ("serve", "sqlite3", SQL),
    ("distill", "asyncpg", SQL),
    ("flow", "aiohttp", CALLS),
    ("discover", "socket", CALLS),
    ("distill", "httpx", CALLS),
]


def plant(package: Path, room: str, imported: str) -> str:
    """Write a module that imports what it must not; return its full name.

    ``app`` and ``config`` are modules: there the import is added at the end.
    """
    if not (package / room).is_dir():
        with (package / f"{room}.py").open("a") as module:
            module.write(f"\nimport {imported}\n")
        return f"feedloom.{room}"
    number = len(list((package / room).glob("planted_*")))
    name = f"planted_{room}_{number}"
    (package / room / f"{name}.py").write_text(f"import {imported}\n")
    return f"feedloom.{room}.{name}"


def copy_house(folder: Path) -> Path:
    shutil.copyfile(ROOT / "pyproject.toml", folder / "pyproject.toml")
    package = folder / "feedloom"
    python_only = shutil.ignore_patterns("__pycache__", "static", "templates", "data")
    shutil.copytree(ROOT / "src" / "feedloom", package, ignore=python_only)
    return package


def lint(folder: Path) -> str:
    """Run the contracts on the copied house; return what they say."""
    done = subprocess.run(
        [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"],
        check=False,
        capture_output=True,
        text=True,
        cwd=folder,
        env={"PYTHONPATH": str(folder), "COLUMNS": "200", "NO_COLOR": "1"},
    )
    return done.stdout + done.stderr


def broken_parts(said: str) -> dict[str, str]:
    """Map each broken contract to its part of the report."""
    parts = re.split(
        r"^(.+)\n-{5,}$", said.partition("Broken contracts")[2], flags=re.MULTILINE
    )
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("planted")
    package = copy_house(folder)
    for room, imported, _ in PLANTED:
        plant(package, room, imported)
    return broken_parts(lint(folder))


@pytest.mark.parametrize(("room", "imported", "contract"), PLANTED)
def test_a_planted_import_is_caught(
    report: dict[str, str], room: str, imported: str, contract: str
):
    said = "".join(text for name, text in report.items() if name.startswith(contract))
    caught = re.findall(rf"feedloom\.{room}\S* -> {re.escape(imported)}\b", said)

    assert caught, said


def test_the_house_as_it_stands_keeps_its_contracts(tmp_path: Path):
    copy_house(tmp_path)

    assert "0 broken" in lint(tmp_path)


def test_a_new_folder_must_be_argued_for(tmp_path: Path):
    package = copy_house(tmp_path)
    (package / "utils").mkdir()
    (package / "utils" / "__init__.py").touch()

    said = lint(tmp_path)

    assert "feedloom.utils" in said


def test_two_modules_that_need_each_other_are_caught(tmp_path: Path):
    package = copy_house(tmp_path)
    (package / "parse" / "left.py").write_text("import feedloom.parse.right\n")
    (package / "parse" / "right.py").write_text("import feedloom.parse.left\n")

    said = broken_parts(lint(tmp_path))

    assert "No cycles are allowed in feedloom.parse." in said[CYCLES]
