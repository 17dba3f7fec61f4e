"""All benchmarks, one after the other: ``python -m bench [--quick] [name …]``.

Each module in ``BENCHES`` has ``run(quick) -> list[Table]``. Tables are printed and
written as JSON to ``bench/results``; ratios compare what was measured in the same run.
"""

import argparse
import importlib
import json
import platform
from pathlib import Path

from bench.tables import Table

BENCHES = ("parsing", "refreshing", "discovery", "pages", "sync_walk", "rss")
RESULTS = Path(__file__).parent / "results"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench")
    parser.add_argument("--quick", action="store_true", help="smaller sizes")
    parser.add_argument("names", nargs="*", help=", ".join(BENCHES))
    chosen = parser.parse_args()
    RESULTS.mkdir(exist_ok=True)
    for name in chosen.names or BENCHES:
        if name not in BENCHES:
            parser.error(
                f"there is no benchmark {name!r}; there are {', '.join(BENCHES)}"
            )
        tables: list[Table] = importlib.import_module(f"bench.{name}").run(chosen.quick)
        for table in tables:
            print(table.text(), flush=True)
        document = {
            "bench": name,
            "quick": chosen.quick,
            "machine": platform.platform(),
            "python": platform.python_version(),
            "tables": [table.as_json() for table in tables],
        }
        (RESULTS / f"{name}.json").write_text(json.dumps(document, indent=2) + "\n")


if __name__ == "__main__":
    main()
