"""Pictures on disk: within a size limit, the least recently used out first.

A file appears whole or not at all, and nothing is remembered beside the files, so that a
killed process leaves nothing wrong behind and several processes may share a folder. Beside
the pictures of an address stands what is known of its original: its size, or that it
could not be had.
"""

import hashlib
import os
import secrets
import threading
import time
from pathlib import Path

import structlog

from feedloom.model.stages import Picture

_FAILED_FOR_S = 600
"""For so long nobody asks again for what could not be had."""
_DRAFT = "draft-"
_DRAFT_LIFE_S = 600
_STEP = 20
"""The folder is looked through after each twentieth of the limit."""
_FULL = 0.8
"""What is left after a look; several processes may share the rest."""
_LEAST_FILE = 4_096
"""What even an empty file takes."""
log = structlog.get_logger()


class ImageCache:
    """Blocks while it reads and writes; may be used from several threads."""

    def __init__(self, folder: Path, limit_bytes: int) -> None:
        self._folder = folder
        self._limit = limit_bytes
        self._written = limit_bytes
        """Since the folder was last looked through: not at all yet."""
        self._lock = threading.Lock()

    def read(self, url: str, width: int, accepts: str) -> Picture | None:
        text = _read_and_touch(self._path(url, f"-{width}-{accepts}"))
        head, newline, body = (text or b"").partition(b"\n")
        words = head.decode("latin-1").split()
        if not newline or len(words) != 3:  # noqa: PLR2004 - type, width and height
            return None
        return Picture(body, words[0], int(words[1]), int(words[2]))

    def write(self, url: str, width: int, accepts: str, picture: Picture) -> None:
        size = f"{picture.width} {picture.height}"
        self._write(self._path(url), size.encode())
        head = f"{picture.mime} {size}\n".encode()
        self._write(self._path(url, f"-{width}-{accepts}"), head + picture.body)

    def size(self, url: str) -> tuple[int, int] | None:
        """Return width and height of an original, where they are known."""
        words = (_read_and_touch(self._path(url)) or b"").split()
        return (int(words[0]), int(words[1])) if words else None

    def note_failure(self, url: str) -> None:
        self._write(self._path(url), b"")

    def has_failed(self, url: str) -> bool:
        """Tell whether the picture could not be had a moment ago."""
        try:
            found = self._path(url).stat()
        except OSError:
            return False
        return found.st_size == 0 and time.time() - found.st_mtime < _FAILED_FOR_S

    def _path(self, url: str, ending: str = "") -> Path:
        digest = hashlib.sha256(url.encode()).hexdigest()[:40]
        return self._folder / digest[:2] / f"{digest[2:]}{ending}"

    def _write(self, path: Path, content: bytes) -> None:
        taken = max(len(content), _LEAST_FILE)
        if taken > self._limit // _STEP:
            return
        draft = path.with_name(f"{_DRAFT}{secrets.token_hex(8)}")
        try:
            with self._lock:
                if self._written + taken > self._limit // _STEP:
                    self._make_room()
                    self._written = 0
                self._written += taken
            path.parent.mkdir(parents=True, exist_ok=True)
            draft.write_bytes(content)
            draft.replace(path)
        except OSError as error:
            # A full disk costs time, not pictures.
            log.warning("image_not_kept", why=error.strerror)

    def _make_room(self) -> None:
        """Delete what was used least recently until a part of the limit is free."""
        oldest_draft = time.time() - _DRAFT_LIFE_S
        found: list[tuple[float, int, str]] = []
        for folder in _entries(self._folder):
            for file in _entries(folder.path) if folder.is_dir() else ():
                try:
                    about = file.stat()
                except FileNotFoundError:
                    continue
                if file.name.startswith(_DRAFT) and about.st_mtime < oldest_draft:
                    Path(file.path).unlink(missing_ok=True)
                else:
                    found.append((about.st_mtime, max(about.st_size, _LEAST_FILE), file.path))
        total = sum(size for _, size, _ in found)
        found.sort(reverse=True)
        while found and total > self._limit * _FULL:
            _, size, path = found.pop()
            Path(path).unlink(missing_ok=True)
            total -= size


def _entries(folder: Path | str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except FileNotFoundError:
        return []


def _read_and_touch(path: Path) -> bytes | None:
    try:
        content = path.read_bytes()
        if content:
            os.utime(path)
    except OSError:
        return None
    return content
