"""Articles of which a feed says next to nothing: clients still get what they need."""

from datetime import UTC, datetime
from typing import Any

import pytest

from feedloom.model.feed import CleanHTML, Enclosure
from feedloom.model.stages import NewArticle
from tests.journeys.sync.desk import Desk, Person
from tests.stores import article

pytestmark = pytest.mark.asyncio(loop_scope="module")

LAST_SECOND = 2**31 - 1


def bare(guid: str, at: datetime) -> NewArticle:
    """An article without title, text, author, address or anything else."""
    return article("x", guid=guid, published_at=at)._replace(
        url="",
        title="",
        author=None,
        content=CleanHTML(""),
        summary="",
        language=None,
        enclosures=(Enclosure("https://files.example/x"),),
    )


ODD_TIMES = {
    "before all clocks": datetime(1, 1, 1, tzinfo=UTC),
    "at their first second": datetime(1970, 1, 1, tzinfo=UTC),
    "after their last": datetime(2200, 1, 1, tzinfo=UTC),
}


async def shown(desk: Desk, ada: Person) -> dict[str, list[dict[str, Any]]]:
    """Let feeds publish bare articles; tell what each protocol makes of them."""
    for name, at in ODD_TIMES.items():
        url = desk.new_url()
        await desk.subscribe(ada, url=url)
        await desk.publish(url, bare(f"guid {name}", at))
    contents = await ada.greader("GET", "stream/contents", n=10)
    fever = await ada.fever("items")
    entries = await ada.miniflux("GET", "/entries", order="id")
    return {
        "nextcloud": await ada.items(),
        "greader": contents.json()["items"],
        "fever": fever.json()["items"],
        "miniflux": entries.json()["entries"],
    }


async def test_what_clients_cannot_do_without_is_there(desk: Desk, ada: Person):
    found = await shown(desk, ada)

    assert {name: len(items) for name, items in found.items()} == {
        name: len(ODD_TIMES) for name in found
    }
    for item in found["nextcloud"]:
        needed = ("guid", "guidHash", "url", "title", "author", "body", "fingerprint")
        assert [type(item[name]) for name in needed] == [str] * len(needed)
        assert item["guid"]
        assert (item["unread"], item["starred"]) == (True, False)
        assert 0 < item["pubDate"] <= LAST_SECOND
        assert item["enclosureLink"] == "https://files.example/x"
    for item in found["greader"]:
        assert item["title"]
        assert 0 < item["published"] <= LAST_SECOND
        assert item["summary"]["content"] == ""
        assert item["canonical"] == [{"href": ""}]
        assert item["alternate"] == [{"href": "", "type": "text/html"}]
        assert item["origin"]["title"]
        assert isinstance(item["origin"]["htmlUrl"], str)
        assert item["enclosure"][0]["type"]
        assert "author" not in item
    for item in found["fever"]:
        assert item["title"]
        assert (item["author"], item["html"], item["url"]) == ("", "", "")
        assert 0 < item["created_on_time"] <= LAST_SECOND
    for item in found["miniflux"]:
        assert (item["author"], item["content"], item["url"]) == ("", "", "")
        assert item["enclosures"][0]["mime_type"]
        assert datetime.fromisoformat(item["published_at"]).tzinfo is not None
        assert item["reading_time"] >= 1


async def test_nothing_that_clients_read_is_null(desk: Desk, ada: Person):
    found = await shown(desk, ada)

    nulls = {
        (name, key)
        for name, items in found.items()
        for item in items
        for key, value in item.items()
        if value is None
    }
    # As the protocol's own documentation has them.
    assert nulls == {
        ("nextcloud", key)
        for key in ("updatedDate", "enclosureMime", "mediaThumbnail", "mediaDescription")
    }


async def test_a_feed_without_a_title_has_the_name_of_its_host(desk: Desk, ada: Person):
    url = desk.new_url()
    await desk.subscriptions.subscribe(ada.user.id, url)
    host = url.split("/")[2]

    nextcloud = (await ada.nextcloud("GET", "/feeds")).json()["feeds"][0]
    greader = (await ada.greader("GET", "subscription/list")).json()["subscriptions"]
    fever = (await ada.fever("feeds")).json()["feeds"][0]
    miniflux = (await ada.miniflux("GET", "/feeds")).json()[0]

    titles = {f["title"] for f in (nextcloud, greader[0], fever, miniflux)}
    assert titles == {host}
    assert nextcloud["link"] is None
    assert (greader[0]["htmlUrl"], fever["site_url"]) == ("", "")
