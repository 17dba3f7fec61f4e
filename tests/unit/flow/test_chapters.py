"""Chapters that publishers keep in files of their own are read with care."""

import asyncio
import json

import pytest

from feedloom.flow.reader.chapters import MOST_CHAPTERS, Chapters, read_chapters
from feedloom.model.errors import Throttled
from feedloom.model.feed import Enclosure
from feedloom.model.stages import FetchRequest, FetchResponse


def test_chapters_are_sorted_and_hidden_ones_left_out():
    told = [
        {"startTime": 60.5, "title": "Second  part"},
        {"startTime": 0, "title": "First"},
        {"startTime": 30, "title": "An advertisement", "toc": False},
    ]

    found = read_chapters(json.dumps({"version": "1.2.0", "chapters": told}).encode())

    assert [(c.start_s, c.title) for c in found] == [(0.0, "First"), (60.5, "Second part")]


@pytest.mark.threat("P7")
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff\xfe",
        b"null",
        b"[]",
        b'{"chapters": {}}',
        b'{"chapters": [1, null, {}, {"startTime": "1", "title": "x"}]}',
        b'{"chapters": [{"startTime": -1, "title": "x"}, {"startTime": NaN, "title": "x"}]}',
        b'{"chapters": [{"startTime": 1%b, "title": "x"}]}' % (b"0" * 400),
        b'{"chapters": [{"startTime": true, "title": "x"}, {"startTime": 1, "title": " "}]}',
        b"[" * 100_000,
    ],
)
def test_what_is_no_list_of_chapters_has_none(body):
    assert list(read_chapters(body)) == []


def test_no_more_chapters_are_read_than_anybody_needs():
    told = [{"startTime": n, "title": str(n)} for n in range(10 * MOST_CHAPTERS)]

    assert len(read_chapters(json.dumps({"chapters": told}).encode())) == MOST_CHAPTERS


@pytest.mark.threat("W14")
async def test_slow_chapters_of_one_person_leave_room_for_others():
    free, asked = asyncio.Event(), []

    class SlowFetcher:
        async def fetch(self, request: FetchRequest) -> FetchResponse:
            asked.append(request.url)
            await free.wait()
            return FetchResponse(request.url, 200, {}, b'{"chapters": []}')

        async def close(self) -> None: ...

    chapters = Chapters(SlowFetcher())
    file = Enclosure("https://e.example/1.mp3", chapters_url="https://e.example/1.json")
    waiting = [asyncio.create_task(chapters.of(file, 1)) for _ in range(3)]
    await asyncio.sleep(0)

    with pytest.raises(Throttled):
        await chapters.of(file, 1)
    other = asyncio.create_task(chapters.of(file, 2))
    await asyncio.sleep(0)
    free.set()

    assert await asyncio.gather(*waiting, other) == [[]] * 4
    assert len(asked) == 4
    assert await chapters.of(file, 1) == []
