"""What people mistype: a sentence that says what is wrong, and the usual exit code."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.databases import Databases, sqlite_databases
from tests.journeys.cli.commands import Command, commands

BIN = Path(sys.executable).parent
TOO_LARGE = ["2147483648", "9" * 23, "9" * 5_000]


@pytest.fixture
def cli(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    monkeypatch.chdir(tmp_path)
    databases = sqlite_databases(tmp_path)
    return commands(databases, str(tmp_path), monkeypatch, capsys)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("feedloom.db/x.db", "Not a directory"),
        ("b" * 250, "File name too long"),
        ("b" * 300, "File name too long"),
    ],
)
def test_a_backup_that_cannot_be_written_is_named(cli: Command, name, why):
    cli("db", "upgrade")

    said = cli("db", "backup", name)

    assert said.code == 1
    assert f"{name} cannot be written: {why}." in said.err


@pytest.mark.parametrize("name", ["/", "", "."])
def test_a_folder_is_no_name_for_a_backup(cli: Command, name):
    said = cli("db", "backup", name)

    assert said.code == 1
    assert "already exists" in said.err


def test_a_backup_may_have_any_name(cli: Command, tmp_path: Path):
    name = "50% of #1? yes.db"
    assert cli("db", "upgrade").code == 0

    made = cli("db", "backup", name)
    restored = cli(
        *("db", "restore", name),
        FEEDLOOM_DATABASE_URL=f"sqlite:///{tmp_path}/new.db",
        FEEDLOOM_WORKER_DATABASE_URL="",
    )

    assert made.code == restored.code == 0
    assert (tmp_path / name).is_file()
    assert not list(tmp_path.glob("*.unfinished*"))


def test_a_name_that_is_too_long_is_no_backup(cli: Command):
    said = cli("db", "restore", "b" * 300)

    assert said.code == 1
    assert "There is no database at" in said.err


@pytest.mark.parametrize("feed", TOO_LARGE)
def test_a_number_no_feed_can_have_is_no_feed(
    engine_url: Databases, tmp_path: Path, monkeypatch, capsys, feed
):
    said = commands(engine_url, str(tmp_path), monkeypatch, capsys)("update", "--feed", feed)

    assert said.code == 1
    assert said.err.replace("\n", "").endswith(f"There is no feed {feed}.")


def failing(*words: str, stdin: bytes = b"", **environment: str) -> str:
    """Run a command in a process of its own that fails, and return what it says."""
    result = subprocess.run(
        [BIN / "feedloom", *words],
        env={"PATH": os.environ["PATH"]} | environment,
        input=stdin,
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert result.returncode == 1
    assert b"Traceback" not in result.stderr
    return result.stderr.decode()


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_a_password_that_is_no_text_is_told(tmp_path: Path, locale):
    said = failing(
        *("admin", "user", "add", "ada@example.org", "--password-stdin"),
        stdin=b"caf\xe9 au lait\n",
        LC_ALL=locale,
        FEEDLOOM_DATA_DIR=str(tmp_path),
    )

    assert "The password on standard input is not UTF-8 text." in said


@pytest.mark.parametrize("port", ["99999", "-1", "65536"])
def test_a_port_that_does_not_exist_is_wrong_usage(cli: Command, port):
    said = cli("serve", "--port", port)

    assert said.code == 2
    assert "--port" in said.err


@pytest.mark.sampled(1)
@pytest.mark.parametrize("host", ["nohost.invalid", "a..b", "192.0.2.1"])
def test_a_host_that_is_not_here_is_told(tmp_path: Path, host):
    said = failing(*("serve", "--port", "0", "--host", host), FEEDLOOM_DATA_DIR=str(tmp_path))

    assert f"'{host}' is not an address of this machine" in said
    assert "FEEDLOOM_HOST" in said
