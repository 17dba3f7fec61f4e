"""newsboat, the real one from Debian: headless for syncing, at a terminal for keys.

Its own cache tells what it has understood; the keys are what a person would press. Each
key is pressed only when the screen shows what it is meant for.
"""

import os
import pty
import re
import select
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_PATIENCE_S = 30.0
_CONTROL = re.compile(rb"\x1b(?:\[[0-9;?]*[A-Za-z]|\([AB0]|[=>])")


@dataclass(frozen=True, slots=True)
class Newsboat:
    """A newsboat with a home of its own."""

    home: Path

    @classmethod
    def configure(cls, home: Path, source: str, *lines: str) -> "Newsboat":
        """Set up a newsboat that syncs with a server."""
        assert shutil.which("newsboat"), "newsboat is not installed"
        home.mkdir()
        config = [f'urls-source "{source}"', *lines]
        (home / "config").write_text("\n".join(config) + "\n")
        (home / "urls").write_text("")
        return cls(home)

    def say(self, line: str) -> None:
        """Add a line to its configuration."""
        with (self.home / "config").open("a") as config:
            config.write(f"{line}\n")

    @property
    def command(self) -> list[str]:
        """How this newsboat is started."""
        return [
            "newsboat",
            *("-C", str(self.home / "config")),
            *("-u", str(self.home / "urls")),
            *("-c", str(self.home / "cache.db")),
        ]

    @property
    def environment(self) -> dict[str, str]:
        """What it sees of ours."""
        names = {"HOME": str(self.home), "TERM": "xterm", "LC_ALL": "C.UTF-8"}
        return {"PATH": os.environ["PATH"], **names, "LINES": "24", "COLUMNS": "80"}

    def reload(self) -> str:
        """Sync without a terminal; return what it says of unread articles."""
        done = subprocess.run(
            [*self.command, "-x", "reload", "print-unread"],
            env=self.environment,
            check=False,
            capture_output=True,
            text=True,
            timeout=_PATIENCE_S,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.strip()

    def articles(self) -> dict[str, bool]:
        """Tell the titles in its cache, and which of them are unread."""
        cache = sqlite3.connect(self.home / "cache.db")
        try:
            rows = cache.execute("SELECT title, unread FROM rss_item WHERE NOT deleted")
            return {title: bool(unread) for title, unread in rows}
        finally:
            cache.close()

    def feeds(self) -> list[str]:
        """Tell the titles of feeds in its cache."""
        cache = sqlite3.connect(self.home / "cache.db")
        try:
            return [row[0] for row in cache.execute("SELECT title FROM rss_feed")]
        finally:
            cache.close()

    def lists_stars(self) -> bool:
        """Tell whether it has a list of starred articles in this mode."""
        cache = sqlite3.connect(self.home / "cache.db")
        try:
            rows = cache.execute("SELECT 1 FROM rss_feed WHERE rssurl = 'starred'")
            return rows.fetchone() is not None
        finally:
            cache.close()

    def press(self, steps: Sequence[tuple[str, str]]) -> None:
        """Press keys at a terminal, each when the screen shows a text; then wait."""
        ours, its = pty.openpty()
        process = subprocess.Popen(
            self.command,
            stdin=its,
            stdout=its,
            stderr=its,
            env=self.environment,
            start_new_session=True,
        )
        os.close(its)
        try:
            for text, keys in steps:
                _wait_for(ours, text)
                os.write(ours, keys.encode())
            _read_to_the_end(ours)
            assert process.wait(_PATIENCE_S) == 0
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
            os.close(ours)


def _wait_for(terminal: int, text: str) -> None:
    seen = b""
    ends_at = time.monotonic() + _PATIENCE_S
    while text.encode() not in _CONTROL.sub(b"", seen):
        assert time.monotonic() < ends_at, f"{text!r} never showed: {seen[-500:]!r}"
        if select.select([terminal], [], [], 0.1)[0]:
            seen += os.read(terminal, 65_536)


def _read_to_the_end(terminal: int) -> None:
    ends_at = time.monotonic() + _PATIENCE_S
    while time.monotonic() < ends_at:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                if not os.read(terminal, 65_536):
                    return
            except OSError:
                # The other end is closed: so Linux says it.
                return
