"""Commands: thin, one module each. Exit codes: 0 done, 1 failed, 2 wrong usage."""

import sys

from feedloom.cli.output import run_program
from feedloom.cli.program import admin, program

__all__ = ["admin_main", "main"]


def main() -> None:
    sys.exit(run_program(program, "feedloom"))


def admin_main() -> None:
    sys.exit(run_program(admin, "admin"))
