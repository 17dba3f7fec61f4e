"""The cache on disk: within its limit, under load and after kills."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from feedloom.images import ImageCache
from feedloom.model.stages import Picture
from feedloom.processes import environment

LIMIT = 2_000_000
BODY = os.urandom(20_000)
ONE = Picture(BODY, "image/webp", 640, 480)


def url(number: int) -> str:
    return f"https://pictures.example/{number}.jpg"


def taken(folder: Path) -> int:
    return sum(max(f.stat().st_size, 4_096) for f in folder.rglob("*") if f.is_file())


def test_a_picture_is_kept_with_its_type_and_size(tmp_path: Path):
    ImageCache(tmp_path, LIMIT).write(url(1), 800, "webp", ONE)
    again = ImageCache(tmp_path, LIMIT)

    assert again.read(url(1), 800, "webp") == ONE
    assert again.size(url(1)) == (640, 480)
    assert again.read(url(1), 320, "webp") is None
    assert again.read(url(1), 800, "") is None
    assert again.size(url(2)) is None


def test_the_least_recently_used_go_first(tmp_path: Path):
    cache = ImageCache(tmp_path, LIMIT)
    for number in range(60):
        cache.write(url(number), 800, "", ONE)
    old = time.time() - 1_000
    for file in tmp_path.rglob("*-800-"):
        os.utime(file, (old, old))
    cache.read(url(8), 800, "")
    for file in tmp_path.rglob("*-800-"):
        # Only one was used since.
        if file.stat().st_mtime > old + 1:
            os.utime(file, (old + 500, old + 500))
    for number in range(60, 100):
        cache.write(url(number), 800, "", ONE)

    kept = [number for number in range(100) if cache.read(url(number), 800, "")]
    assert 8 in kept
    assert set(range(60, 100)) <= set(kept)
    assert len(kept) < 80


def test_the_limit_holds_while_many_write(tmp_path: Path):
    caches = [ImageCache(tmp_path, LIMIT), ImageCache(tmp_path, LIMIT)]
    sizes = []

    def write(first: int) -> None:
        for number in range(first, first + 120):
            caches[first % 2].write(url(number), 800, "", ONE)

    writers = [threading.Thread(target=write, args=(n * 1_001,)) for n in range(4)]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        try:
            sizes.append(taken(tmp_path))
        except FileNotFoundError:
            continue
    sizes.append(taken(tmp_path))

    assert max(sizes) <= LIMIT
    assert sizes[-1] > LIMIT // 2, "it is used, too"


WRITER = """
import os, sys
from pathlib import Path
from feedloom.images import ImageCache
from feedloom.model.stages import Picture
cache = ImageCache(Path(sys.argv[1]), 2_000_000)
number = int(sys.argv[2])
while True:
    number += 1
    picture = Picture(os.urandom(20_000), "image/webp", 1, 1)
    cache.write(f"https://pictures.example/{number}.jpg", 800, "", picture)
    print(number, flush=True)
"""


@pytest.mark.faults
def test_killed_writers_leave_whole_pictures_and_the_limit(tmp_path: Path):
    for turn in range(4):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), str(turn * 10_000)],
            stdout=subprocess.PIPE,
            env=environment(),
        )
        assert writer.stdout is not None
        last = [int(writer.stdout.readline()) for _ in range(100)][-1]
        writer.send_signal(signal.SIGKILL)
        writer.stdout.close()
        writer.wait()
        cache = ImageCache(tmp_path, LIMIT)
        found = cache.read(url(last), 800, "")

        assert found is not None
        assert len(found.body) == 20_000
        assert taken(tmp_path) <= LIMIT


def test_drafts_of_killed_writers_are_removed(tmp_path: Path):
    (tmp_path / "ab").mkdir()
    draft = tmp_path / "ab" / "draft-0123"
    draft.write_bytes(b"x")
    os.utime(draft, (0, 0))

    ImageCache(tmp_path, LIMIT).write(url(1), 800, "", ONE)

    assert not draft.exists()


def test_a_failure_is_remembered_for_a_while(tmp_path: Path):
    cache = ImageCache(tmp_path, LIMIT)
    cache.note_failure(url(1))
    failed = cache.has_failed(url(1))
    for file in tmp_path.rglob("*"):
        os.utime(file, (0, 0))

    assert failed
    assert cache.size(url(1)) is None
    assert not cache.has_failed(url(1))
    assert not cache.has_failed(url(2))


@pytest.mark.parametrize("content", [b"", b"image/webp", b"image/webp 1\nx", b"\xff\n"])
def test_a_damaged_file_is_no_picture(tmp_path: Path, content: bytes):
    cache = ImageCache(tmp_path, LIMIT)
    cache.write(url(1), 800, "", ONE)
    next(tmp_path.rglob("*-800-")).write_bytes(content)

    assert cache.read(url(1), 800, "") is None


def test_a_folder_that_cannot_be_written_only_costs_time(tmp_path: Path):
    (tmp_path / "file").write_text("no folder")
    cache = ImageCache(tmp_path / "file", LIMIT)
    cache.write(url(1), 800, "", ONE)
    cache.note_failure(url(2))

    assert cache.read(url(1), 800, "") is None
    assert not cache.has_failed(url(2))
