"""Feedbin: what every route is told, answers and changes."""

from collections.abc import Callable

from tests.journeys.sync.desk import Reply
from tests.journeys.sync.routes.scene import (
    Change,
    Row,
    Scene,
    State,
    both,
    folder_gone,
    folder_made,
    gone,
    joined,
    marked,
    moved,
    renamed,
)

BASES = ("/v2", "/feedbin/v2")


def _is(*value: object) -> Callable[[Scene, Reply], bool]:
    return lambda _, reply: reply.json() == list(value)


def _empty(_: Scene, reply: Reply) -> bool:
    return reply.body == b""


def _ids(*ids: int) -> Callable[[Scene, Reply], bool]:
    return lambda _, reply: [entry["id"] for entry in reply.json()] == list(ids)


def _feed(scene: Scene) -> dict[str, object]:
    return {"id": scene.inside.id}


def _tagged(name: str) -> Callable[[Scene, Reply], bool]:
    return lambda s, reply: (
        reply.json() == [{"id": s.inside.id, "feed_id": s.inside.id, "name": name}]
    )


def _tech_renamed(scene: Scene, state: State) -> None:
    state["folders"] = {"Science"}
    moved("Science")(scene, state)


def _marks(name: str, method: str, path: str, mark: str, item: int) -> dict[str, Row]:
    row = Row(
        _is(item), said=lambda _: {f"{name}_entries": [item, 999]}, changes=marked(mark, item)
    )
    return {f"{method} /{name}_entries{path}.json": row}


def _search(scene: Scene) -> dict[str, object]:
    return {"id": scene.search}


def _searches(*names: str) -> Change:
    def change(_: Scene, state: State) -> None:
        state["searches"] = set(names)

    return change


_NONE = Row(_is())
_RENAMED_SEARCH = Row(
    lambda _, r: r.json()["name"] == "Neu",
    said=lambda _: {"name": "Neu"},
    names=_search,
    changes=_searches("Neu"),
)
_RENAMED = Row(
    lambda _, r: r.json()["title"] == "Neu",
    said=lambda _: {"title": "Neu"},
    names=_feed,
    changes=renamed("Neu"),
)
ROWS: dict[str, Row] = {
    "GET /authentication.json": Row(lambda _, r: r.json() == {}),
    "GET /subscriptions.json": Row(
        lambda _, r: {f["title"] for f in r.json()} == {"Inside", "Outside"},
        said=lambda _: {"since": "2013-03-08T09:44:20.449047Z"},
    ),
    "GET /subscriptions/{id}.json": Row(
        lambda s, r: r.json()["feed_url"] == s.inside.url, names=_feed
    ),
    "POST /subscriptions.json": Row(
        lambda s, r: r.json()["feed_url"] == s.offered,
        said=lambda s: {"feed_url": s.offered},
        status=201,
        changes=joined(),
    ),
    "PATCH /subscriptions/{id}.json": _RENAMED,
    "POST /subscriptions/{id}/update.json": _RENAMED,
    "DELETE /subscriptions/{id}.json": Row(_empty, names=_feed, status=204, changes=gone()),
    "GET /feeds/{id}.json": Row(lambda _, r: r.json()["title"] == "Inside", names=_feed),
    "GET /feeds/{id}/entries.json": Row(_ids(3, 1), said=lambda _: {"read": False}, names=_feed),
    "GET /icons.json": Row(
        lambda s, r: [f"/icons/{s.icon}/" in one["url"] for one in r.json()] == [True]
    ),
    "GET /entries.json": Row(_ids(4, 2), said=lambda _: {"ids": "2,4,99"}),
    "GET /entries/{entry}.json": Row(
        lambda _, r: r.json()["title"] == "one", names=lambda _: {"entry": 1}
    ),
    "GET /unread_entries.json": Row(_is(4, 3, 1)),
    "GET /starred_entries.json": Row(_is(3)),
    "GET /updated_entries.json": _NONE,
    "GET /recently_read_entries.json": _NONE,
    "GET /saved_searches.json": Row(
        lambda s, r: r.json() == [{"id": s.search, "name": "Numbers", "query": "two"}]
    ),
    "GET /saved_searches/{id}.json": Row(_is(2), names=_search),
    "POST /saved_searches.json": Row(
        lambda _, r: r.json()["query"] == "one",
        said=lambda _: {"name": "Ones", "query": "one"},
        status=201,
        changes=_searches("Numbers", "Ones"),
    ),
    "PATCH /saved_searches/{id}.json": _RENAMED_SEARCH,
    "POST /saved_searches/{id}/update.json": _RENAMED_SEARCH,
    "DELETE /saved_searches/{id}.json": Row(_empty, names=_search, status=204, changes=_searches()),
    "DELETE /updated_entries.json": _NONE,
    "POST /updated_entries/delete.json": _NONE,
    "POST /recently_read_entries.json": _NONE,
    **_marks("unread", "POST", "", "unread", 2),
    **_marks("unread", "DELETE", "", "read", 1),
    **_marks("unread", "POST", "/delete", "read", 1),
    **_marks("starred", "POST", "", "starred", 1),
    **_marks("starred", "DELETE", "", "unstarred", 3),
    **_marks("starred", "POST", "/delete", "unstarred", 3),
    "GET /taggings.json": Row(_tagged("Tech")),
    "GET /taggings/{id}.json": Row(lambda _, r: r.json()["name"] == "Tech", names=_feed),
    "POST /taggings.json": Row(
        lambda _, r: r.json()["name"] == "Kunst & Ton",
        said=lambda s: {"feed_id": s.inside.id, "name": "Kunst & Ton"},
        status=201,
        changes=both(folder_made("Kunst & Ton"), moved("Kunst & Ton")),
    ),
    "DELETE /taggings/{id}.json": Row(_empty, names=_feed, status=204, changes=moved("")),
    "POST /tags.json": Row(
        _tagged("Science"),
        said=lambda _: {"old_name": "Tech", "new_name": "Science"},
        changes=_tech_renamed,
    ),
    "DELETE /tags.json": Row(
        _is(), said=lambda _: {"name": "Tech"}, changes=both(moved(""), folder_gone())
    ),
    "GET /imports.json": _NONE,
    "GET /imports/{id}.json": Row(
        lambda _, r: r.json()["status"] == 404, names=lambda _: {"id": 2**31 - 1}, status=404
    ),
    "POST /imports.json": Row(
        lambda s, r: r.json()["import_items"][0]["feed_url"] == s.offered, document=True
    ),
}
