"""Every command that a document shows is run here, or says why it is not.

Blocks of a document marked ``sh`` run in order in one shell, beside a demonstration that
stands where the document says (its ports are put in). A block that cannot run here
has a note before it: ``<!-- not run: why -->``.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import typer.main
from markdown_it import MarkdownIt
from markdown_it.token import Token

from feedloom.cli import program
from tests.journeys.demo.demonstration import Demo, running
from tests.project.test_documents import make_targets
from tests.project.test_texts import ROOT, tracked

NOTE = re.compile(r"<!-- not run: (.{15,}?) -->\s*$")
COMMAND = re.compile(r"^\s*(\$ |feedloom |admin |make |curl |pip |git |docker |\.venv/)")
OWN_WORDS = re.compile(r"`(feedloom|admin|make) ([a-z][^`]*)`")


@dataclass(frozen=True, slots=True)
class Block:
    """A block of commands, and why it is not run."""

    document: Path
    line: int
    text: str
    excuse: str = ""


def documents() -> list[Path]:
    return [p for p in tracked("*.md") if "tests" not in p.parts]


def parse(document: Path) -> list[Token]:
    found = MarkdownIt("commonmark").enable("table").parse(document.read_text())
    return [token for token in found if token.type in {"fence", "code_block"}]


def blocks(document: Path) -> Iterator[Block]:
    lines = document.read_text().splitlines()
    for token in parse(document):
        if token.info.strip() == "sh" and token.map is not None:
            line = token.map[0]
            note = NOTE.search(lines[line - 1]) if line else None
            yield Block(document, line + 1, token.content, note[1] if note else "")


def test_commands_stand_in_blocks_that_say_so():
    """Only then is it certain that each command is seen here."""
    hidden = [
        f"{document.relative_to(ROOT)}: {line}"
        for document in documents()
        for token in parse(document)
        if token.info.strip() != "sh"
        for line in token.content.splitlines()
        if COMMAND.match(line)
    ]

    assert hidden == []


def wanted() -> dict[Path, list[Block]]:
    found = {document: list(blocks(document)) for document in documents()}
    run = {
        document: [block for block in all_ if not block.excuse] for document, all_ in found.items()
    }
    return {document: all_ for document, all_ in run.items() if all_}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Demo, Path]]:
    folder = tmp_path_factory.mktemp("documents")
    with running(folder, "--data-dir", str(folder / "demo")) as made:
        yield made, folder


@pytest.mark.parametrize("document", [str(path.relative_to(ROOT)) for path in wanted()])
def test_the_commands_of_a_document_run(demo: tuple[Demo, Path], document: str):
    place, folder = demo
    script = "\n".join(block.text for block in wanted()[ROOT / document])
    for shown, real in {"8000": place.url, "8001": place.sites}.items():
        script = script.replace(f"127.0.0.1:{shown}", urlsplit(real).netloc)
    environment = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "HOME": str(folder),
        "FEEDLOOM_DATA_DIR": str(folder / "demo"),
        "FEEDLOOM_ALLOW_NETWORKS": "127.0.0.1/32",
        "FEEDLOOM_HOST_DELAY": "0",
    }
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-x", "-c", script],
        check=False,
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment,
    )

    assert done.returncode == 0, done.stderr[-3_000:]


def test_documents_show_commands_worth_running():
    counts = {path.name: len(found) for path, found in wanted().items()}

    assert counts["api.md"] >= 8
    assert counts["guide.md"] >= 6


def test_every_command_in_a_sentence_exists():
    unknown = [
        f"{document.relative_to(ROOT)}: {found[0]}"
        for document in documents()
        for found in OWN_WORDS.finditer(document.read_text())
        if not exists(found[1], found[2].split())
    ]

    assert unknown == []


def exists(name: str, words: list[str]) -> bool:
    """Follow words down the tree of commands; options and values end the way."""
    if name == "make":
        return words[0] in make_targets()
    command = typer.main.get_command(program)
    if name == "admin":
        words = ["admin", *words]
    for word in words:
        inside = getattr(command, "commands", None)
        if inside is None:
            return True
        names = word.replace("\\", "").split("|")
        if not all(one in inside for one in names):
            return not re.fullmatch(r"[a-z-]+", word)
        command = inside[names[0]]
    return True
