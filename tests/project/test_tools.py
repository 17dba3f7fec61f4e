"""The scripts behind the make targets do what they say, also when things go wrong."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.async_api import Page

from tests.browser import Axe
from tests.project.test_texts import ROOT
from tools import audit, fetch_assets
from tools.build_docs import DocsFailure, build, slug


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    (root / "docs" / "user").mkdir(parents=True)
    (root / "README.md").write_text("# Home\n\nSee [reading](docs/user/reading.md#by-day).")
    (root / "docs" / "user" / "reading.md").write_text(
        "# Reading\n\n## By *day*\n\n[home](../../README.md), [all](.), <b>raw</b>"
    )
    return root


def test_links_between_documents_become_links_between_pages(repository: Path):
    target = repository / "site"
    build(repository, target)
    home = (target / "index.html").read_text()
    reading = (target / "user" / "reading.html").read_text()

    assert 'href="user/reading.html#by-day"' in home
    assert '<h2 id="by-day">' in reading
    assert 'href="../index.html"' in reading
    assert "&lt;b&gt;raw" in reading
    assert re.findall(r"<script[^>]*>", home) == ['<script type="module" src="search.js">']


def test_notes_to_tools_are_not_shown_and_keys_are_keys(repository: Path):
    (repository / "README.md").write_text(
        "# Home\n\n<!-- not run: no -->\n```sh\nls\n```\n\nPress <kbd>j</kbd>."
    )
    build(repository, repository / "site")
    home = (repository / "site" / "index.html").read_text()

    assert "not run" not in home
    assert "<kbd>j</kbd>" in home


def test_every_part_of_a_page_can_be_found(repository: Path):
    build(repository, repository / "site")
    text = (repository / "site" / "search-index.js").read_text()
    found = json.loads(text.removeprefix("window.DOCS_INDEX = ").rstrip(";\n"))

    assert ["Reading", "By day", "user/reading.html#by-day"] in [f[:3] for f in found]
    assert any("raw" in text for *_, text in found)


def test_only_a_served_site_leads_back_to_the_program(repository: Path):
    build(repository, repository / "disk")
    build(repository, repository / "served", served=True)

    assert 'href="/"' not in (repository / "disk" / "index.html").read_text()
    assert 'href="/"' in (repository / "served" / "index.html").read_text()


def test_pictures_say_how_large_they_are(repository: Path):
    picture = ROOT / "docs" / "screenshots" / "reader.webp"
    shutil.copyfile(picture, repository / "reader.webp")
    (repository / "README.md").write_text("# Home\n\n![The reader](reader.webp)")
    build(repository, repository / "site")
    home = (repository / "site" / "index.html").read_text()

    assert re.search(r'width="\d+" height="\d+" loading="lazy"', home)


@pytest.mark.parametrize(
    "dead", ["absent.md", "docs/user/reading.md#by-night", "../outside.md", "#nowhere"]
)
def test_a_dead_link_fails_the_build_and_leaves_the_old_site(repository: Path, dead: str):
    target = repository / "site"
    build(repository, target)
    readme = repository / "README.md"
    readme.write_text(f"{readme.read_text()}\n\n[dead]({dead})")

    with pytest.raises(DocsFailure, match=r"README\.md: .* leads nowhere"):
        build(repository, target)
    assert (target / "index.html").exists()


def test_linked_files_are_copied_beside_the_pages(repository: Path):
    (repository / "LICENSE").write_text("Terms")
    (repository / "README.md").write_text("# Home\n\n[licence](LICENSE)")
    build(repository, repository / "site")

    assert (repository / "site" / "LICENSE.txt").read_text() == "Terms"


def test_our_own_documents_have_no_dead_link(tmp_path: Path):
    pages = build(ROOT, tmp_path / "site", version="0")

    assert {"index.html", "contributing.html", "glossary.html"} <= {page.address for page in pages}


async def test_the_documentation_is_accessible_and_fits_a_phone(
    tmp_path: Path, page: Page, axe: Axe
):
    build(ROOT, tmp_path / "site", version="0")
    await page.set_viewport_size({"width": 360, "height": 740})
    await page.goto((tmp_path / "site" / "contributing.html").as_uri())
    overflow = await page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )

    assert overflow == 0
    assert await axe(page) == []


def test_anchors_are_named_as_code_forges_do():
    assert slug("What we gave up: `uv.lock`, 3.11?") == "what-we-gave-up-uvlock-311"


@pytest.mark.parametrize(
    ("expression", "verdict"),
    [
        ("MIT", True),
        ("Apache-2.0 AND MIT", True),
        ("MPL-1.1 OR GPL-2.0-only", True),
        ("GPL-3.0-only", False),
        ("MIT AND GPL-3.0-only", False),
        ("none", False),
    ],
)
def test_licences_are_judged_by_their_expression(expression: str, verdict: bool):
    assert audit.is_allowed(expression) is verdict


def test_every_library_we_ship_may_be_combined_with_our_licence():
    assert audit.ask_licences().is_good


@pytest.mark.parametrize(
    ("report", "verdict", "words"),
    [
        ([{"name": "a", "version": "1", "vulns": []}], True, "none known"),
        ([{"name": "a", "version": "1", "vulns": [{"id": "X-1"}]}], False, "X-1"),
        ([{"name": "a", "skip_reason": "unreachable"}], False, "0 of 1"),
        ([], False, "0 of 0"),
    ],
)
@pytest.mark.threat("U11")
def test_an_unanswered_audit_is_no_good_audit(report: list[object], verdict: bool, words: str):
    answer = audit.judge_advisories(json.dumps({"dependencies": report}), "")

    assert answer.is_good is verdict
    assert words in answer.sentence


def test_an_audit_that_broke_says_why():
    answer = audit.judge_advisories("", "Traceback\nConnectionError: refused")

    assert answer == audit.Answer(is_good=False, sentence="not checked: ConnectionError: refused")


def test_a_front_end_file_with_another_digest_is_refused(tmp_path: Path):
    source = tmp_path / "htmx.min.js"
    source.write_text("alert('not htmx')")
    asset = fetch_assets.Asset(
        package="htmx.org",
        file="htmx.min.js",
        to=tmp_path / "out" / "htmx.min.js",
        sha256="0" * 64,
        purpose="serve",
    )

    with pytest.raises(fetch_assets.AssetFailure, match="digest"):
        fetch_assets.put(asset, source)
    assert not asset.to.exists()


def test_commands_under_only_loopback_reach_nothing_else():
    script = (
        "import socket\n"
        "with socket.create_server(('127.0.0.1', 0)) as listener:\n"
        "    socket.create_connection(listener.getsockname()).close()\n"
        "try:\n"
        "    socket.create_connection(('192.0.2.1', 80), timeout=2)\n"
        "except OSError as error:\n"
        "    print(error.strerror)\n"
    )
    command = [sys.executable, "tools/only_loopback.py", sys.executable, "-c", script]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    note, _, outcome = done.stdout.partition("\n")

    # A machine that allows no namespace must say so; then there is nothing to try.
    if "namespace)" in note:
        assert outcome.strip() == "Network is unreachable"
    else:
        assert "allows no network namespace" in note


def test_missing_programs_are_named_to_people_who_may_not_install(tmp_path: Path):
    for name, body in {"id": "echo 1000", "apt-get": "exit 99"}.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{body}\n")
        (tmp_path / name).chmod(0o755)
    done = subprocess.run(
        [ROOT / "tools" / "ensure_programs.sh", "id:coreutils", "no-such:some-package"],
        check=False,
        capture_output=True,
        text=True,
        env={"PATH": str(tmp_path)},
    )

    assert done.returncode == 1
    assert "apt-get install some-package" in done.stderr
    assert "coreutils" not in done.stderr


def test_an_old_python_is_refused_with_a_sentence(tmp_path: Path):
    old = tmp_path / "python-old"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    done = subprocess.run(
        ["make", "-f", str(ROOT / "Makefile"), f"PYTHON={old}", ".venv/stamps/venv"],
        check=False,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"]},
    )

    assert done.returncode != 0
    assert "Python 3.11 or newer" in done.stdout
