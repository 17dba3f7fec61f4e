"""No committed file holds registry hosts, machine paths, loose to-dos or stray blanks."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]

# Put together here, so that this file does not hold what it forbids.
REGISTRY_HOSTS = [
    "pypi" + ".org",
    "python" + "hosted.org",
    "npm" + "js.org",
    "npm" + "js.com",
    "deb." + "debian.org",
]
PACKAGE_PAGES = {"pypi" + ".org", "npm" + "js.com"}
"""Sites with feeds of packages, too: discovery knows them by these addresses."""
KNOWS_PACKAGE_PAGES = {
    "src/feedloom/discover/platforms/external.toml",
    "src/feedloom/discover/platforms/packages.toml",
    "tests/unit/discover/platform_rows_more.py",
}
MACHINE_PATHS = ["/" + r"work/\w", "/" + r"root/[\w.]", "/" + r"home/\w+/"]

# How sentences were put once, in no language anybody speaks.
OLD_WORDINGS = [
    *("Folder made", "You have this page already", "Its page is being read again"),
    *("Not pinned any more", "is written by itself", "can be taken back alone"),
    *("uses up a part of it", "not run again until you say so", "found by themselves"),
    *("As soon as there is a network", "Theme of the system", "Last arrived first"),
    *("Not possible as things stand", "Somebody else does it", "larger than can be taken"),
    *("too many tries", "what is not asked for", "It wants a password"),
    *("gives no sign of life", "of whose feeds they are", "costs only itself"),
    *("Let them run things", "the way out", "Seeing inside", "with a sentence."),
    *("does not hold this word", "one bad row costs"),
    *("which is the most there", "redirects in a circle", "start anew"),
]


def tracked(*patterns: str) -> list[Path]:
    """Return the files git tracks or would track."""
    done = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "--", *patterns],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    paths = [ROOT / line for line in done.stdout.splitlines()]
    return [path for path in paths if path.is_file()]


def text_of(path: Path) -> str:
    return path.read_bytes().decode("utf-8", errors="replace")


def test_every_to_do_names_its_issue():
    loose = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in tracked("*.py", "*.html", "*.css", "*.js", "*.sh", "Makefile")
        for line in text_of(path).splitlines()
        if re.search(r"\b(TODO|FIXME|XXX|HACK)\b(?!\(#\d+\): )", line) and path != Path(__file__)
    ]

    assert loose == []


def test_no_registry_host_is_named():
    named = [
        f"{path.relative_to(ROOT)}: {host}"
        for path in tracked()
        for host in REGISTRY_HOSTS
        if host in text_of(path)
        and not (host in PACKAGE_PAGES and str(path.relative_to(ROOT)) in KNOWS_PACKAGE_PAGES)
    ]

    assert named == []


def test_old_wordings_stay_away():
    pattern = re.compile("|".join(map(re.escape, OLD_WORDINGS)), re.IGNORECASE)
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in tracked("*.py", "*.html", "*.md", "*.js", "*.toml")
        for match in pattern.finditer(text_of(path))
        if path != Path(__file__)
    ]

    assert found == []


def test_no_path_of_a_machine_is_named():
    pattern = re.compile(rf"(?<![\w.:/])({'|'.join(MACHINE_PATHS)})")
    named = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in tracked()
        if (match := pattern.search(text_of(path)))
    ]

    assert named == []


def test_text_files_end_with_one_newline_and_have_no_trailing_blanks():
    kinds = ("*.py", "*.md", "*.toml", "*.html", "*.css", "*.sh", "*.yaml", "Makefile")
    untidy = [
        str(path.relative_to(ROOT))
        for path in tracked(*kinds)
        if "corpus" not in path.parts
        and "data" not in path.parts
        and (text := text_of(path))
        and (not text.endswith("\n") or re.search(r"[ \t]$", text, re.MULTILINE))
    ]

    assert untidy == []
