"""Wallabag v2: tokens, entries and their tags."""

from feedloom.serve.sync.wallabag import tag_id
from tests.journeys.sync.desk import Reply
from tests.journeys.sync.routes.scene import Change, Row, Scene, State

BASES = ("/wallabag",)


def _id(scene: Scene) -> dict[str, object]:
    return {"id": scene.kept}


def _tag(scene: Scene) -> dict[str, object]:
    return {"id": scene.kept, "tag": tag_id("ink")}


def _kept(scene: Scene, reply: Reply) -> bool:
    return bool(reply.json()["id"] == scene.kept)


def _becomes(*tags: str, title: str = "Kept", state: str = "inbox", pinned: bool = False) -> Change:
    def apply(_: Scene, before: State) -> None:
        before["bookmarks"] = [(title, state, pinned, *tags)]

    return apply


def _added(_: Scene, state: State) -> None:
    state["bookmarks"].append(("New", "archive", True, "a", "b"))


def _deleted(_: Scene, state: State) -> None:
    state["bookmarks"] = []


_TOKEN = Row(
    lambda _, r: r.json()["token_type"] == "bearer",
    said=lambda s: {
        "grant_type": "password",
        "client_id": "any",
        "client_secret": "any",
        "username": s.ada.email,
        "password": s.ada.secret,
    },
)
_BOTH_SPELLINGS: dict[str, Row] = {
    "GET /api/version": Row(lambda _, r: r.json().startswith("2.")),
    "GET /api/info": Row(lambda _, r: r.json()["appname"] == "wallabag"),
    "GET /api/user": Row(lambda s, r: r.json()["email"] == s.ada.email),
    "GET /api/tags": Row(lambda _, r: [tag["label"] for tag in r.json()] == ["ink", "paper"]),
    "GET /api/entries": Row(
        lambda _, r: r.json()["total"] == 1,
        said=lambda _: {
            "archive": 0,
            "starred": 0,
            "sort": "updated",
            "order": "asc",
            "tags": "ink,paper",
            "since": 1,
            "page": 1,
            "perPage": 5,
            "detail": "metadata",
        },
    ),
    "GET /api/entries/exists": Row(
        lambda s, r: r.json() == {"exists": s.kept},
        said=lambda _: {"url": "https://pages.example/kept", "return_id": 1},
    ),
    "POST /api/entries": Row(
        lambda _, r: r.json()["title"] == "New",
        said=lambda _: {
            "url": "https://pages.example/new",
            "title": "New",
            "tags": "a,b",
            "archive": 1,
            "starred": 1,
        },
        changes=_added,
    ),
    "GET /api/entries/{id}/tags": Row(
        lambda _, r: [tag["label"] for tag in r.json()] == ["paper", "ink"], names=_id
    ),
    "POST /api/entries/{id}/tags": Row(
        _kept,
        said=lambda _: {"tags": "ink,quill"},
        names=_id,
        changes=_becomes("paper", "ink", "quill"),
    ),
    "PATCH /api/entries/{id}/reload": Row(_kept, names=_id),
}
ROWS: dict[str, Row] = {
    "GET /oauth/v2/token": _TOKEN,
    "POST /oauth/v2/token": _TOKEN,
    **{name + end: row for name, row in _BOTH_SPELLINGS.items() for end in ("", ".json")},
    "DELETE /api/entries/{id}/tags/{tag}": Row(_kept, names=_tag, changes=_becomes("paper")),
    "GET /api/entries/{id}": Row(_kept, names=_id),
    "PATCH /api/entries/{id}": Row(
        _kept,
        said=lambda _: {"title": "T", "archive": 1, "starred": 1, "tags": "x"},
        names=_id,
        changes=_becomes("x", title="T", state="archive", pinned=True),
    ),
    "DELETE /api/entries/{id}": Row(_kept, names=_id, changes=_deleted),
}
PUBLIC = [name for name in ROWS if "/version" in name or "/info" in name]
