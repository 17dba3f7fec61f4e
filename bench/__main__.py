"""All benchmarks, one after the other: ``python -m bench [--quick] [name …]``.

Each module in ``BENCHES`` has ``run(quick) -> list[Table]`` and runs in a process of its
own. One that fails is shown as failed, the others continue, and the exit status is 1.
Tables are printed and written as JSON to ``bench/results`` (small ones to
``bench/results/quick``); ratios compare what was measured in the same run.
``--write-docs`` then writes ``docs/performance.md`` from all results there are.
"""

import argparse
import importlib
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

from bench.describing import PAGE, write_page
from bench.machine import described
from bench.tables import Table

BENCHES = (
    "parsing",
    "refreshing",
    "bad_hosts",
    "discovery",
    "search",
    "stories",
    "pages",
    "lists",
    "marking",
    "sync_walk",
    "rss",
    "images",
    "importing",
    "claims",
    "urgency",
    "sizes",
    "startup",
    "simulating",
)
RESULTS = Path(__file__).parent / "results"
LONGEST_S, QUICK_LONGEST_S = 1_800, 240
_ROOT = Path(__file__).parents[1]


def main() -> None:
    chosen = _read_arguments()
    if chosen.here:
        _run_here(chosen.names[0], quick=chosen.quick, results=chosen.results)
        return
    failed = [
        name
        for name in chosen.names or BENCHES
        if not run_apart(name, quick=chosen.quick, results=chosen.results)
    ]
    if chosen.write_docs:
        write_page(chosen.results, BENCHES, PAGE)
        print(f"\nwrote {PAGE.relative_to(_ROOT)}")
    if failed:
        print(f"\nfailed: {', '.join(failed)}", file=sys.stderr)
        sys.exit(1)


def _read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench")
    parser.add_argument("--quick", action="store_true", help="smaller sizes")
    parser.add_argument(
        "--write-docs", action="store_true", help="write docs/performance.md as well"
    )
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder for the JSON")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*", help=", ".join(BENCHES))
    chosen = parser.parse_args()
    for name in chosen.names:
        if name not in BENCHES and not chosen.here:
            parser.error(f"there is no benchmark {name!r}; there are {', '.join(BENCHES)}")
    return chosen


def run_apart(name: str, *, quick: bool, results: Path) -> bool:
    """Run one in a process of its own; keep why it failed, if it did."""
    command = [sys.executable, "-m", "bench", "--here", "--results", str(results)]
    limit_s = QUICK_LONGEST_S if quick else LONGEST_S
    began = time.perf_counter()
    why = ""
    try:
        done = subprocess.run(
            [*command, *(["--quick"] if quick else []), name],
            cwd=_ROOT,
            env=os.environ | {"PYTHONPATH": f"{_ROOT}:{_ROOT / 'src'}"},
            stderr=subprocess.PIPE,
            text=True,
            timeout=limit_s,
            check=False,
        )
        if done.returncode:
            why = (done.stderr.strip().splitlines() or ["it ended"])[-1]
            print(done.stderr, file=sys.stderr)
    except subprocess.TimeoutExpired:
        why = f"it took more than {limit_s} s"
    print(f"[{name}: {time.perf_counter() - began:.0f} s]", flush=True)
    if why:
        print(f"\n## {name} FAILED: {why}", flush=True)
        _write(name, quick=quick, results=results, failed=why)
    return not why


def _run_here(name: str, *, quick: bool, results: Path) -> None:
    began = time.perf_counter()
    tables: list[Table] = importlib.import_module(f"bench.{name}").run(quick)
    for table in tables:
        print(table.text(), flush=True)
    _write(
        name,
        quick=quick,
        results=results,
        tables=[table.as_json() for table in tables],
        seconds=round(time.perf_counter() - began, 1),
        **_used(),
    )


def _used() -> dict[str, float]:
    """Tell what this benchmark used, with all its processes: peak is the largest one's."""
    mine = resource.getrusage(resource.RUSAGE_SELF)
    theirs = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = mine.ru_utime + mine.ru_stime + theirs.ru_utime + theirs.ru_stime
    return {"cpu_s": round(cpu_s, 1), "peak_mb": max(mine.ru_maxrss, theirs.ru_maxrss) // 1024}


def _write(name: str, *, quick: bool, results: Path, **found: object) -> None:
    """Keep a result; small ones never take the place of others."""
    folder = results / "quick" if quick else results
    folder.mkdir(parents=True, exist_ok=True)
    document = {"bench": name, "quick": quick, **described(), **found}
    (folder / f"{name}.json").write_text(json.dumps(document, indent=2) + "\n")


if __name__ == "__main__":
    main()
