"""What a page says after a plain form was sent: read from its address, text of ours.

Only numbers and known verbs are believed, so that no link can put words on a page.
"""

from dataclasses import dataclass

from starlette.requests import Request

from feedloom.serve.pages.words import counted

_SAID = {
    "saved": "Saved.",
    "added-folder": "Folder made.",
    "added": "Added. The first articles arrive in a moment.",
    "removed": "Unsubscribed.",
    "refreshing": "Fetching it now.",
    "renamed": "Renamed.",
    "moved": "Moved.",
    "deleted": "Deleted.",
    "revoked": "Revoked.",
    "kept": "Kept. Its page is being read.",
    "known": "You have this page already.",
    "reading": "Its page is being read again.",
    "applied": "The rules are being applied.",
}


@dataclass(frozen=True, slots=True)
class Done:
    """A sentence, and how to undo what it tells."""

    text: str
    undo: str = ""
    """The address to send the undo form to; empty when there is no undo."""
    fields: tuple[tuple[str, str], ...] = ()


def read_done(request: Request) -> Done | None:
    """Return what was done, if the address says so."""
    parts = request.query_params.get("did", "").split(".")
    match parts:
        case ["brought", added, known] if _is_number(added) and _is_number(known):
            text = f"{counted(int(added), 'bookmark')} added"
            return Done(
                f"{text}, {known} were here already." if int(known) else f"{text}."
            )
        case ["password", apps, views] if _is_number(apps) and _is_number(views):
            return Done(_password_text(int(apps), int(views)))
        case ["swept", token, count] if _is_number(token) and _is_number(count):
            text = f"{counted(int(count), 'article')} marked as read."
            return Done(text, "/articles/unsweep", (("token", token),))
        case ["hidden", item] if _is_number(item):
            fields = (("mark", "shown"), ("item", item))
            return Done("Dismissed.", "/articles/mark", fields)
        case [word] if word in _SAID:
            return Done(_SAID[word])
    return None


def _password_text(apps: int, views: int) -> str:
    ended = [
        counted(number, one, many)
        for number, one, many in (
            (apps, "app password", None),
            (views, "shared address", "shared addresses"),
        )
        if number
    ]
    if not ended:
        return "Password changed. All other browsers are signed out."
    were = "was" if apps + views == 1 else "were"
    return (
        "Password changed. All other browsers are signed out;"
        f" {' and '.join(ended)} {were} revoked."
    )


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 18  # noqa: PLR2004 - 64 bits
