"""Module names: nouns that say what is inside, and one word for one idea."""

from collections import defaultdict
from pathlib import Path

from tests.project.test_texts import ROOT

PACKAGE = ROOT / "src" / "feedloom"

NOUNS_IN_ING = {
    "content_encoding",  # the HTTP header
    "deframing",
    "formatting",
    "spending",
}

# The same subject in several layers: its values, its rows, its flow, its pages, its API.
SUBJECTS = {
    "accounts",
    "articles",
    "bookmarks",
    "credentials",
    "deframing",
    "digest",
    "digests",
    "directory",
    "documents",
    "exports",
    "feeds",
    "folders",
    "hubs",
    "interests",
    "mail",
    "oversight",
    "overviews",
    "proxies",
    "reader",
    "registration",
    "revival",
    "rules",
    "search",
    "spending",
    "stories",
    "subscriptions",
    "summaries",
    "sync",
    "topics",
    "vectors",
    "views",
}

# The same part of the program in several packages: each is what the name says.
PARTS = {
    "bodies",  # HTTP bodies: those that come in, those that go out
    "calls",  # one request of a sync client
    "child",  # the program a child process runs
    "entries",  # what sync clients list and change
    "ids",
    "links",  # links in an HTML page
    "services",  # what endpoints, or commands, are given
    "shapes",  # JSON as it goes over the wire
}


def modules() -> dict[str, list[Path]]:
    found = defaultdict(list)
    for path in PACKAGE.rglob("*.py"):
        if not path.name.startswith("__"):
            found[path.stem].append(path.relative_to(PACKAGE))
    return found


def packages() -> set[str]:
    return {path.parent.name for path in PACKAGE.rglob("__init__.py")}


def test_modules_and_packages_are_no_gerunds():
    names = set(modules()) | packages()

    assert {name for name in names if name.endswith("ing")} <= NOUNS_IN_ING


def test_two_modules_share_a_name_only_for_the_same_idea():
    shared = {name: paths for name, paths in modules().items() if len(paths) > 1}

    assert {n: p for n, p in shared.items() if n not in SUBJECTS | PARTS} == {}


def test_the_lists_name_only_what_exists():
    found = modules()
    shared = {name for name, paths in found.items() if len(paths) > 1}

    assert set(found) >= NOUNS_IN_ING
    assert shared >= SUBJECTS | PARTS
