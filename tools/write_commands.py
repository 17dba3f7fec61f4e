"""Write docs/operator/commands.md from the commands themselves; ``--check`` compares.

python tools/write_commands.py [--check]
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer.main

from feedloom.cli import program

PAGE = Path(__file__).parents[1] / "docs" / "operator" / "commands.md"
HEAD = """# Commands

What `feedloom COMMAND --help` says, in one place. Exit codes: 0 done, 1 failed with a sentence on
stderr, 2 wrong usage. `--json` prints whole values for programs. `admin` is short for
`feedloom admin`, and `NO_COLOR` is respected.
"""
NOTE = "<!-- not run: an example out of --help; lines that run are in the guides -->"


def page() -> str:
    """Return the page as it should be."""
    tree = typer.main.get_command(program)
    return HEAD + "".join(_told(name, command) for name, command in _leaves(tree))


def _leaves(command: Any, name: str = "feedloom") -> Iterator[tuple[str, Any]]:
    """Walk down to what can be run; the tree's types are not public."""
    inside = getattr(command, "commands", None)
    if inside is None:
        yield name, command
        return
    for word, child in inside.items():
        yield from _leaves(child, f"{name} {word}")


def _told(name: str, command: Any) -> str:
    sentences, _, example = (command.help or "").partition("Example: ")
    words = [param.name.upper() for param in command.params if _is_word(param)]
    rows = "".join(_row(param) for param in command.params if param.name != "help")
    table = f"\n| | what it is | default |\n| --- | --- | --- |\n{rows}" if rows else ""
    shown = f"\n{NOTE}\n```sh\n{' '.join(example.split())}\n```\n" if example else ""
    usage = " ".join([name, *words])
    return f"\n## {usage}\n\n{' '.join(sentences.split())}\n{table}{shown}"


def _is_word(param: Any) -> bool:
    return bool(param.param_type_name == "argument")


def _row(param: Any) -> str:
    names = ", ".join(f"`{name}`" for name in param.opts)
    if _is_word(param):
        names = f"`{param.name.upper()}`"
    default = param.default
    told = "" if default is None or default is False or callable(default) else default
    needed = "needed" if param.required else told
    return f"| {names} | {getattr(param, 'help', '') or ''} | {needed} |\n"


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(PAGE.read_text("utf-8") != page())
    PAGE.write_text(page(), "utf-8")
