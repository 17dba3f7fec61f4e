"""Apps load no picture from a publisher, if their user wants that: in every protocol."""

import json
import re

import pytest

from feedloom.model.bookmarks import Enriched
from feedloom.model.feed import CleanHTML, Enclosure
from feedloom.store import BookmarkStore
from tests.journeys.sync.desk import Desk, Person
from tests.journeys.sync.test_wallabag import kept, told
from tests.stores import article

pytestmark = pytest.mark.asyncio(loop_scope="module")

PICTURE = "https://pictures.example/"
CONTENT = CleanHTML(
    f'<p><img loading="lazy" src="{PICTURE}a.jpg" srcset="{PICTURE}b.jpg 2x"></p>'
    f'<video controls="" preload="none" poster="{PICTURE}c.jpg"></video>'
)


async def told_by_each(desk: Desk, ada: Person) -> dict[str, str]:
    """Return the words each protocol uses of one article full of pictures."""
    url = desk.new_url()
    await desk.subscribe(ada, url=url)
    full = article("x")._replace(
        content=CONTENT,
        enclosures=(Enclosure(f"{PICTURE}d.jpg", "image/jpeg", 1),),
        thumbnail_url=f"{PICTURE}e.jpg",
    )
    await desk.publish(url, full)
    made = await kept(ada)
    page = Enriched("", "", f"![one]({PICTURE}f.jpg)", "", ())
    await BookmarkStore(desk.container.work).finish_enriching(made["id"], page)
    return {
        "nextcloud": json.dumps(await ada.items()),
        "greader": (await ada.greader("GET", "stream/contents", n=10)).text,
        "fever": (await ada.fever("items")).text,
        "miniflux": (await ada.miniflux("GET", "/entries")).text,
        "feedbin": (await ada.feedbin("GET", "/entries", mode="extended")).text,
        "wallabag": json.dumps(await told(ada, "GET", f"/entries/{made['id']}")),
    }


@pytest.mark.threat("S16")
async def test_no_protocol_names_a_publisher_of_pictures(desk: Desk, ada: Person):
    before = await told_by_each(desk, ada)
    await desk.container.accounts.store.save_settings(ada.user.id, {"app_pictures": True})
    after = await told_by_each(desk, ada)

    assert all(PICTURE in text.replace("\\/", "/") for text in before.values())
    for name, text in after.items():
        ours = re.findall(r"feeds\.example(?::\d+)?\\?/images\\?/", text)
        assert len(ours) >= (1 if name == "wallabag" else 3), name
        newest = text.replace("\\/", "/")
        assert PICTURE not in newest, name
