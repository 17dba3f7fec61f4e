"""Google Reader: what every route is told, answers and changes."""

from collections.abc import Callable

from tests.journeys.sync.desk import Reply
from tests.journeys.sync.google import ALL, FIRST, LABEL, READ, STARRED
from tests.journeys.sync.routes.scene import (
    Change,
    Row,
    Scene,
    State,
    both,
    folder_gone,
    folder_made,
    joined,
    marked,
    moved,
)

FRESHRSS = "/api/greader.php"
BASES = tuple(base + "/reader/api/0" for base in ("", FRESHRSS, FRESHRSS + FRESHRSS))
ATOM_BASES = tuple(base + "/reader/atom" for base in ("", FRESHRSS, FRESHRSS + FRESHRSS))


def _ok(_: Scene, reply: Reply) -> bool:
    return (reply.body, reply.headers["content-type"][:10]) == (b"OK", "text/plain")


def _titles(*titles: str) -> Callable[[Scene, Reply], bool]:
    return lambda _, reply: [i["title"] for i in reply.json()["items"]] == list(titles)


def _tagged(item: int, name: str) -> Change:
    return lambda _, state: state["tags"].setdefault(item, set()).add(name)


def _tech_renamed(scene: Scene, state: State) -> None:
    state["folders"] = {"Téch"}
    moved("Téch")(scene, state)


def _imported(scene: Scene, state: State) -> None:
    state["folders"].add("Got")
    joined("Imported", "Got")(scene, state)


ATOM_ROWS: dict[str, Row] = {
    "GET /{stream:path}": Row(
        lambda _, r: b"<title>two</title>" in r.body and b"one" not in r.body,
        said=lambda _: {"n": 5},
        names=lambda _: {"stream": READ},
    )
}
_CONTENTS = Row(
    _titles("three", "one"), said=lambda _: {"i": [FIRST + 1, f"{FIRST + 3:016x}", FIRST + 9]}
)
_IDS = Row(
    lambda _, r: r.json() == {"itemRefs": [{"id": str(FIRST + 4)}], "continuation": "4"},
    said=lambda _: {"s": ALL, "xt": [READ, STARRED], "n": 1, "ot": 1},
)
ROWS: dict[str, Row] = {
    **{
        f"{method} /token": Row(lambda _, r: len(r.text) > 20 and "\n" not in r.text)
        for method in ("GET", "POST")
    },
    **{
        f"{method} /{{rest:path}}": Row(
            lambda _, r: r.body == b"Bad Request!",
            names=lambda _: {"rest": "nothing/here"},
            status=400,
        )
        for method in ("GET", "POST")
    },
    "GET /subscribed": Row(
        lambda _, r: r.body == b"true", said=lambda s: {"s": f"feed/{s.inside.url}"}
    ),
    "GET /stream/items/count": Row(
        lambda _, r: r.body == b"3", said=lambda _: {"s": ALL, "xt": READ}
    ),
    "GET /user-info": Row(lambda s, r: r.json()["userName"] == s.ada.email),
    "GET /preference/list": Row(lambda _, r: r.json() == {"prefs": []}),
    "GET /preference/stream/list": Row(lambda _, r: r.json() == {"streamprefs": {}}),
    "GET /friend/list": Row(lambda _, r: r.json() == {"friends": []}),
    "GET /tag/list": Row(
        lambda _, r: (
            [t["id"] for t in r.json()["tags"]]
            == [STARRED, *(LABEL + name for name in ("Tech", "later", "Numbers"))]
        ),
        said=lambda _: {"output": "json"},
    ),
    "GET /subscription/list": Row(
        lambda s, r: (
            {x["id"] for x in r.json()["subscriptions"]}
            == {f"feed/{s.inside.id}", f"feed/{s.outside.id}"}
        ),
        said=lambda _: {"output": "json"},
    ),
    "GET /unread-count": Row(lambda _, r: r.json()["max"] == 3, said=lambda _: {"output": "json"}),
    "GET /subscription/export": Row(
        lambda s, r: s.inside.url.encode() in r.body and b"<opml" in r.body
    ),
    **{f"{method} /stream/items/ids": _IDS for method in ("GET", "POST")},
    "GET /stream/items/contents": _CONTENTS,
    "POST /stream/items/contents": _CONTENTS,
    "GET /stream/contents": Row(_titles("three"), said=lambda _: {"s": STARRED, "n": 5, "r": "o"}),
    "GET /stream/contents/{stream:path}": Row(
        _titles("one", "three"),
        said=lambda _: {"xt": READ, "r": "o", "output": "json"},
        names=lambda s: {"stream": f"feed/{s.inside.id}"},
    ),
    "POST /edit-tag": Row(
        _ok,
        said=lambda _: {
            "i": [FIRST + 1, FIRST + 2],
            "a": [STARRED, LABEL + "später"],
            "r": [LABEL + "later", STARRED],
            "ac": "edit",
        },
        changes=both(
            lambda _, state: state["tags"].pop(1), _tagged(1, "später"), _tagged(2, "später")
        ),
    ),
    "POST /mark-all-as-read": Row(
        _ok, said=lambda s: {"s": f"feed/{s.inside.id}", "ts": 0}, changes=marked("read", 1, 3)
    ),
    "POST /rename-tag": Row(
        _ok, said=lambda _: {"s": LABEL + "Tech", "dest": LABEL + "Téch"}, changes=_tech_renamed
    ),
    "POST /disable-tag": Row(
        _ok,
        said=lambda _: {"s": [LABEL + "Tech", LABEL + "later"]},
        changes=both(folder_gone(), moved(""), lambda _, state: state["tags"].clear()),
    ),
    "POST /subscription/edit": Row(
        _ok,
        said=lambda s: {
            "ac": "edit",
            "s": f"feed/{s.inside.id}",
            "t": "Neu",
            "r": LABEL + "Tech",
            "a": LABEL + "Fresh",
        },
        changes=both(
            folder_made("Fresh"),
            lambda s, state: state["feeds"].update({s.inside.url: ("Neu", "Fresh")}),
        ),
    ),
    "POST /subscription/quickadd": Row(
        lambda _, r: r.json()["numResults"] == 1,
        said=lambda s: {"quickadd": s.offered},
        changes=joined(),
    ),
    "POST /subscription/import": Row(_ok, changes=_imported, document=True, works=True),
    "GET /accounts/ClientLogin": Row(
        lambda _, r: r.text.startswith("SID="),
        said=lambda s: {"Email": s.ada.email, "Passwd": s.ada.secret},
    ),
    "POST /accounts/ClientLogin": Row(
        lambda _, r: list(r.json()) == ["SID", "LSID", "Auth"],
        said=lambda s: {"Email": s.ada.email, "Passwd": s.ada.secret, "output": "json"},
    ),
}
