"""Miniflux: what every route is told, answers and changes."""

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
)

BASES = ("/v1",)


def _empty(_: Scene, reply: Reply) -> bool:
    return reply.body == b""


def _titles(*titles: str) -> Callable[[Scene, Reply], bool]:
    return lambda _, reply: [e["title"] for e in reply.json()["entries"]] == list(titles)


def _feed(scene: Scene) -> dict[str, object]:
    return {"id": scene.inside.id, "entry": 1}


def _category(scene: Scene) -> dict[str, object]:
    return {"id": scene.folder, "entry": 1}


def _entry(scene: Scene) -> dict[str, object]:
    del scene
    return {"entry": 1}


def _is_first(_: Scene, reply: Reply) -> bool:
    return (reply.json()["id"], reply.json()["title"]) == (1, "one")


def _saved(_: Scene, state: State) -> None:
    state["bookmarks"].append(("one", "archive", False))


def _imported(scene: Scene, state: State) -> None:
    state["folders"].add("Got")
    joined("Imported", "Got")(scene, state)


def _tech_renamed(scene: Scene, state: State) -> None:
    state["folders"] = {"Science"}
    state["feeds"][scene.inside.url] = ("Inside", "Science")


def _changed(title: str, folder: str) -> Change:
    return lambda s, state: state["feeds"].update({s.inside.url: (title, folder)})


_INSIDE = due(lambda s: s.inside.url)
_STAR = Row(_empty, names=_entry, status=204, changes=marked("starred", 1))
_FLUSH = Row(_empty, status=202, changes=marked("hidden", 2))
_UNKNOWN = Row(
    lambda _, r: list(r.json()) == ["error_message"], names=lambda _: {"rest": "users"}, status=404
)
ROWS: dict[str, Row] = {
    "GET /me": Row(lambda s, r: r.json()["username"] == s.ada.email),
    "GET /version": Row(lambda _, r: "version" in r.json()),
    "GET /integrations/status": Row(lambda _, r: r.json() == {"has_integrations": True}),
    "GET /export": Row(lambda s, r: s.inside.url.encode() in r.body and b"<opml" in r.body),
    "GET /feeds": Row(lambda _, r: {f["title"] for f in r.json()} == {"Inside", "Outside"}),
    "GET /feeds/counters": Row(
        lambda s, r: (
            r.json()
            == {
                "reads": {str(s.inside.id): 1},
                "unreads": {str(s.inside.id): 2, str(s.outside.id): 1},
            }
        )
    ),
    "GET /feeds/{id}": Row(lambda _, r: r.json()["title"] == "Inside", names=_feed),
    "GET /feeds/{id}/icon": Row(lambda s, r: r.json()["id"] == s.icon, names=_feed),
    "GET /feeds/{id}/entries": Row(
        _titles("three", "two"),
        said=lambda _: {"order": "id", "direction": "desc", "after_entry_id": 1},
        names=_feed,
    ),
    "GET /feeds/{id}/entries/{entry}": Row(_is_first, names=_feed),
    "GET /icons/{id}": Row(lambda s, r: r.json()["id"] == s.icon, names=lambda s: {"id": s.icon}),
    "GET /enclosures/{id}": Row(
        lambda _, r: list(r.json()) == ["error_message"], names=lambda _: {"id": 100}, status=404
    ),
    "GET /categories": Row(
        lambda s, r: (
            [(c["id"], c["title"], c["feed_count"]) for c in r.json()]
            == [(s.root, "All", 1), (s.folder, "Tech", 1)]
        ),
        said=lambda _: {"counts": True},
    ),
    "GET /categories/{id}/feeds": Row(
        lambda _, r: [f["title"] for f in r.json()] == ["Inside"], names=_category
    ),
    "GET /categories/{id}/entries": Row(
        _titles("two"), said=lambda _: {"status": "read"}, names=_category
    ),
    "GET /categories/{id}/entries/{entry}": Row(_is_first, names=_category),
    "GET /entries": Row(
        _titles("one", "two"),
        said=lambda _: {
            "status": ["read", "unread"],
            "starred": False,
            "before_entry_id": 4,
            "order": "id",
            "limit": 9,
            "offset": 0,
        },
    ),
    "GET /entries/ids": Row(
        lambda _, r: r.json() == {"total": 3, "entry_ids": [4, 3]},
        said=lambda _: {"status": "unread", "order": "id", "direction": "desc", "limit": 2},
    ),
    "GET /entries/{entry}": Row(_is_first, names=_entry),
    "GET /entries/{entry}/fetch-content": Row(
        lambda _, r: r.json()["content"] == "<p>one</p>", names=_entry, works=True
    ),
    "POST /discover": Row(
        lambda _, r: list(r.json()) == ["error_message"],
        said=lambda _: {"url": "https://nowhere.invalid/"},
        status=404,
    ),
    "POST /feeds": Row(
        lambda _, r: list(r.json()) == ["feed_id"],
        said=lambda s: {"feed_url": s.offered, "category_id": s.folder},
        status=201,
        changes=joined(folder="Tech"),
    ),
    "PUT /feeds/refresh": Row(
        _empty, status=204, changes=due(lambda s: s.inside.url, lambda s: s.outside.url)
    ),
    "PUT /feeds/{id}": Row(
        lambda _, r: (r.json()["title"], r.json()["category"]["title"]) == ("Neu", "All"),
        said=lambda s: {"title": "Neu", "category_id": s.root},
        names=_feed,
        status=201,
        changes=_changed("Neu", ""),
    ),
    "DELETE /feeds/{id}": Row(_empty, names=_feed, status=204, changes=gone()),
    "PUT /feeds/{id}/refresh": Row(_empty, names=_feed, status=204, changes=_INSIDE, works=True),
    "PUT /feeds/{id}/mark-all-as-read": Row(
        _empty, names=_feed, status=204, changes=marked("read", 1, 3)
    ),
    "POST /categories": Row(
        lambda _, r: r.json()["title"] == "Kunst & Ton",
        said=lambda _: {"title": "Kunst & Ton"},
        status=201,
        changes=folder_made("Kunst & Ton"),
    ),
    "PUT /categories/{id}": Row(
        lambda _, r: r.json()["title"] == "Science",
        said=lambda _: {"title": "Science"},
        names=_category,
        status=201,
        changes=_tech_renamed,
    ),
    "DELETE /categories/{id}": Row(
        _empty, names=_category, status=204, changes=both(gone(), folder_gone())
    ),
    "PUT /categories/{id}/mark-all-as-read": Row(
        _empty, names=_category, status=204, changes=marked("read", 1, 3)
    ),
    "PUT /categories/{id}/refresh": Row(_empty, names=_category, status=204, changes=_INSIDE),
    "PUT /users/{id}/mark-all-as-read": Row(
        _empty, names=lambda s: {"id": s.ada.user.id}, status=204, changes=marked("read", 1, 3, 4)
    ),
    "PUT /entries": Row(
        _empty,
        said=lambda _: {"entry_ids": [1, 4, 999], "status": "read"},
        status=204,
        changes=marked("read", 1, 4),
    ),
    "PUT /entries/{entry}": Row(
        lambda _, r: r.json()["title"] == "Mine",
        said=lambda _: {"title": "Mine"},
        names=_entry,
        status=201,
    ),
    "POST /feeds/{id}/entries/import": Row(
        lambda _, r: r.json() == {"id": 5},
        said=lambda _: {"url": "https://old.example/a", "status": "unread"},
        names=_feed,
        status=201,
        changes=lambda _, state: state["items"].update({5: "unread"}),
    ),
    "PUT /enclosures/{id}": Row(
        lambda _, r: list(r.json()) == ["error_message"],
        said=lambda _: {"media_progression": 9},
        names=lambda _: {"id": 100},
        status=404,
    ),
    "PUT /entries/{entry}/bookmark": _STAR,
    "PUT /entries/{entry}/star": _STAR,
    "POST /entries/{entry}/save": Row(_empty, names=_entry, status=202, changes=_saved),
    "PUT /flush-history": _FLUSH,
    "DELETE /flush-history": _FLUSH,
    "POST /import": Row(
        lambda _, r: list(r.json()) == ["message"],
        status=201,
        changes=_imported,
        document=True,
        works=True,
    ),
    **{
        f"{method} /{{rest:path}}": _UNKNOWN for method in ("GET", "POST", "PUT", "PATCH", "DELETE")
    },
}
