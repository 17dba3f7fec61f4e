"""Which threat is tested where: a page made from the marks of the tests.

In: ``docs/security/threats.toml`` and every ``pytest.mark.threat`` below ``tests``. Out:
``docs/security/coverage.md``. It reads the tests without running them, so it is quick
and needs nothing of what they need. Never: a case that is neither tested nor explained.

    python tools/threat_coverage.py            write the page
    python tools/threat_coverage.py --check    tell whether it is up to date
"""

import ast
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parent.parent
CATALOGUE = ROOT / "docs" / "security" / "threats.toml"
PAGE = ROOT / "docs" / "security" / "coverage.md"
_MANY = 4
"""A file with more tests of one case is named once, with their number."""
_HEAD = """\
# What is tested

Made by `make coverage-page` from the marks of the tests; do not edit. Each case is
something a self-hosted feed platform must survive; {tested} of {cases} have a test of
their own, {both} of them on both engines where a database is part of it. What the
promises are and how they are kept: [SECURITY.md](../../SECURITY.md).

"Both" means that the tests run on SQLite and on PostgreSQL, "one" that the case is about
one engine, and "-" that no database is part of it.
"""


@dataclass(frozen=True, slots=True)
class Test:
    """One test as its file shows it."""

    path: str
    name: str
    cases: frozenset[str]
    fixtures: frozenset[str]
    engines: frozenset[str]
    """Engines it names itself."""


@dataclass(slots=True)
class Suite:
    """All tests, and which fixtures lead to which engines."""

    tests: list[Test] = field(default_factory=list)
    fixtures: dict[str, set[str]] = field(default_factory=dict)
    """What each fixture asks for."""
    on_both: set[str] = field(default_factory=set)

    def engines(self, test: Test) -> str:
        """Tell on which engines a test runs."""
        if any(self._leads_to_both(name, set()) for name in test.fixtures):
            return "both"
        if test.engines >= {"sqlite", "postgresql"}:
            return "both"
        if test.engines or test.fixtures & _ONE_ENGINE:
            return "one"
        return "-"

    def _leads_to_both(self, name: str, seen: set[str]) -> bool:
        if name in self.on_both:
            return True
        if name in seen:
            return False
        seen.add(name)
        return any(self._leads_to_both(n, seen) for n in self.fixtures.get(name, ()))


_ONE_ENGINE = {"pg_database", "private_postgres", "durable_postgres", "postgres"}


def read_suite(folder: Path = ROOT / "tests") -> Suite:
    """Read the marks and fixtures of all tests."""
    suite = Suite()
    for path in sorted(folder.rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        module_cases = frozenset(_module_cases(tree))
        names = _engines_named(tree)
        place = path.relative_to(folder.parent).as_posix()
        for function in _functions(tree):
            asked = {argument.arg for argument in function.args.args}
            if function.name.startswith("test_"):
                cases = module_cases | set(_marked(function.decorator_list))
                test = Test(place, function.name, frozenset(cases), frozenset(asked), names)
                suite.tests.append(test)
            elif is_fixture := _fixture_params(function):
                suite.fixtures.setdefault(function.name, set()).update(asked)
                if "ENGINES" in is_fixture:
                    suite.on_both.add(function.name)
    return suite


Function = ast.FunctionDef | ast.AsyncFunctionDef


def _functions(tree: ast.Module) -> Iterator[Function]:
    for node in ast.walk(tree):
        if isinstance(node, Function):
            yield node


def _module_cases(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == "pytestmark" for target in node.targets
        ):
            yield from _marked([node.value])


def _marked(nodes: list[ast.expr]) -> Iterator[str]:
    for node in nodes:
        for call in ast.walk(node):
            if isinstance(call, ast.Call) and ast.unparse(call.func).endswith("mark.threat"):
                for argument in call.args:
                    if isinstance(argument, ast.Constant):
                        yield str(argument.value)


def _engines_named(tree: ast.Module) -> frozenset[str]:
    """Tell which engines a module chooses by itself, by import or parameter."""
    text = ast.unparse(tree)
    found = set()
    if "sqlite_databases" in text or "SQLiteDatabase" in text:
        found.add("sqlite")
    if "parametrize('kind', ENGINES)" in text:
        found |= {"sqlite", "postgresql"}
    return frozenset(found)


def _fixture_params(function: Function) -> str:
    """Return the decorator of a fixture as text; nothing for other functions."""
    for node in function.decorator_list:
        text = ast.unparse(node)
        if text.startswith("pytest.fixture"):
            return text
    return ""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The cases, by group, and why some have no test."""

    groups: dict[str, str]
    cases: dict[str, str]
    reasons: dict[str, str]


def read_catalogue(path: Path = CATALOGUE) -> Catalogue:
    """Read the list of cases."""
    table = tomllib.loads(path.read_text("utf-8"))
    reasons = table.pop("reasons")
    groups = {key: group.pop("name") for key, group in table.items()}
    cases = {case: text for group in table.values() for case, text in group.items()}
    return Catalogue(groups, cases, reasons)


def problems(catalogue: Catalogue, suite: Suite) -> list[str]:
    """List what does not fit together."""
    tested = {case for test in suite.tests for case in test.cases}
    found = [f"{case} is marked and not listed" for case in sorted(tested - set(catalogue.cases))]
    for case in catalogue.cases:
        if case in tested and case in catalogue.reasons:
            found.append(f"{case} has a test and a reason for having none")
        if case not in tested and not catalogue.reasons.get(case):
            found.append(f"{case} has neither a test nor a reason")
    return found


def build(catalogue: Catalogue, suite: Suite) -> str:
    """Write the page."""
    by_case = {
        case: [test for test in suite.tests if case in test.cases] for case in catalogue.cases
    }
    tested = sum(1 for tests in by_case.values() if tests)
    both = sum(1 for tests in by_case.values() if _summed(suite, tests) == "both")
    parts = [_HEAD.format(tested=tested, cases=len(by_case), both=both)]
    for group, name in catalogue.groups.items():
        parts.append(
            f"\n## {group}. {name}\n\n| case | what | tests | engines |\n|---|---|---|---|\n"
        )
        for case, what in catalogue.cases.items():
            if case.rstrip("0123456789") == group:
                tests = by_case[case]
                shown = _shown(tests) or f"*none:* {catalogue.reasons.get(case, '')}"
                engines = _summed(suite, tests) if tests else ""
                parts.append(f"| {case} | {what} | {shown} | {engines} |\n")
    return "".join(parts)


def _summed(suite: Suite, tests: list[Test]) -> str:
    kinds = {suite.engines(test) for test in tests}
    return next((kind for kind in ("both", "one", "-") if kind in kinds), "")


def _shown(tests: list[Test]) -> str:
    files: dict[str, list[str]] = {}
    for test in tests:
        files.setdefault(test.path.removeprefix("tests/"), []).append(test.name)
    parts = []
    for path, names in files.items():
        if len(names) > _MANY:
            parts.append(f"`{path}` ({len(names)} tests)")
        else:
            said = ", ".join(name.removeprefix("test_").replace("_", " ") for name in names)
            parts.append(f"`{path}`: {said}")
    return "<br>".join(parts)


def main() -> None:
    """Run from the command line."""
    catalogue, suite = read_catalogue(), read_suite()
    wrong = problems(catalogue, suite)
    if wrong:
        sys.exit("\n".join(wrong))
    page = build(catalogue, suite)
    if "--check" in sys.argv:
        is_current = PAGE.exists() and PAGE.read_text("utf-8") == page
        sys.exit(0 if is_current else f"{PAGE} is out of date: make coverage-page")
    PAGE.write_text(page, "utf-8")


if __name__ == "__main__":
    main()
