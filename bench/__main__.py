"""All benchmarks, one after the other: ``python -m bench [--quick] [name …]``.

Each module in ``BENCHES`` has ``run(quick) -> list[Table]`` and runs in a process of its
own, so that one that fails costs only itself: it is shown as failed, the others go on,
and the end is not zero. Tables are printed and written as JSON to ``bench/results``
(small ones to ``bench/results/quick``); ratios compare what was measured in the same
run. ``--write-docs`` then writes ``docs/performance.md`` from all results there are.
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

from bench.describing import write_page
from bench.machine import described
from bench.tables import Table

BENCHES = (
    "parsing",
    "refreshing",
    "discovery",
    "search",
    "pages",
    "marking",
    "sync_walk",
    "rss",
    "importing",
    "claims",
    "sizes",
    "startup",
    "simulating",
)
RESULTS = Path(__file__).parent / "results"
LONGEST_S, QUICK_LONGEST_S = 900, 240
_ROOT = Path(__file__).parents[1]


def main() -> None:
    chosen = _read_arguments()
    if chosen.here:
        _run_here(chosen.names[0], quick=chosen.quick)
        return
    folder(quick=chosen.quick).mkdir(parents=True, exist_ok=True)
    failed = [
        name
        for name in chosen.names or BENCHES
        if not _run_apart(name, quick=chosen.quick)
    ]
    if chosen.write_docs:
        print(f"\nwrote {write_page(RESULTS, BENCHES).relative_to(_ROOT)}")
    if failed:
        print(f"\nfailed: {', '.join(failed)}", file=sys.stderr)
        sys.exit(1)


def _read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench")
    parser.add_argument("--quick", action="store_true", help="smaller sizes")
    parser.add_argument(
        "--write-docs", action="store_true", help="write docs/performance.md as well"
    )
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*", help=", ".join(BENCHES))
    chosen = parser.parse_args()
    for name in chosen.names:
        if name not in BENCHES:
            parser.error(
                f"there is no benchmark {name!r}; there are {', '.join(BENCHES)}"
            )
    return chosen


def folder(*, quick: bool) -> Path:
    """Say where results go: small ones never take the place of others."""
    return RESULTS / "quick" if quick else RESULTS


def _run_apart(name: str, *, quick: bool) -> bool:
    """Run one in a process of its own; keep why it failed, if it did."""
    command = [sys.executable, "-m", "bench", "--here", name]
    limit_s = QUICK_LONGEST_S if quick else LONGEST_S
    began = time.perf_counter()
    why = ""
    try:
        done = subprocess.run(
            [*command, "--quick"] if quick else command,
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
        _write(name, quick=quick, failed=why)
    return not why


def _run_here(name: str, *, quick: bool) -> None:
    began = time.perf_counter()
    tables: list[Table] = importlib.import_module(f"bench.{name}").run(quick)
    for table in tables:
        print(table.text(), flush=True)
    _write(
        name,
        quick=quick,
        tables=[table.as_json() for table in tables],
        seconds=round(time.perf_counter() - began, 1),
        **_used(),
    )


def _used() -> dict[str, float]:
    """Tell what this benchmark used, with all its processes: peak is the largest one's."""
    mine = resource.getrusage(resource.RUSAGE_SELF)
    theirs = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = mine.ru_utime + mine.ru_stime + theirs.ru_utime + theirs.ru_stime
    return {
        "cpu_s": round(cpu_s, 1),
        "peak_mb": max(mine.ru_maxrss, theirs.ru_maxrss) // 1024,
    }


def _write(name: str, *, quick: bool, **found: object) -> None:
    document = {"bench": name, "quick": quick, **described(), **found}
    path = folder(quick=quick) / f"{name}.json"
    path.write_text(json.dumps(document, indent=2) + "\n")


if __name__ == "__main__":
    main()
