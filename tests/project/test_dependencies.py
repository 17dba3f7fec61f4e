"""Every dependency is declared, pinned with hashes, explained, and used as declared."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import metadata, packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[2]
REQUIREMENTS = ROOT / "requirements"
PIN_FILES = sorted(REQUIREMENTS.glob("*.txt"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
NOT_FROM_PYTHON = {
    *("chromium", "newsboat", "nginx-light", "tinyproxy-bin", "microsocks"),
    *("htmx-org", "axe-core"),
}


def declared_to_run() -> dict[NormalizedName, Requirement]:
    found = map(Requirement, PROJECT["dependencies"])
    return {canonicalize_name(one.name): one for one in found}


def declared_for_tools() -> set[str]:
    lines = [
        line
        for source in REQUIREMENTS.glob("*.in")
        for line in source.read_text().splitlines()
        if line and not line.startswith(("#", "-"))
    ]
    return {canonicalize_name(Requirement(line).name) for line in lines}


def pins(path: Path) -> list[tuple[Requirement, int]]:
    """Return each pin with the number of its hashes."""
    logical = path.read_text().replace("\\\n", " ").splitlines()
    lines = [line for line in logical if line.strip() and line.lstrip()[0] != "#"]
    return [
        (Requirement(line.split(" --hash=")[0].strip()), line.count("--hash=sha256:"))
        for line in lines
    ]


def documented() -> set[str]:
    text = (ROOT / "docs" / "dependencies.md").read_text()
    cells = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    prose = [p for p in text.split("\n\n") if p.startswith("From Debian")]
    names = re.findall(r"`([^`]+)`", " ".join(cells + prose))
    return {canonicalize_name(name) for name in names}


def test_every_dependency_is_documented_and_nothing_else():
    expected = declared_to_run().keys() | declared_for_tools() | NOT_FROM_PYTHON

    assert documented() == expected


def test_there_is_a_pin_file_for_each_source():
    sources = {path.stem for path in REQUIREMENTS.glob("*.in")}

    assert {path.stem for path in PIN_FILES} == sources | {"run"}


@pytest.mark.parametrize("path", PIN_FILES, ids=lambda path: path.name)
def test_every_pin_is_exact_and_hashed(path: Path):
    found = pins(path)
    loose = [
        str(pin)
        for pin, hashes in found
        if not re.fullmatch(r"==[^*,]+", str(pin.specifier)) or not hashes
    ]

    assert found
    assert loose == []
    assert "://" not in path.read_text()


def test_the_pins_fit_the_declared_ranges():
    pinned = {canonicalize_name(pin.name): pin for pin, _ in pins(REQUIREMENTS / "run.txt")}
    misfits = [
        str(wanted)
        for name, wanted in declared_to_run().items()
        if name not in pinned
        or not wanted.specifier.contains(_version(pinned[name]), prereleases=True)
    ]

    assert misfits == []


def test_all_pin_files_agree_on_versions():
    seen: dict[NormalizedName, set[str]] = {}
    for together in ("run", "build", "test", "check", "bench"):
        for pin, _ in pins(REQUIREMENTS / f"{together}.txt"):
            if "python" not in str(pin.marker or ""):
                name = canonicalize_name(pin.name)
                seen.setdefault(name, set()).add(str(pin.specifier))

    assert [name for name, versions in seen.items() if len(versions) > 1] == []


def test_the_program_imports_only_what_it_declares():
    providers = packages_distributions()
    declared = declared_to_run().keys()
    undeclared = {
        f"{path.relative_to(ROOT)}: {module}"
        for path, module in outside_imports()
        if not {canonicalize_name(name) for name in providers.get(module, ())} & declared
    }

    assert undeclared == set()


def outside_imports() -> Iterator[tuple[Path, str]]:
    """Yield each import of the program that is neither ours nor the library's."""
    ours = sys.stdlib_module_names | {"feedloom"}
    for path in sorted((ROOT / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module]
            yield from ((path, n.split(".")[0]) for n in names if n.split(".")[0] not in ours)


def _version(pin: Requirement) -> Version:
    return Version(str(pin.specifier).removeprefix("=="))


def needed_by(name: str) -> list[Requirement]:
    """Return what a library asks for here, without extras of its own."""
    asked = map(Requirement, requires(name) or ())
    return [one for one in asked if one.marker is None or one.marker.evaluate()]


def closure(names: Iterable[str]) -> Iterator[Requirement]:
    """Follow what libraries ask for, each library once."""
    waiting, seen = list(names), set[str]()
    while waiting:
        name = canonicalize_name(waiting.pop())
        if name not in seen:
            seen.add(name)
            for one in needed_by(name):
                yield one
                waiting.append(one.name)


def test_no_library_comes_by_an_extra_that_older_pips_do_not_find():
    """They compare names of extras letter by letter, and go on without what they miss.

    Python 3.11 brings such a pip along; with it, pages could once not be read.
    """
    missed = {
        f"{one.name}[{extra}]"
        for one in closure(declared_to_run())
        for extra in one.extras
        if extra not in (metadata(one.name).get_all("Provides-Extra") or ())
    }
    covered = {"lxml[html_clean]": "lxml-html-clean"}

    assert missed <= covered.keys()
    assert set(covered.values()) <= declared_to_run().keys()
