"""Nextcloud News: what every route is told, answers and changes."""

from collections.abc import Callable

from tests.journeys.sync.desk import Reply
from tests.journeys.sync.routes.scene import (
    Change,
    Row,
    Scene,
    State,
    both,
    due,
    folder_gone,
    folder_made,
    gone,
    joined,
    marked,
    moved,
    renamed,
)

BASES = tuple(
    f"{mount}/apps/news/api/{level}" for mount in ("/index.php", "") for level in ("v1-2", "v1-3")
)


def _nothing(_: Scene, reply: Reply) -> bool:
    return reply.body == b"[]"


def _titles(*titles: str) -> Callable[[Scene, Reply], bool]:
    return lambda _, reply: [i["title"] for i in reply.json()["items"]] == list(titles)


def _feed_id(scene: Scene) -> dict[str, object]:
    return {"id": scene.inside.id}


def _folder_id(scene: Scene) -> dict[str, object]:
    return {"id": scene.folder}


def _mark(change: str, item: int) -> Row:
    return Row(_nothing, names=lambda _: {"id": item}, changes=marked(change, item))


def _many(name: str, change: str, *items: int) -> Row:
    told = [*items, 999]
    return Row(_nothing, said=lambda _: {name: told}, changes=marked(change, *items))


def _ruled(field: str, pattern: str) -> Change:
    return lambda _, state: state["rules"].add((field, pattern))


def _folders_renamed(_: Scene, state: State) -> None:
    state["folders"] = {"New name"}
    for url, (title, folder) in state["feeds"].items():
        state["feeds"][url] = (title, folder and "New name")


def _filter(scene: Scene, reply: Reply) -> bool:
    del scene
    keys = ["feedId", "titleKeywords", "bodyKeywords", "urlKeywords"]
    return list(reply.json()["filter"]) == keys


_FOLDER_READ = Row(
    _nothing, said=lambda _: {"newestItemId": 1}, names=_folder_id, changes=marked("read", 1)
)
_FEED_READ = Row(
    _nothing,
    said=lambda _: {"newestItemId": 2**63 - 1},
    names=_feed_id,
    changes=marked("read", 1, 3),
)
_RENAMED_FOLDER = Row(
    _nothing, said=lambda _: {"name": "New name"}, names=_folder_id, changes=_folders_renamed
)
_MOVED = Row(_nothing, said=lambda _: {"folderId": None}, names=_feed_id, changes=moved(""))
_RENAMED = Row(
    _nothing,
    said=lambda _: {"feedTitle": "Zürich & co"},
    names=_feed_id,
    changes=renamed("Zürich & co"),
)
_FILTERED = Row(
    lambda _, reply: reply.json()["filter"]["titleKeywords"] == "a, b",
    said=lambda _: {"titleKeywords": "a, b"},
    names=_feed_id,
    changes=_ruled("title", r"(?:^|[^\pL\pN_])(?:a|b)(?:[^\pL\pN_]|$)"),
)
_ALL_READ = Row(_nothing, said=lambda _: {"newestItemId": 3}, changes=marked("read", 1, 3))
_STARRED = Row(
    _nothing,
    names=lambda s: {"id": s.inside.id, "rest": f"{s.hash}/star"},
    changes=marked("starred", 1),
)
_EITHER: dict[str, Row] = {
    "/folders/{id}/read": _FOLDER_READ,
    "/folders/{id}": _RENAMED_FOLDER,
    "/feeds/{id}/move": _MOVED,
    "/feeds/{id}/rename": _RENAMED,
    "/feeds/{id}/read": _FEED_READ,
    "/feeds/{id}/filter": _FILTERED,
    "/items/read": _ALL_READ,
    "/items/read/multiple": _many("items", "read", 1, 3),
    "/items/unread/multiple": _many("itemIds", "unread", 2),
    "/items/star/multiple": _many("itemIds", "starred", 1, 4),
    "/items/starred/multiple": _many("items", "starred", 2),
    "/items/unstar/multiple": _many("items", "unstarred", 3),
    "/items/unstarred/multiple": _many("itemIds", "unstarred", 3),
    "/items/{id}/read": _mark("read", 1),
    "/items/{id}/unread": _mark("unread", 2),
    "/items/{id}/star": _mark("starred", 4),
    "/items/{id}/unstar": _mark("unstarred", 3),
    "/items/{id}/{rest:path}": _STARRED,
}
"""What both PUT and POST do, at both levels."""

ROWS: dict[str, Row] = {
    "GET /folders": Row(
        lambda s, r: (
            r.json()["folders"] == [{"id": s.folder, "name": "Tech", "opened": True, "feeds": []}]
        )
    ),
    "POST /folders": Row(
        lambda _, r: [f["name"] for f in r.json()["folders"]] == ["Päper & Ink"],
        said=lambda _: {"name": "Päper & Ink"},
        changes=folder_made("Päper & Ink"),
    ),
    "DELETE /folders/{id}": Row(_nothing, names=_folder_id, changes=both(gone(), folder_gone())),
    "GET /feeds": Row(
        lambda s, r: (
            (
                {f["id"] for f in r.json()["feeds"]},
                r.json()["starredCount"],
                r.json()["newestItemId"],
            )
            == ({s.inside.id, s.outside.id}, 1, 4)
        )
    ),
    "POST /feeds": Row(
        lambda s, r: (
            ([(f["url"], f["folderId"]) for f in r.json()["feeds"]], r.json()["newestItemId"])
            == ([(s.offered, s.folder)], 5)
        ),
        said=lambda s: {"url": s.offered, "folderId": s.folder},
        changes=joined(folder="Tech"),
    ),
    "DELETE /feeds/{id}": Row(_nothing, names=_feed_id, changes=gone()),
    "GET /feeds/all": Row(
        lambda s, r: {"id": s.inside.id, "userId": s.ada.email} in r.json()["feeds"], operator=True
    ),
    "GET /feeds/update": Row(
        _nothing,
        said=lambda s: {"userId": s.ada.email, "feedId": s.inside.id},
        changes=due(lambda s: s.inside.url),
    ),
    "GET /feeds/{id}/filter": Row(_filter, names=_feed_id),
    "DELETE /feeds/{id}/filter": Row(_nothing, names=_feed_id),
    "GET /items": Row(
        _titles("two", "three"),
        said=lambda s: {
            "type": 1,
            "id": s.folder,
            "getRead": True,
            "batchSize": 5,
            "offset": 1,
            "oldestFirst": True,
        },
    ),
    "GET /items/updated": Row(
        _titles("three"), said=lambda _: {"lastModified": 1, "type": 2, "id": 0}
    ),
    "GET /version": Row(lambda _, r: r.json() == {"version": "28.4.0"}),
    "GET /status": Row(lambda _, r: list(r.json()) == ["version", "warnings"]),
    "GET /user": Row(lambda s, r: r.json()["userId"] == s.ada.email),
    "GET /favicon/{hash}": Row(
        lambda _, r: r.headers["content-type"] == "image/png", names=lambda _: {"hash": "0" * 32}
    ),
    "GET /cleanup/before-update": Row(_nothing, operator=True),
    "GET /cleanup/after-update": Row(_nothing, operator=True),
    **{f"{m} {path}": row for path, row in _EITHER.items() for m in ("PUT", "POST")},
}
