"""Commands in this process, with an environment of their own."""

import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from feedloom.cli import admin, program
from feedloom.cli.output import run_program
from tests.databases import Databases


@dataclass(frozen=True, slots=True)
class Said:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


Command = Callable[..., Said]


def commands(
    databases: Databases,
    folder: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Command:
    """Make what runs ``feedloom`` (or ``admin``) as from a shell."""
    monkeypatch.setenv("FEEDLOOM_DATA_DIR", folder)
    monkeypatch.setenv("FEEDLOOM_DATABASE_URL", databases.web_url)
    monkeypatch.setenv("FEEDLOOM_WORKER_DATABASE_URL", databases.worker_url)
    monkeypatch.setenv("FEEDLOOM_ALLOW_NETWORKS", "127.0.0.0/8")

    def run(*words: str, name: str = "feedloom", stdin: str = "", **environment: str) -> Said:
        with monkeypatch.context() as patched:
            patched.setattr("sys.stdin", io.StringIO(stdin))
            for key, value in environment.items():
                patched.setenv(key, value)
            patched.setattr("sys.argv", [name, *words])
            try:
                code = run_program(program if name == "feedloom" else admin, name)
            except SystemExit as stop:
                code = int(stop.code or 0)
        said = capsys.readouterr()
        return Said(code, said.out, said.err)

    return run
