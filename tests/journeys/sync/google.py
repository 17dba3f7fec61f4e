"""Short ways to ask Google Reader, for its tests."""

from typing import Any

from tests.journeys.sync.desk import Desk, Person

STATE = "user/-/state/com.google/"
ALL, READ, STARRED = STATE + "reading-list", STATE + "read", STATE + "starred"
LABEL = "user/-/label/"
FIRST = 10**15
LONG = "tag:google.com,2005:reader/item/"


async def titles(person: Person, stream: str = ALL, **query: Any) -> list[str]:
    """Titles of a stream, oldest first."""
    asked: dict[str, Any] = {"n": 1000, "r": "o"} | query
    reply = await person.greader("GET", f"stream/contents/{stream}", **asked)
    assert reply.status == 200, reply.text
    return [item["title"] for item in reply.json()["items"]]


async def ok(person: Person, path: str, *pairs: tuple[str, object]) -> None:
    """Post a form; the answer is two letters."""
    reply = await person.greader("POST", path, pairs)
    assert (reply.status, reply.body) == (200, b"OK")
    assert reply.headers["content-type"].startswith("text/plain")


async def contents(person: Person, *ids: str) -> list[dict[str, Any]]:
    reply = await person.greader("POST", "stream/items/contents", [("i", id_) for id_ in ids])
    assert reply.status == 200
    found: list[dict[str, Any]] = reply.json()["items"]
    return found


async def age(desk: Desk, person: Person, item: int, seconds: int) -> int:
    """Let an item have arrived earlier; return when, in seconds."""
    await desk.stores.execute(
        "UPDATE article_states SET arrived_at = arrived_at - :by"
        " WHERE user_id = :user AND item_no = :item",
        by=seconds * 1_000_000,
        user=person.user.id,
        item=item,
    )
    rows = await desk.stores.rows(
        "SELECT arrived_at FROM article_states WHERE user_id = :user AND item_no = :item",
        user=person.user.id,
        item=item,
    )
    return int(rows[0]["arrived_at"]) // 1_000_000
