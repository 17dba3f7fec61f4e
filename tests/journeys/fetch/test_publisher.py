"""The publisher itself: other tests lean on what it promises."""

import subprocess
import sys
import time
from calendar import timegm
from datetime import UTC, datetime, timedelta

import feedparser
import msgspec
import pytest

from feedloom.model.stages import FetchRequest
from tests.factories_feeds import FIRST_ENTRY_AT, atom, entries, entry, json_feed, rss
from tests.publisher import Answer, Publisher, PublisherThread

PODCAST = {"enclosure": ("https://e.example/1.mp3", "audio/mpeg", 99), "summary": "S & T"}
ODD = entry(1, title="<b> & „ü“", content='<p>a < b ]]> "c"</p>', **PODCAST)


@pytest.mark.parametrize("build", [rss, atom])
def test_feeds_are_valid_documents(build):
    document = build(title="T & T", entries=[ODD, *entries(3, start=2)], hub="h:&")

    parsed = feedparser.parse(document)

    assert not parsed.bozo
    assert parsed.feed.title == "T & T"
    assert parsed.entries[0].title == "<b> & „ü“"
    assert parsed.entries[0].id == "urn:example:entry:1"
    assert parsed.entries[0].enclosures[0].href == "https://e.example/1.mp3"
    published = datetime.fromtimestamp(timegm(parsed.entries[0].published_parsed), tz=UTC)
    assert published == ODD.published_at


def test_json_feeds_are_valid_documents():
    parsed = msgspec.json.decode(json_feed(title="T", entries=[ODD], hub="h:"))

    assert parsed["version"] == "https://jsonfeed.org/version/1.1"
    assert parsed["items"][0]["content_html"] == ODD.content
    assert parsed["items"][0]["attachments"][0]["size_in_bytes"] == 99


def test_entries_are_newest_first_and_always_the_same():
    made = entries(3)

    assert made == entries(3)
    assert [e.guid for e in made] == [f"urn:example:entry:{n}" for n in (3, 2, 1)]
    assert [e.published_at for e in made] == [
        FIRST_ENTRY_AT + timedelta(hours=n) for n in (3, 2, 1)
    ]


@pytest.mark.parametrize("kind", ["rss", "atom", "json"])
async def test_bumped_feed_has_one_entry_more(fetcher, publisher, kind):
    url = publisher.feed("/f", kind=kind, entries=entries(2))
    before = await fetcher.fetch(FetchRequest(url))
    publisher.bump("/f")
    after = await fetcher.fetch(FetchRequest(url))

    assert before.headers["etag"] != after.headers["etag"]
    assert before.headers["last-modified"] != after.headers["last-modified"]
    assert len(after.body) > len(before.body)


async def test_script_is_played_in_order_and_its_end_repeats(fetcher, publisher):
    url = publisher.script("/x", [Answer(503), Answer(404), Answer(body=b"ok")])

    statuses = [(await fetcher.fetch(FetchRequest(url))).status for _ in range(4)]

    assert statuses == [503, 404, 200, 200]
    assert publisher.count("/x") == 4


async def test_hosts_may_have_content_of_their_own(fetcher, publisher):
    shared = publisher.page("/", "shared")
    own = publisher.page("/", "own", host="127.0.3.7")

    assert (await fetcher.fetch(FetchRequest(shared))).body == b"shared"
    assert (await fetcher.fetch(FetchRequest(own))).body == b"own"
    assert publisher.requests[-1].host == "127.0.3.7"
    assert publisher.count(host="127.0.3.7") == 1


async def test_host_with_an_ipv6_address(fetcher, publisher):
    publisher.page("/", "six")

    assert (await fetcher.fetch(FetchRequest(publisher.url("/", host="::1")))).body == b"six"


async def test_delay_and_order_of_requests_are_recorded(fetcher, publisher):
    url = publisher.script("/x", Answer(body=b"ok", delay_s=0.05))
    started = time.monotonic()

    await fetcher.fetch(FetchRequest(f"{url}?q=1"))
    await fetcher.fetch(FetchRequest(url))

    first, second = publisher.asked("/x")
    assert first.path == "/x?q=1"
    assert started <= first.at < second.at
    assert second.at - first.at >= 0.045  # a loop's timers may ring a little early
    publisher.forget()
    assert publisher.count() == 0


async def test_only_loopback_is_ever_bound(publisher):
    for host in ("0.0.0.0", "10.0.0.1", "::"):
        with pytest.raises(ValueError, match="not loopback"):
            publisher.url("/", host=host)


def test_unknown_misbehaviour_is_a_mistake_of_the_test():
    with PublisherThread() as publisher, pytest.raises(KeyError):
        publisher.evil("no such thing")


def test_other_processes_can_ask_a_publisher_on_a_thread():
    program = (
        "import sys, http.client\n"
        "line = http.client.HTTPConnection(sys.argv[1], int(sys.argv[2]))\n"
        "line.request('GET', '/feed.xml')\n"
        "print(line.getresponse().status)\n"
    )

    with PublisherThread() as publisher:
        publisher.feed()
        publisher.url(host="127.0.4.4")
        ran = subprocess.run(
            [sys.executable, "-c", program, "127.0.4.4", str(publisher.port)],
            capture_output=True,
            text=True,
            check=True,
            timeout=30,
        )
        requests = publisher.asked("/feed.xml")

    assert ran.stdout.strip() == "200"
    assert requests[0].host == "127.0.4.4"


async def test_two_publishers_are_apart(fetcher):
    async with Publisher() as one, Publisher() as two:
        first, second = one.page("/", "one"), two.page("/", "two")

        assert (await fetcher.fetch(FetchRequest(first))).body == b"one"
        assert (await fetcher.fetch(FetchRequest(second))).body == b"two"
