"""A street of publishers, some of them bad, in a process of its own.

    python -m tests.faults.lab.street FEEDS BAD

It places FEEDS feeds, four to a host; BAD of them hang, drip or explode, on hosts of
their own. It prints their addresses as one line of JSON and serves until its standard
input ends.
"""

import json
import sys

from tests.factories_feeds import entries
from tests.publisher import Publisher, PublisherThread

PER_HOST = 4
BAD_WAYS = ("hang", "drip", "drip_headers", "bomb_gzip", "bomb_br", "endless_chunks", "reset")


def host(number: int) -> str:
    """Name the host of a feed."""
    place = number // PER_HOST
    return f"127.2.{place // 250}.{place % 250 + 1}"


def place(publisher: Publisher, feeds: int, bad: int) -> dict[str, list[str]]:
    """Open all shops; tell their addresses."""
    good = [
        publisher.feed(f"/{n}.xml", entries=entries(10), title=f"F{n}", host=host(n))
        for n in range(feeds - bad)
    ]
    start = -(-feeds // PER_HOST) * PER_HOST
    wicked = [
        publisher.evil(BAD_WAYS[n % len(BAD_WAYS)], host(start + n)) + f"?{n}" for n in range(bad)
    ]
    return {"good": good, "bad": wicked}


if __name__ == "__main__":
    with PublisherThread() as made:
        print(json.dumps(place(made, *map(int, sys.argv[1:3]))), flush=True)  # noqa: T201
        sys.stdin.read()
