"""Databases that cannot be used: a sentence, exit code 1, the file untouched."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.both_engines

BIN = Path(sys.executable).parent


def feedloom(
    *arguments: str, stdin: str = "", **environment: str
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [BIN / "feedloom", *arguments],
        env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"} | environment,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def assert_told(result: "subprocess.CompletedProcess[str]", *words: str) -> None:
    assert result.returncode == 1, result.stderr
    assert "Traceback" not in result.stderr
    said = " ".join(result.stderr.split())
    for word in words:
        assert word in said


@pytest.mark.threat("D12")
@pytest.mark.parametrize("content", [b"garbage" * 1000, b"SQLite format 3\x00" + b"\x01" * 50])
def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path, content):
    file = tmp_path / "feedloom.db"
    file.write_bytes(content)

    result = feedloom("db", "upgrade", FEEDLOOM_DATABASE_URL=f"sqlite:///{file}")

    assert_told(result, str(file), "damaged or is not a Feedloom database")
    assert file.read_bytes() == content


@pytest.mark.threat("D12")
def test_a_truncated_database_is_told(tmp_path: Path):
    file = tmp_path / "feedloom.db"
    url = f"sqlite:///{file}"
    assert feedloom("db", "upgrade", FEEDLOOM_DATABASE_URL=url).returncode == 0
    whole = file.read_bytes()
    cut = whole[: len(whole) // 3]
    file.write_bytes(cut)

    result = feedloom("db", "check", FEEDLOOM_DATABASE_URL=url)

    assert result.returncode == 1
    assert "Traceback" not in result.stderr
    assert file.read_bytes() == cut


@pytest.mark.threat("D12")
def test_another_programs_database_is_left_alone(tmp_path: Path):
    file = tmp_path / "other.db"
    connection = sqlite3.connect(file)
    connection.execute("CREATE TABLE theirs (id INTEGER)")
    connection.commit()
    connection.close()
    before = file.read_bytes()

    result = feedloom("db", "upgrade", FEEDLOOM_DATABASE_URL=f"sqlite:///{file}")

    assert_told(result, "another program", "FEEDLOOM_DATABASE_URL")
    assert file.read_bytes() == before


@pytest.mark.threat("D12")
def test_a_folder_that_cannot_be_made_is_told():
    result = feedloom("db", "upgrade", FEEDLOOM_DATABASE_URL="sqlite:////proc/nowhere/x.db")

    assert_told(result, "/proc/nowhere")


@pytest.mark.threat("D5", "D12")
def test_a_read_only_database_is_told_and_left_alone(tmp_path: Path):
    file = tmp_path / "feedloom.db"
    url = f"sqlite:///{file}"
    assert feedloom("db", "upgrade", FEEDLOOM_DATABASE_URL=url).returncode == 0
    before = file.read_bytes()
    # Permissions do not stop root; a mount that is read-only stops everybody.
    script = (
        f"mount --bind {tmp_path} {tmp_path} && mount -o remount,ro,bind {tmp_path}"
        f" && exec {BIN / 'feedloom'} admin user list"
    )

    result = subprocess.run(
        ["unshare", "--mount", "--map-root-user", "sh", "-c", script],
        env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", "FEEDLOOM_DATABASE_URL": url},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert_told(result, str(file))
    assert "mount:" not in result.stderr
    assert file.read_bytes() == before


@pytest.mark.threat("D5")
def test_an_unreachable_postgresql_is_told():
    url = "postgresql://me:secret-word@127.0.0.1:1/feedloom"

    result = feedloom("db", "upgrade", FEEDLOOM_DATABASE_URL=url)

    assert_told(result, "PostgreSQL cannot be reached")
    assert "secret-word" not in result.stderr


@pytest.mark.parametrize(
    "url", ["mysql://x/y", "sqlite:", "feedloom.db", "postgresql://host/", "http://x/"]
)
def test_a_wrong_address_is_told(url):
    result = feedloom("db", "upgrade", FEEDLOOM_DATABASE_URL=url)

    assert_told(result, "FEEDLOOM_DATABASE_URL", "postgresql://user@host/database")


@pytest.mark.threat("U10")
def test_a_wrong_setting_stops_the_start_and_is_named():
    result = feedloom("update", FEEDLOOM_PORT="many")

    assert_told(result, "FEEDLOOM_PORT", "'many'", "0 to 65535")


@pytest.mark.threat("U10")
def test_an_unknown_setting_stops_the_start_and_is_named():
    result = feedloom("update", FEEDLOOM_PROT="8000")

    assert_told(result, "FEEDLOOM_PROT", "unknown setting")


def test_wrong_usage_is_exit_code_2():
    assert feedloom("db", "frobnicate").returncode == 2
    assert feedloom("update", "--nonsense").returncode == 2


@pytest.mark.threat("U7")
def test_backup_and_restore_by_command(tmp_path: Path):
    first, second = tmp_path / "one", tmp_path / "two"
    subprocess.run(
        [BIN / "feedloom", "admin", "user", "add", "ada@example.org", "--password-stdin"],
        env={"PATH": os.environ["PATH"], "FEEDLOOM_DATA_DIR": str(first)},
        input="correct horse\n",
        text=True,
        check=True,
        capture_output=True,
    )
    backup = tmp_path / "backup.db"

    made = feedloom("db", "backup", str(backup), FEEDLOOM_DATA_DIR=str(first))
    restored = feedloom("db", "restore", str(backup), FEEDLOOM_DATA_DIR=str(second))
    listed = feedloom("admin", "user", "list", "--json", FEEDLOOM_DATA_DIR=str(second))

    assert made.returncode == 0, made.stderr
    assert restored.returncode == 0, restored.stderr
    assert "ada@example.org" in listed.stdout
    again = feedloom("db", "backup", str(backup), FEEDLOOM_DATA_DIR=str(first))
    assert_told(again, "already exists")
