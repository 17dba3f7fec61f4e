"""Packs: every feed is in the directory, and one request subscribes to all of them."""

from feedloom.discover import TOPICS, read_packs
from tests.publisher import Publisher
from tests.serving import Server


def test_there_are_six_packs_of_six_to_ten_feeds_each():
    packs = read_packs()

    assert len(packs) == len({pack.key for pack in packs}) == 6
    for pack in packs:
        assert 6 <= len({feed.feed_url for feed in pack.feeds}) == len(pack.feeds) <= 10
        assert pack.key in TOPICS
        assert {feed.language for feed in pack.feeds} == {"en"}


async def test_a_pack_is_subscribed_to_as_a_whole_and_once(server: Server, site: Publisher):
    ada = await server.register("ada@example.org")
    offered = (await ada.get("/api/directory/packs")).json()
    pack = next(one for one in offered if one["key"] == "science")

    first = await ada.post("/api/directory/packs/science", json={})
    again = await ada.post("/api/directory/packs/science", json={})
    other = await ada.post("/api/directory/packs/nothing", json={})

    feeds = (await ada.get("/feeds")).json()
    assert first.json() == {"added": len(pack["feeds"])}
    assert again.json() == {"added": 0}
    assert other.status == 404
    assert {feed["url"] for feed in feeds} == {one["url"] for one in pack["feeds"]}
    folders = (await ada.get("/api/folders")).json()
    assert "Science" in str(folders)
