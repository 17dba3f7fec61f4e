"""What commands print for people."""

from datetime import UTC, datetime

import pytest

from feedloom.cli.output import show

AT = datetime(2026, 11, 15, 13, 38, 21, 279092, tzinfo=UTC)


def test_values_are_said_as_people_say_them(capsys: pytest.CaptureFixture[str]):
    show([{"at": AT, "enabled": True, "paused": False, "why": None}], as_json=False)
    said = capsys.readouterr().out.splitlines()[-1].split("  ")

    assert [word.strip() for word in said if word.strip()] == ["2026-11-15 13:38 UTC", "yes", "no"]


def test_programs_get_values_whole(capsys: pytest.CaptureFixture[str]):
    show([{"at": AT, "enabled": True, "why": None}], as_json=True)

    assert '"enabled": true' in capsys.readouterr().out
