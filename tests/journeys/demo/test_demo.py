"""``feedloom demo`` for real: a process of its own, two ports, no network."""

import asyncio
import json
import re
import signal
import socket
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.journeys.demo.demonstration import Demo, free_ports, running, start
from tests.serving import HTML, Visitor


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    with running(tmp_path_factory.mktemp("demo")) as made:
        yield made


async def test_there_is_a_week_to_read(demo: Demo):
    ada = await demo.sign_in()
    feeds = (await ada.get("/feeds")).json()
    page = (await ada.get("/api/articles?limit=200")).json()
    days = {article["published_at"][:10] for article in page["articles"]}
    starred = (await ada.get("/api/articles?starred=true")).json()["articles"]

    assert len(feeds) == 12
    assert len(days) >= 6
    assert len(starred) == 5
    assert {article["unread"] for article in page["articles"]} == {True, False}


async def test_the_river_shows_the_last_day_alone(demo: Demo):
    ada = await demo.sign_in()
    river = (await ada.get("/feeds")).json()
    page = (await ada.get("/api/articles?limit=200")).json()["articles"]
    flowing = sum(len(feed["items"]) for feed in river)

    assert 10 <= flowing < len(page)


async def test_a_feed_moved_during_the_week_and_healed(demo: Demo):
    ada = await demo.sign_in()
    feeds = {f["title"]: f for f in (await ada.get("/feeds")).json()}
    moved = feeds["The Wandering Almanac"]
    page = (await ada.get(f"/feeds/{moved['id']}", headers=HTML)).text

    assert moved["url"].endswith("/almanac/feed-2.xml")
    assert "known entries" in page


async def test_a_feed_of_a_site_that_is_gone_says_so(demo: Demo):
    ada = await demo.sign_in()
    feeds = {f["title"]: f for f in (await ada.get("/feeds")).json()}
    gone = feeds["An Old Favourite"]
    page = (await ada.get(f"/feeds/{gone['id']}", headers=HTML)).text

    assert gone["error_count"] >= 1
    assert "none continues this one" in page


async def test_there_is_a_digest_with_links_to_its_articles(demo: Demo):
    ada = await demo.sign_in()
    latest = (await ada.get("/summaries/latest", headers=HTML)).text

    assert 'href="/articles/' in latest


async def test_bookmarks_are_read_by_themselves(demo: Demo):
    ada = await demo.sign_in()
    kept = (await ada.get("/api/bookmarks")).json()["bookmarks"]

    assert [one["enrich_status"] for one in kept] == ["done", "done"]
    assert all(one["summary"] for one in kept)


async def test_a_proxy_serves_calmer_titles_with_the_originals(demo: Demo):
    url = f"{demo.sites}/daily-alarm/feed.xml"
    reply = await Visitor(demo.url).get(f"/rss?url={url}")

    assert reply.status == 200
    assert "<title>You won't believe what the council did to our parks!</title>" in (reply.text)
    assert "<deframer:title_original>SHOCKING: You won't" in reply.text


async def test_a_pasted_homepage_is_discovered_at_the_invented_publishers(demo: Demo):
    ada = await demo.sign_in()
    wanted = {"url": f"{demo.sites}/night-sky/"}
    found = (await ada.post("/api/discover", json=wanted)).json()

    assert found["canonical"] == f"{demo.sites}/night-sky/feed.xml"
    assert len(found["candidates"]) >= 2


async def test_a_feed_that_is_moved_by_hand_heals_while_one_looks(demo: Demo):
    ada = await demo.sign_in()
    feeds = {f["title"]: f for f in (await ada.get("/feeds")).json()}
    bread = feeds["Bread Notes"]["id"]
    assert (await Visitor(demo.sites).post("/move/breadnotes")).status == 303
    assert (await ada.post(f"/feeds/{bread}/refresh")).status < 300
    deadline = time.monotonic() + 30
    address = ""
    while not address.endswith("/feed-2.xml") and time.monotonic() < deadline:
        await asyncio.sleep(0.2)
        feeds = {f["title"]: f for f in (await ada.get("/feeds")).json()}
        address = feeds["Bread Notes"]["url"]

    assert address == f"{demo.sites}/breadnotes/feed-2.xml"


async def test_pages_pictures_and_sound_of_articles_are_there(demo: Demo):
    publisher = Visitor(demo.sites)
    feed = (await publisher.get("/pocket-radio/feed.xml")).text
    sound = re.search(r'enclosure url="http://127\.0\.0\.1:\d+(/[^"]+)"', feed)
    assert sound
    kinds = {
        path: (await publisher.get(path)).headers["content-type"].partition(";")[0]
        for path in ("/tidewrack/icon.svg", sound[1], sound[1].removesuffix(".wav"))
    }

    assert list(kinds.values()) == ["image/svg+xml", "audio/wav", "text/html"]


def test_it_stops_cleanly_and_leaves_nothing(tmp_path: Path):
    with running(tmp_path) as demo:
        during = list(demo.temporary.glob("feedloom-demo-*"))
        code, said = demo.stop()

    assert len(during) == 1
    assert (code, "has been deleted" in said) == (0, True)
    assert "Traceback" not in said
    assert list(demo.temporary.glob("feedloom-demo-*")) == []


async def test_a_kept_demonstration_goes_on_where_it_was(tmp_path: Path):
    kept = tmp_path / "kept"
    with running(tmp_path, "--data-dir", str(kept)) as demo:
        ada = await demo.sign_in()
        before = {f["url"] for f in (await ada.get("/feeds")).json()}
        password = demo.password
        assert demo.stop(signal.SIGTERM)[0] == 0
    with running(tmp_path, "--data-dir", str(kept)) as demo:
        ada = await demo.sign_in()
        after = {f["url"] for f in (await ada.get("/feeds")).json()}

    assert demo.password == password
    assert after == before
    assert (kept / "demo.json").stat().st_mode & 0o077 == 0


def has_begun(database: Path) -> bool:
    """Tell whether the week is passing: its reader is there."""
    try:
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as found:
            return found.execute("SELECT 1 FROM users").fetchone() is not None
    except sqlite3.OperationalError:
        return False


def test_one_that_was_interrupted_begins_again(tmp_path: Path):
    kept = tmp_path / "kept"
    port, sites_port = free_ports()
    process = start(
        tmp_path,
        *("--port", str(port), "--sites-port", str(sites_port)),
        *("--data-dir", str(kept)),
    )
    while process.poll() is None and not has_begun(kept / "feedloom.db"):
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=20)

    assert (process.returncode, out) == (0, "")
    assert "Traceback" not in err
    assert json.loads((kept / "demo.json").read_text())["is_set"] is False
    with running(tmp_path, "--data-dir", str(kept)) as demo:
        assert demo.stop()[0] == 0


def test_a_folder_with_a_real_database_is_refused(tmp_path: Path):
    (tmp_path / "feedloom.db").write_text("somebody's")
    process = start(tmp_path, "--data-dir", str(tmp_path))
    _, err = process.communicate(timeout=20)

    assert process.returncode == 1
    assert "isn't a demo" in err
    assert (tmp_path / "feedloom.db").read_text() == "somebody's"


def test_a_port_that_is_taken_is_named(tmp_path: Path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        process = start(tmp_path, "--port", str(port))
        _, err = process.communicate(timeout=20)

    assert process.returncode == 1
    assert f"Port {port} on 127.0.0.1 cannot be used: address already in use" in err
    assert "--port" in err
