"""The import contracts hold, and each catches a violation planted for it."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.project.test_texts import ROOT

LAYERS = "layers"
PACKAGES = "packages are private"
MARKUP = "markup is private"
PORTS = "flow is handed everything that has effects"
SERVE = "serve imports flow, markup and model only"
SQL = "only store uses SQL"
CONNECTIONS = "only fetch opens connections"
CYCLES = "no cycles"

# Package of the planted module, what it imports, and the contract that must break.
PLANTED = [
    ("model", "feedloom.markup", LAYERS),
    ("markup", "feedloom.parse", LAYERS),
    ("parse", "feedloom.fetch", LAYERS),
    ("store", "feedloom.distill", LAYERS),
    ("publish", "feedloom.flow", LAYERS),
    ("flow", "feedloom.serve", LAYERS),
    ("serve", "feedloom.config", LAYERS),
    ("config", "feedloom.app", LAYERS),
    ("app", "feedloom.demo", LAYERS),
    ("flow", "feedloom.parse.planted_parse_0", PACKAGES),
    ("app", "feedloom.store.planted_store_0", PACKAGES),
    ("parse", "feedloom.markup.planted_markup_0", MARKUP),
    ("flow", "feedloom.store", PORTS),
    ("flow", "feedloom.fetch", PORTS),
    ("serve", "feedloom.store", SERVE),
    ("serve", "sqlite3", SQL),
    ("distill", "asyncpg", SQL),
    ("flow", "aiohttp", CONNECTIONS),
    ("flow", "aiosmtplib", CONNECTIONS),
    ("discover", "socket", CONNECTIONS),
    ("distill", "httpx", CONNECTIONS),
]


def plant(source: Path, package: str, imported: str) -> str:
    """Write a module that imports what it must not; return its full name.

    ``app`` and ``config`` are modules: there the import is added at the end.
    """
    if not (source / package).is_dir():
        with (source / f"{package}.py").open("a") as module:
            module.write(f"\nimport {imported}\n")
        return f"feedloom.{package}"
    number = len(list((source / package).glob("planted_*")))
    name = f"planted_{package}_{number}"
    (source / package / f"{name}.py").write_text(f"import {imported}\n")
    return f"feedloom.{package}.{name}"


def copy_source(folder: Path) -> Path:
    shutil.copyfile(ROOT / "pyproject.toml", folder / "pyproject.toml")
    source = folder / "feedloom"
    python_only = shutil.ignore_patterns("__pycache__", "static", "templates", "data")
    shutil.copytree(ROOT / "src" / "feedloom", source, ignore=python_only)
    return source


def lint(folder: Path) -> str:
    """Run the contracts on the copied source; return what they say."""
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
    parts = re.split(r"^(.+)\n-{5,}$", said.partition("Broken contracts")[2], flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("planted")
    source = copy_source(folder)
    for package, imported, _ in PLANTED:
        plant(source, package, imported)
    return broken_parts(lint(folder))


@pytest.mark.parametrize(("package", "imported", "contract"), PLANTED)
def test_a_planted_import_is_caught(
    report: dict[str, str], package: str, imported: str, contract: str
):
    said = "".join(text for name, text in report.items() if name.startswith(contract))
    caught = re.findall(rf"feedloom\.{package}\S* -> {re.escape(imported)}\b", said)

    assert caught, said


def test_the_source_keeps_its_contracts(tmp_path: Path):
    copy_source(tmp_path)

    assert "0 broken" in lint(tmp_path)


def test_a_new_package_needs_a_layer(tmp_path: Path):
    source = copy_source(tmp_path)
    (source / "utils").mkdir()
    (source / "utils" / "__init__.py").touch()

    said = lint(tmp_path)

    assert "feedloom.utils" in said


def test_an_import_cycle_is_caught(tmp_path: Path):
    source = copy_source(tmp_path)
    (source / "parse" / "left.py").write_text("import feedloom.parse.right\n")
    (source / "parse" / "right.py").write_text("import feedloom.parse.left\n")

    said = broken_parts(lint(tmp_path))

    assert "No cycles are allowed in feedloom.parse." in said[CYCLES]
