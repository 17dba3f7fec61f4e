"""Addresses around the protocols: probes, sign-in, icons, shared views."""

from tests.journeys.sync.desk import Reply
from tests.journeys.sync.routes.scene import Row, Scene

FRESHRSS = "/api/greader.php"
_MOUNTS = ("", FRESHRSS, FRESHRSS + FRESHRSS)


def _signed_in(_: Scene, reply: Reply) -> bool:
    lines = [line.partition("=")[0] for line in reply.text.splitlines()]
    return lines == ["SID", "LSID", "Auth"]


def _ocs(scene: Scene, reply: Reply) -> bool:
    return f"<displayname>{scene.ada.email}</displayname>" in reply.text


_LOGIN = Row(_signed_in, said=lambda s: {"Email": s.ada.email, "Passwd": s.ada.secret})
_LEVELS = Row(lambda _, r: r.json() == {"apiLevels": ["v1-2", "v1-3"]})
_OK = Row(lambda _, r: r.body == b"OK")
_NOT_FOUND = Row(
    lambda _, r: r.json()["status"] == 404,
    names=lambda _: {"id": 1, "signature": "0" * 32, "token": "0" * 32},
    status=404,
)

ROWS: dict[str, Row] = {
    **{
        f"{method} {base}/accounts/ClientLogin": _LOGIN
        for base in _MOUNTS
        for method in ("GET", "POST")
    },
    **{f"GET {base}{end}": _OK for base in _MOUNTS[1:] for end in ("", "/")},
    **{
        f"GET {base}/check/compatibility": Row(lambda _, r: r.body == b"PASS")
        for base in _MOUNTS[1:]
    },
    **{
        f"GET {mount}/apps/news/api{end}": _LEVELS
        for mount in ("", "/index.php")
        for end in ("", "/")
    },
    **{
        f"GET {mount}/status.php": Row(lambda _, r: r.json()["installed"])
        for mount in ("", "/index.php")
    },
    **{
        f"GET {mount}/ocs/{version}.php/cloud{path}": row
        for mount in ("", "/index.php")
        for version in ("v1", "v2")
        for path, row in (
            ("/user", Row(_ocs)),
            ("/users/{login}", Row(_ocs, names=lambda s: {"login": s.ada.email})),
            ("/capabilities", Row(lambda _, r: "<major>31</major>" in r.text)),
        )
    },
    "GET /healthcheck": _OK,
    "GET /version": Row(lambda _, r: r.text.count(".") == 2),
    "GET /icons/{id}/{signature}": _NOT_FOUND,
    "GET /view/{token}.xml": _NOT_FOUND,
    "GET /view/{token}.atom": _NOT_FOUND,
    "GET /api/view-tokens": Row(lambda _, r: r.json() == []),
    "POST /api/view-tokens": Row(
        lambda _, r: (r.json()["view"], r.json()["text"]) == ("tag", "later"),
        said=lambda _: {"view": "tag", "text": "later", "label": "L"},
        status=201,
    ),
    "DELETE /api/view-tokens/{id}": Row(
        lambda _, r: r.json()["status"] == 404, names=lambda _: {"id": 2**30}, status=404
    ),
}
