"""Results in, ``docs/performance.md`` out: goals first, then every table with its method.

Nothing is written by hand: method comes from each benchmark's own docstring, figures
from its JSON. A benchmark that failed or ran in its small form is shown so; one that was
not run here stays as the page had it.
"""

import importlib.util
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.goals import GOALS, Result
from bench.tables import shown

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"
_HEAD = """# Performance

Written by `make bench`; do not edit. Every benchmark compares what it measured in the
same run on the same machine: with a peer, or with the least the work can cost. Run it
again with `make bench`, one of them with `make bench ARGS="rss"`, all of them small with
`make bench-quick`. What follows from the figures for large installations is in
[scaling](scaling.md).
"""


def write_page(results: Path, names: Sequence[str], path: Path = PAGE) -> None:
    """Write the page from all results there are, and from what it says already."""
    before = path.read_text() if path.exists() else ""
    found = {name: _read(results / f"{name}.json") for name in names}
    path.write_text(page(found, before))


def page(results: Mapping[str, Result | None], before: str = "") -> str:
    """Return the page; what was not run is as it was ``before``."""
    goals, *old = before.partition("## Goals\n")[2].split("\n## ")
    rows = {line.split(" | ")[0]: line for line in goals.splitlines()}
    sections = {text.partition("\n")[0]: f"## {text}" for text in old}
    parts = [_HEAD, _machine(results), "## Goals\n", _goals(results, rows)]
    for name, result in results.items():
        kept = sections.get(_heading(name)) if result is None else None
        parts.append(kept or _section(name, result))
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _heading(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _read(path: Path) -> Result | None:
    if not path.exists():
        return None
    found: dict[str, Any] = json.loads(path.read_text())
    # A result that does not say when it was measured is from before this page.
    return found if "at" in found else None


def _machine(results: Mapping[str, Result | None]) -> str:
    last = max(
        (result for result in results.values() if result),
        key=lambda result: str(result["at"]),
        default=None,
    )
    if last is None:
        return "Nothing was run yet.\n"
    return (
        f"Last run {last['at']}: {last['machine']}, {last['system']}, Python"
        f" {last['python']}, SQLite {last['sqlite']}; PostgreSQL 18 with 256 MB of"
        " buffers where sizes matter, its defaults elsewhere. Runs before it were made"
        " on machines of the same size, whose processors are named where they are"
        " known.\n"
    )


def _goals(results: Mapping[str, Result | None], before: Mapping[str, str]) -> str:
    lines = _grid([("goal", "measured", "")])
    for goal in GOALS:
        measured, met = goal.judge(results.get(goal.bench))
        verdict = {True: "met", False: "**missed**", None: "not measured"}[met]
        line = _line((goal.text, measured, verdict))
        if results.get(goal.bench) is None:
            line = before.get(line.split(" | ")[0], line)
        lines += f"{line}\n"
    return lines


def _section(name: str, result: Result | None) -> str:
    lines = [f"## {_heading(name)}\n", _method(name), ""]
    if result is None:
        return "\n".join([*lines, "*Not run.*\n"])
    if "failed" in result:
        return "\n".join([*lines, f"*Failed: {result['failed']}*\n"])
    lines.append(_circumstances(result))
    for table in result["tables"]:
        lines += [f"### {table['title']}\n", _table(table), table["note"], ""]
    return "\n".join(lines)


def _circumstances(result: Result) -> str:
    small = " In its **small form**." if result["quick"] else ""
    used = ""
    if "cpu_s" in result:
        used = (
            f" The benchmark took {result['seconds']} s and {result['cpu_s']} CPU s in all"
            f" its processes, the largest of which reached {result['peak_mb']} MB."
        )
    load = result.get("load", "?")
    when = f"{result.get('at', '?')}, {result['machine']}"
    return f"*{when}, load {load} at the end.{used}{small}*\n"


def _method(name: str) -> str:
    """Take the method from the module's own words, without running it."""
    spec = importlib.util.find_spec(f"bench.{name}")
    if spec is None or spec.origin is None:
        return ""
    text = Path(spec.origin).read_text()
    docstring = text.split('"""')[1]
    return docstring.strip()


def _table(table: Mapping[str, Any]) -> str:
    rows = [tuple(table["columns"])]
    rows += [tuple(shown(cell) for cell in row) for row in table["rows"]]
    return _grid(rows)


def _grid(rows: Sequence[Sequence[str]]) -> str:
    head, *rest = map(_line, rows)
    line = "|" + " --- |" * len(rows[0])
    return "\n".join([head, line, *rest]) + "\n"


def _line(row: Sequence[str]) -> str:
    return f"| {' | '.join(_safe(cell) for cell in row)} |"


def _safe(cell: str) -> str:
    return cell.replace("|", "\\|").replace("<", "&lt;")
