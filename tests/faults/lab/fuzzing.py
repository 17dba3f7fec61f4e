"""Mutated documents by the hundred thousand; a program.

    python -m tests.faults.lab.fuzzing fast|fallback|lists COUNT SEED

Each document is one of the corpus, damaged in a few places. It ends as a feed that
keeps its promises or as one of our errors; anything else ends the program with the seed
that shows it. Prints what became of them, the slowest one, and the most memory used.
"""

import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from feedloom.model.errors import ParseError
from feedloom.parse import read_opml
from feedloom.parse.parser import read_fast
from feedloom.parse.raw import Unsure
from tests.corpus.feeds import NOW, URL
from tests.unit.parse.reading import guess_here
from tests.unit.parse.test_properties import BODIES, check, mutated

_CLEANED = 20
"""Of so many feeds one is cleaned as well, which takes longer than reading it."""


_LETTERS = b"0123456789abcdefXYZ"
LISTS = [
    (
        b"<opml version='2.0'><head><title>T</title></head><body>"
        b"<outline text='A &amp; B'><outline type='rss' text='x' xmlUrl='https://a.example/f'"
        b" htmlUrl='https://a.example/'/><outline text='deep'><outline xmlUrl='//b.example'/>"
        b"</outline></outline><outline xmlUrl='http://c.example/?a=1&amp;b=2'></outline>"
        b"</body></opml>"
    ),
    (
        b"<?xml version='1.0' encoding='utf-8'?><OPML><body><outline TEXT='y'"
        b" XMLURL='https://user:word@d.example/feed'> </outline></body></OPML>"
    ),
]


def most_memory_kb() -> int:
    """Return the most memory this program had (``ru_maxrss`` knows its parent's, too)."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0])


def fast(body: bytes, seed: int) -> str:
    try:
        found = read_fast(body, url=URL, now=NOW)
    except Unsure:
        return "unsure"
    except ParseError:
        return "refused"
    if seed % _CLEANED == 0:
        check(found)
    return "feed"


def fallback(body: bytes, _seed: int) -> str:
    try:
        found = guess_here(body, url=URL, content_type="", now=NOW)
    except ParseError:
        return "refused"
    check(found)
    return "feed"


def lists(body: bytes, _seed: int) -> str:
    try:
        read_opml(body)
    except ParseError:
        return "refused"
    return "list"


def softly(body: bytes, seed: int) -> bytes:
    """Change letters and digits only: most documents stay well formed."""
    chance = random.Random(seed)
    changed = bytearray(body)
    for _ in range(chance.randint(1, 30)):
        at = chance.randrange(len(changed)) if changed else 0
        if changed[at : at + 1].isalnum():
            changed[at] = chance.choice(_LETTERS)
    return bytes(changed)


def main(read: Callable[[bytes, int], str], count: int, first: int) -> None:
    ended: Counter[str] = Counter()
    bodies = LISTS if read is lists else BODIES
    slowest, slowest_seed = 0.0, 0
    chance = random.Random(first)
    before_kb = most_memory_kb()
    for seed in range(first, first + count):
        damage = softly if seed % 2 else mutated
        body = damage(chance.choice(bodies), seed)
        began = time.thread_time()
        try:
            ended[read(body, seed)] += 1
        except Exception:
            print(f"seed {seed}: {body!r}", file=sys.stderr)  # noqa: T201 - to see it
            raise
        took = time.thread_time() - began
        if took > slowest:
            slowest, slowest_seed = took, seed
    used_kb = most_memory_kb()
    found = {
        "documents": count,
        "ended": dict(ended),
        "slowest_s": slowest,
        "slowest_seed": slowest_seed,
        "memory_mb": used_kb / 1024,
        "grown_mb": (used_kb - before_kb) / 1024,
    }
    print(json.dumps(found))  # noqa: T201 - the test reads it


if __name__ == "__main__":
    how, number, start = sys.argv[1:4]
    main({"fast": fast, "fallback": fallback, "lists": lists}[how], int(number), int(start))
