"""Forms: reading their fields, and the redirect to a page that says what was done.

That page's address names it (``?did=``). Only numbers and known words are believed, so that
no link can put words on a page.
"""

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from starlette.datastructures import FormData, QueryParams, UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from feedloom.model.errors import InvalidInput
from feedloom.model.reader import MOST_DAYS
from feedloom.serve.ids import as_id, read_number
from feedloom.serve.negotiation import is_htmx
from feedloom.serve.pages.formatting import counted
from feedloom.serve.security import local_path

MOST_ITEMS = 1_000
"""How many articles one request may mark by their numbers."""
FORM_AROUND = 100_000
"""What a form with a file weighs beside the file."""
_LONGEST_FILTER = 200
_NOTICES = tomllib.loads(Path(__file__).with_name("notices.toml").read_text("utf-8"))
_HOURS = 24


def as_number(text: str, *, field: str, least: int = 0) -> int:
    """Read a number from a query or form; ``InvalidInput`` when it is none."""
    number = read_number(text.strip())
    if number is None or number < least:
        raise InvalidInput("Invalid query parameters", field=field)
    return number


def as_days(text: str) -> int | None:
    """Read after how many days articles count as read; None when the field is empty."""
    days = as_number(text, field="read_after_days", least=1) if text.strip() else None
    if days is not None and days > MOST_DAYS:
        raise InvalidInput(f"Enter at most {MOST_DAYS} days.", field="read_after_days")
    return days


def as_items(texts: Iterable[str]) -> tuple[int, ...]:
    parts = [part for text in texts for part in text.split(",") if part.strip()]
    if len(parts) > MOST_ITEMS:
        raise InvalidInput("Too many articles at once.", field="item")
    return tuple(as_number(part, field="item", least=1) for part in parts)


def is_digits(text: str, most: int = 18) -> bool:
    """Tell whether a text is a number of so many digits; 18 of them fit 64 bits."""
    return text.isascii() and text.isdecimal() and len(text) <= most


def field(form: FormData | QueryParams, name: str) -> str:
    """Return a text field; empty when it is missing or a file.

    A NUL is left out: no keyboard types one, and databases take none.
    """
    value = form.get(name)
    if value is None or isinstance(value, UploadFile):
        return ""
    return value.replace("\x00", "")


def is_on(form: FormData | QueryParams, name: str) -> bool:
    return field(form, name) not in {"", "0", "false", "off"}


def maybe_id(form: FormData, name: str) -> int | None:
    text = field(form, name).strip()
    return as_id(text) if text else None


async def read_file(form: FormData) -> bytes:
    file = form.get("file")
    return await file.read() if isinstance(file, UploadFile) else b""


def read_filters(request: Request, *names: str) -> dict[str, str]:
    """Read what narrows a list from its address; ``InvalidInput`` where it is odd."""
    given = {name: request.query_params.get(name, "").strip() for name in names}
    for name, value in given.items():
        if len(value) > _LONGEST_FILTER or "\x00" in value:
            raise InvalidInput("Invalid query parameters", field=name)
    return given


def part_of(request: Request) -> str:
    """Return which part of a page htmx asks for; empty for the whole page."""
    return request.query_params.get("part", "") if is_htmx(request) else ""


def route_end(request: Request, mark: str = "/") -> str:
    """Return what a route's address ends with: as it was declared, not as it was asked for."""
    return str(request.scope["route"].path).rpartition(mark)[2]


def download(document: bytes, media_type: str, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(document, media_type=media_type, headers=headers)


def redirect_to(path: str, word: str = "") -> Response:
    """Lead to a page, which says what ``word`` names."""
    joint = "&" if "?" in path else "?"
    return RedirectResponse(f"{path}{joint}did={word}" if word else path, 303)


def redirect_back(form: FormData, otherwise: str, word: str = "") -> Response:
    """Lead to the page a form came from."""
    return redirect_to(local_path(field(form, "next"), otherwise), word)


def go_to(request: Request, path: str, word: str = "") -> Response:
    """Lead to a page as ``redirect_to`` does, also where htmx sent the form."""
    response = redirect_to(path, word)
    if is_htmx(request):
        # Quoted as in the redirect: headers take no other letters.
        headers = {"HX-Redirect": response.headers["location"]}
        return Response(status_code=204, headers=headers)
    return response


@dataclass(frozen=True, slots=True)
class Done:
    text: str
    undo: str = ""
    """The address to send the undo form to; empty when there is no undo."""
    fields: tuple[tuple[str, str], ...] = ()


def read_done(request: Request) -> Done | None:
    return find_done(request.query_params.get("did", ""))


def find_done(word: str) -> Done | None:
    name, *given = word.split(".")
    if not given:
        return Done(_NOTICES["said"][name]) if name in _NOTICES["said"] else None
    if not all(map(is_digits, given)):
        return None
    done = None
    match name, [int(number) for number in given]:
        case "brought", [added, known]:
            text = f"{counted(added, 'bookmark')} added"
            done = Done(f"{text}, {known} already saved." if known else f"{text}.")
        case "password", [apps, views, identities]:
            done = Done(_password_text(apps, views, identities))
        case "swept", [token, count]:
            text = f"{counted(count, 'article')} marked as read."
            done = Done(text, "/articles/unsweep", (("token", str(token)),))
        case "hidden", [item]:
            done = Done("Dismissed.", "/articles/mark", (("mark", "shown"), ("item", str(item))))
        case _, [count] if name in _NOTICES["feeds"]:
            text = _NOTICES["feeds"][name].format(counted(count, "feed"))
            done = Done(text if count else "No feed was changed.")
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
    ended = [counted(apps, "app password")] if apps else []
    ended += [counted(views, "shared address", "shared addresses")] if views else []
    ended += [counted(identities, "linked sign-in")] if identities else []
    if not ended:
        return "Password changed. All other browsers are signed out."
    were = "was" if apps + views + identities == 1 else "were"
    *others, last = ended
    listed = f"{', '.join(others)} and {last}" if others else last
    return f"Password changed. All other browsers are signed out; {listed} {were} revoked."
