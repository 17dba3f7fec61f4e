"""Notices: what a page says after a plain form was sent, named in its address.

``redirect_to`` and ``redirect_back`` lead from a form to a page that says it. Only
numbers and known verbs are believed, so that no link can put words on a page.
"""

from dataclasses import dataclass
from http import HTTPStatus

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from feedloom.serve.pages.formatting import counted
from feedloom.serve.pages.forms import field
from feedloom.serve.security import local_path

_SAID = {
    "saved": "Saved.",
    "added-folder": "Folder created.",
    "added": "Added. The first articles will arrive shortly.",
    "pack": "Subscribed. The first articles will arrive shortly.",
    "removed": "Unsubscribed.",
    "refreshing": "Fetching now.",
    "no-feeds": "You have no feeds yet.",
    "saved-search": "Search saved. You'll find it in the sidebar.",
    "story-read": "Story marked as read.",
    "story-followed": "You follow this story.",
    "story-unfollowed": "You no longer follow this story.",
    "story-muted": "Story muted. Its articles are dismissed, and so is what joins it later.",
    "story-unmuted": "Story unmuted. Its articles are back, marked as read.",
    "renamed": "Renamed.",
    "moved": "Moved.",
    "deleted": "Deleted.",
    "revoked": "Revoked.",
    "bookmarked": "Saved to Bookmarks.",
    "kept": "Saved. Fetching the page.",
    "known": "You've already saved this page.",
    "reading": "Fetching the page again.",
    "archived": "Moved to the archive.",
    "unarchived": "Moved to the inbox.",
    "pinned": "Pinned.",
    "unpinned": "Unpinned.",
    "made-rule": "Rule created. It runs on new articles; use Apply for existing ones.",
    "saved-rule": "Rule saved. It runs on new articles; use Apply for existing ones.",
    "rule-on": "Rule enabled.",
    "rule-off": "Rule disabled.",
    "applied": "Applying your rules.",
    "no-digest": "Daily digests are off.",
    "mail": "Address confirmed. Daily digests are mailed to you.",
    "no-model": "Language models are off for your articles and bookmarks.",
    "model": "Language models are on for your articles and bookmarks.",
    "learning": "“For you” is on. You'll find it in the sidebar.",
    "forgot-all": "Everything that was learned is deleted.",
    "more": "You'll see more like this.",
    "less": "You'll see less like this.",
    "out": "You are signed out.",
}
_FEEDS_DONE = {
    "feeds-move": "Moved {}.",
    "feeds-expire": "Articles of {} are now marked as read after 7 days.",
    "feeds-pause": "Paused {}.",
    "feeds-resume": "Resumed {}.",
    "feeds-refresh": "Fetching {}.",
    "feeds-unsubscribe": "Unsubscribed from {}.",
}
"""What was done with the feeds selected in a list."""
_HOURS = 24


@dataclass(frozen=True, slots=True)
class Done:
    text: str
    undo: str = ""
    """The address to send the undo form to; empty when there is no undo."""
    fields: tuple[tuple[str, str], ...] = ()


def redirect_to(path: str, word: str = "") -> Response:
    """Lead to a page, which says what ``word`` names."""
    joint = "&" if "?" in path else "?"
    return RedirectResponse(f"{path}{joint}did={word}" if word else path, HTTPStatus.SEE_OTHER)


def redirect_back(form: FormData, otherwise: str, word: str = "") -> Response:
    """Lead to the page a form came from."""
    return redirect_to(local_path(field(form, "next"), otherwise), word)


def read_done(request: Request) -> Done | None:
    return _done(request.query_params.get("did", ""))


def told_text(word: str) -> str:
    done = _done(word)
    return done.text if done else ""


def _done(word: str) -> Done | None:
    name, *numbers = word.split(".")
    if not numbers:
        return Done(_SAID[name]) if name in _SAID else None
    if not all(map(_is_number, numbers)):
        return None
    done = None
    match name, [int(number) for number in numbers]:
        case "brought", [added, known]:
            text = f"{counted(added, 'bookmark')} added"
            done = Done(f"{text}, {known} already saved." if known else f"{text}.")
        case "password", [apps, views, identities]:
            done = Done(_password_text(apps, views, identities))
        case "swept", [token, count]:
            text = f"{counted(count, 'article')} marked as read."
            done = Done(text, "/articles/unsweep", (("token", str(token)),))
        case "hidden", [item]:
            fields = (("mark", "shown"), ("item", str(item)))
            done = Done("Dismissed.", "/articles/mark", fields)
        case _, [count] if name in _FEEDS_DONE:
            feeds = counted(count, "feed")
            done = Done(_FEEDS_DONE[name].format(feeds) if count else "No feed was changed.")
        case "fetching", [begun, total, failing]:
            done = Done(_fetching_text(begun, total, failing))
        case "digest", [hour] if hour < _HOURS:
            done = Done(f"You'll get a digest every day at {hour:02}:00.")
    return done


def _fetching_text(begun: int, total: int, failing: int) -> str:
    if not total:
        return "Nothing to fetch: polling is off for all your feeds."
    if begun >= total:
        return "Fetching all your feeds."
    why = "were fetched a moment ago"
    if failing:
        why += ", or failed and will be retried later"
    if not begun:
        return f"Nothing to fetch: your feeds {why}."
    return f"Fetching {begun} of {counted(total, 'feed')}; the others {why}."


def _password_text(apps: int, views: int, identities: int) -> str:
    ended = [
        counted(number, one, many)
        for number, one, many in (
            (apps, "app password", None),
            (views, "shared address", "shared addresses"),
            (identities, "linked sign-in", None),
        )
        if number
    ]
    if not ended:
        return "Password changed. All other browsers are signed out."
    were = "was" if apps + views + identities == 1 else "were"
    *others, last = ended
    listed = f"{', '.join(others)} and {last}" if others else last
    return f"Password changed. All other browsers are signed out; {listed} {were} revoked."


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 18  # noqa: PLR2004 - 64 bits
