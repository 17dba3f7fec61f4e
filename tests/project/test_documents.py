"""Documents say what is so: targets, versions, words, links."""

import re
from dataclasses import fields
from pathlib import Path

import feedloom
from feedloom.config import Settings
from tests.project.test_texts import ROOT, tracked
from tests.selection import MARKERS

MAKEFILE = (ROOT / "Makefile").read_text()
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text()
CODE_BLOCK = re.compile(r"```.*?```", re.DOTALL)
NAMED_FILE = re.compile(r"`([\w.-]+(?:/[\w.-]+)*(?:\.(?:py|md|html|toml|sh|json|sql)|/))`")


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


def present_documents() -> list[Path]:
    """Documents about the present: decisions and the changelog tell of the past."""
    past = ROOT / "docs" / "decisions"
    documents = [p for p in tracked("*.md") if past not in p.parents]
    return [p for p in documents if p.name != "CHANGELOG.md" and "tests" not in p.parts]


def test_documents_name_only_files_that_exist():
    files = [path.relative_to(ROOT).as_posix() for path in tracked()]
    folders = {parent.as_posix() for f in files for parent in Path(f).parents}
    ends = "\n".join(f"/{place}\n" for place in (*files, *(f"{f}/" for f in folders)))
    missing = [
        f"{document.relative_to(ROOT)}: {name}"
        for document in present_documents()
        for name in NAMED_FILE.findall(CODE_BLOCK.sub("", document.read_text()))
        if f"/{name}\n" not in ends
    ]

    assert missing == []


def test_documents_name_only_settings_that_exist():
    known = {f"FEEDLOOM_{field.name.upper()}" for field in fields(Settings)}
    known |= {f"{name}_FILE" for name in known} | {"FEEDLOOM_CONFIG"}
    unknown = {
        f"{document.relative_to(ROOT)}: {name}"
        for document in present_documents()
        for name in re.findall(r"FEEDLOOM_[A-Z_]+[A-Z](?![A-Z_])", document.read_text())
        if name not in known
    }

    assert unknown == set()


def test_contributors_are_told_of_fixtures_and_markers_that_exist():
    text = CONTRIBUTING.partition("Useful fixtures")[2].partition("## Dep")[0]
    named = re.findall(r"`([a-z_]+)`", "".join(re.findall(r"^\|[^|]*\|", text, re.MULTILINE)))
    marked = re.findall(r"pytest\.mark\.([a-z_]+)", CONTRIBUTING)
    code = "\n".join(p.read_text() for p in tracked("tests/*.py"))

    assert [n for n in named if not re.search(rf"^(async )?def {n}\(", code, re.MULTILINE)] == []
    assert {"both_engines", "sampled", "long"} <= set(marked)
    assert set(marked) <= {marker.partition(":")[0].partition("(")[0] for marker in MARKERS}


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
    without_code = re.sub(r"```.*?```|`[^`\n]*`|\{[{%#].*?[}%#]\}", "", text, flags=re.DOTALL)
    return re.sub(r"<[^>]*>", " ", without_code)
