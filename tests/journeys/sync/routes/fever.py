"""Fever: one address, both methods; selectors and marks in one call."""

from tests.journeys.sync.desk import Reply
from tests.journeys.sync.routes.scene import Row, Scene, marked

BASES = ("/fever", "/fever/", "/api/fever.php", "/api/fever.php/")


def _told(_: Scene, reply: Reply) -> bool:
    told = reply.json()
    return (
        told["auth"],
        [item["id"] for item in told["items"]],
        [group["title"] for group in told["groups"]],
        told["unread_item_ids"],
    ) == (1, [3, 4], ["Tech"], "3,4")


_CALL = Row(
    _told,
    said=lambda s: {
        "api_key": s.ada.fever_key,
        "groups": "",
        "items": "",
        "since_id": 2,
        "mark": "item",
        "as": "read",
        "id": 1,
    },
    changes=marked("read", 1),
)
ROWS = {"GET ": _CALL, "POST ": _CALL}
