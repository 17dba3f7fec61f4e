"""Documents say what is so: targets, versions, words, links."""

import re
from pathlib import Path

import feedloom

ROOT = Path(__file__).parents[2]
MAKEFILE = (ROOT / "Makefile").read_text()
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text()


def make_targets() -> set[str]:
    phony = re.search(r"^\.PHONY:((?:.*\\\n)*.*)", MAKEFILE, re.MULTILINE)
    assert phony
    return set(phony.group(1).replace("\\\n", " ").split())


def test_every_make_target_is_documented_and_exists():
    described = set(re.findall(r"^\| `make ([a-z-]+)` \|", CONTRIBUTING, re.MULTILINE))

    assert described == make_targets()
    assert {"setup", "run", "test", "check", "fix", "bench", "docs"} <= described


def test_every_make_target_has_a_recipe():
    rules = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))

    assert make_targets() == rules


def test_continuous_integration_calls_only_make():
    lines = (ROOT / ".ci" / "run").read_text().splitlines()
    commands = [
        line.split()[0]
        for line in lines
        if line and not line.startswith(("#", "set ", "cd ", "started=", "echo "))
    ]

    assert commands[-1] == "make"
    assert set(commands) == {"make"}
    assert lines[-1] == "make test"


def test_pre_commit_runs_the_tools_of_make_check():
    recipe = MAKEFILE.split("\ncheck:")[1].split("\n\n")[0]
    hooks = (ROOT / ".pre-commit-config.yaml").read_text()
    in_make = set(re.findall(r"\$\(BIN\)/([a-z-]+)", recipe))
    in_hooks = set(re.findall(r"\.venv/bin/([a-z-]+)", hooks.split("repos:")[1]))

    assert in_make == in_hooks
    assert {"ruff", "mypy", "lint-imports", "codespell", "djlint"} <= in_make


def test_version_and_changelog_agree():
    changelog = (ROOT / "CHANGELOG.md").read_text()
    versions = re.findall(r"^## \[([^\]]+)\]", changelog, re.MULTILINE)

    assert feedloom.__version__ == next(v for v in versions if v != "Unreleased")


def test_decisions_are_numbered_without_gaps_or_doubles():
    names = sorted(p.name for p in (ROOT / "docs" / "decisions").glob("*.md"))
    numbers = [int(name[:4]) for name in names]

    assert all(re.fullmatch(r"\d{4}-[a-z0-9-]+\.md", name) for name in names)
    assert numbers == list(range(1, len(numbers) + 1))


def test_people_read_the_words_of_the_glossary():
    unwanted = unwanted_words()
    offences = [
        f"{path.relative_to(ROOT)}: {match.group()!r}"
        for path in texts_for_people()
        for match in unwanted.finditer(_visible(path.read_text()))
    ]

    assert offences == []


def unwanted_words() -> re.Pattern[str]:
    """Read the last column of the glossary."""
    rows = (ROOT / "docs" / "glossary.md").read_text().splitlines()
    cells = [row.split("|")[3] for row in rows if row.startswith("| ")][1:]
    words = [word.strip() for cell in cells for word in cell.split(",")]
    found = [re.escape(word) for word in words if word and set(word) != {"-"}]
    assert found
    return re.compile(rf"\b({'|'.join(found)})s?\b", re.IGNORECASE)


def texts_for_people() -> list[Path]:
    pages = [p for p in (ROOT / "src").rglob("*.html") if "built" not in p.parts]
    guides = (ROOT / "docs" / "user").rglob("*.md")
    return [*pages, *guides, ROOT / "README.md"]


def _visible(text: str) -> str:
    """Take out code, tags and template marks: what is left is read by people."""
    without_code = re.sub(
        r"```.*?```|`[^`\n]*`|\{[{%#].*?[}%#]\}", "", text, flags=re.DOTALL
    )
    return re.sub(r"<[^>]*>", " ", without_code)
