"""Compute the exact pins in ``requirements/*.txt``.

In: the ranges of ``pyproject.toml`` and ``requirements/*.in``. Out: one file each, with
versions and hashes for every Python from 3.11 on, and no address of any index. Pins
that still fit are kept; ``--upgrade`` looks for newer ones.
"""

import argparse
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "requirements"

# Order matters: later files are constrained by earlier ones, so that one environment
# can hold them all.
SOURCES = {
    "run": "../pyproject.toml",
    "build": "build.in",
    "assets": "assets.in",
    "test": "test.in",
    "check": "check.in",
    "bench": "bench.in",
    "audit": "audit.in",
    "lock": "lock.in",
}


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--upgrade", action="store_true", help="look for newer versions")
    options = parser.parse_args()
    for name, source in SOURCES.items():
        command = [
            *(sys.executable, "-m", "uv", "pip", "compile", source, "--quiet"),
            *("--output-file", f"{name}.txt", "--universal", "--python-version", "3.11"),
            *("--generate-hashes", "--no-header", "--annotation-style", "line"),
            *(["--upgrade"] if options.upgrade else []),
        ]
        done = subprocess.run(command, cwd=FOLDER, check=False)
        if done.returncode != 0:
            print(f"requirements/{name}.txt was not changed.", file=sys.stderr)
            return done.returncode
        print(f"requirements/{name}.txt")
    return 0


if __name__ == "__main__":
    sys.exit(main())
