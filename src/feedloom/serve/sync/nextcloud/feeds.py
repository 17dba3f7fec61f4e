"""Feeds and folders, which are flat there: list, add, move, rename, delete, mark read, filter.

Clients fail on a missing key, on null where they want text and on a number where they
want a boolean; so every field is always sent and has exactly the type given here.
A feed's filter hides articles by three lists of keywords. Each list is one filter rule or
several (a pattern has a largest length), found again by their name. A rule that a person
changes by hand stays what they made of it as long as it keeps that name.
"""

import hashlib
import re
from collections.abc import Iterator

from starlette.responses import Response

from feedloom.flow.reader.rules import LONGEST_PATTERN
from feedloom.model.errors import InvalidInput, NotAllowed, NotFound
from feedloom.model.reader import Folder, Rule, Subscription, Wanted
from feedloom.model.rules import NewRule
from feedloom.serve.sync.bodies import JSON, encode
from feedloom.serve.sync.calls import Call
from feedloom.serve.sync.feeds import add_feed
from feedloom.serve.sync.icons import NO_ICON, icon_address, icon_answer
from feedloom.serve.sync.nextcloud.items import folder_of, read_up_to
from feedloom.serve.sync.parameters import LARGEST_ID, row_id
from feedloom.serve.sync.times import seconds

_FIELDS = {"titleKeywords": "title", "bodyKeywords": "content", "urlKeywords": "url"}
_NAME = "Client filter: {field}"
_BEFORE, _AFTER = r"(?:^|[^\pL\pN_])(?:", r")(?:[^\pL\pN_]|$)"
"""Around keywords that are looked for as whole words: all but those in addresses."""
_PART = re.compile(r"(?:\\.|[^|\\])+", re.DOTALL)
_LONGEST_FIELD = 2_048
_MOST_KEYWORDS = 100
_LONGEST_KEYWORD = 128


def _shape(call: Call, feed: Subscription) -> dict[str, object]:
    return {
        "id": feed.id,
        "url": call.shown_url(feed),
        "title": feed.title,
        "faviconLink": icon_address(call.request, feed.favicon_id),
        "added": seconds(feed.added_at),
        "folderId": None if feed.in_root else feed.folder_id,
        "unreadCount": feed.unread,
        "ordering": feed.ordering if feed.ordering in {0, 1, 2} else 0,
        "link": feed.site_url,
        "pinned": feed.pinned,
        "updateErrorCount": feed.consecutive_failures,
        "lastUpdateError": feed.last_fetch_error,
        "nextUpdateTime": None if feed.next_run_at is None else seconds(feed.next_run_at),
        "items": [],
    }


async def list_feeds(call: Call) -> object:
    feeds = await call.services.subscriptions.subscriptions(call.user_id)
    starred = await call.services.reading.count(call.user_id, Wanted(starred=True))
    shown = [_shape(call, feed) for feed in feeds]
    return {"feeds": shown, "starredCount": starred} | await _newest_item(call)


async def _newest_item(call: Call) -> dict[str, int]:
    """Name the newest item, if there is one: 0 would be an id."""
    newest = (await call.services.syncing.frontier(call.user_id)).newest_item
    return {"newestItemId": newest} if newest else {}


async def add(call: Call) -> object:
    title, folder_id = call.given.text("feedTitle") or None, _folder(call)
    feed = await add_feed(call, call.given.text("url"), title=title, folder_id=folder_id)
    return {"feeds": [_shape(call, feed)]} | await _newest_item(call)


def _folder(call: Call) -> int | None:
    """Read where a feed shall be: null, nothing and 0 all mean the root."""
    if call.given.text("folderId") == "null":
        # What command lines make of null.
        return None
    folder_id = call.given.number("folderId", 0)
    if not 0 <= folder_id <= LARGEST_ID:
        raise NotFound("Folder not found")
    return folder_id or None


async def move(call: Call) -> None:
    changes = {"folder_id": _folder(call)}
    await call.services.subscriptions.change(call.user_id, call.id(), changes)


async def rename(call: Call) -> None:
    title = call.given.line("feedTitle")
    if not title:
        raise InvalidInput("A title is required.", field="feedTitle")
    await call.services.subscriptions.change(call.user_id, call.id(), {"title": title})


async def mark_read(call: Call) -> None:
    feed = await call.subscription()
    await read_up_to(call, Wanted(subscription_id=feed.id))


async def favicon(call: Call) -> Response:
    wanted = call.request.path_params["hash"].lower()
    for feed in await call.feeds():
        if feed.favicon_id is not None:
            address = call.shown_url(feed).encode()
            if hashlib.md5(address, usedforsecurity=False).hexdigest() == wanted:
                return icon_answer(await call.services.icons.icon(feed.favicon_id))
    return icon_answer(NO_ICON)


async def all_feeds(call: Call) -> object:
    _require_operator(call)
    owned = await call.services.syncing.all_feeds()
    return {"feeds": [{"id": id_, "userId": email} for id_, email in owned]}


async def update(call: Call) -> None:
    user, owner = call.user, call.given.text("userId").strip().casefold()
    if user.is_operator and owner not in {"", user.email}:
        found = await call.services.accounts.store.by_email(owner)
        if found is None:
            raise NotFound("Feed not found")
        user = found[0]
    feed_id = row_id(call.given.text("feedId"))
    await call.services.subscriptions.refresh(user.id, feed_id, afresh=False)


async def cleanup(call: Call) -> None:
    # Cleaning up is the worker's own business; scripts still ask for it.
    _require_operator(call)


def _require_operator(call: Call) -> None:
    if not call.user.is_operator:
        raise NotAllowed


def _folder_shape(folder: Folder) -> dict[str, object]:
    return {"id": folder.id, "name": folder.path, "opened": True, "feeds": []}


async def list_folders(call: Call) -> object:
    return {"folders": [_folder_shape(each) for each in await call.folders()]}


async def create_folder(call: Call) -> object:
    folder = await call.services.folders.create(call.user_id, call.given.text("name"))
    return {"folders": [_folder_shape(folder)]}


async def rename_folder(call: Call) -> None:
    await call.rename_folder(await _listed(call, call.id()), call.given.text("name"))


async def delete_folder(call: Call) -> None:
    await call.services.syncing.delete_folder(call.user_id, call.id())


async def mark_folder_read(call: Call) -> None:
    named = call.request.path_params["id"]
    if named != "0":
        await _listed(call, row_id(named))
    folder_id = await folder_of(call, int(named))
    await read_up_to(call, Wanted(folder_id=folder_id, folder_only=True))


async def _listed(call: Call, folder_id: int) -> Folder:
    for folder in await call.folders():
        if folder.id == folder_id:
            return folder
    raise NotFound("Folder not found")


async def show_filter(call: Call) -> Response:
    rules = await _rules(call)
    shown: dict[str, object] = {"feedId": call.id()}
    shown |= {name: _keywords(rules, field) for name, field in _FIELDS.items()}
    # Slashes as PHP writes them: the original's own tests compare the bytes.
    body = encode({"filter": shown}).replace(b"/", b"\\/")
    return Response(body, media_type=JSON)


async def save_filter(call: Call) -> Response:
    rules = await _rules(call)
    wanted = {
        field: _checked(call.given.text(name), name)
        for name, field in _FIELDS.items()
        if call.given.has(name)
    }
    for field, words in wanted.items():
        await _replace(call, [rule for rule in rules if rule.field == field], field, words)
    return await show_filter(call)


async def drop_filter(call: Call) -> None:
    for rule in await _rules(call):
        await call.services.rules.store.delete(call.user_id, rule.id)


async def _rules(call: Call) -> list[Rule]:
    """Find the rules of this feed's filter; ``NotFound`` without feed."""
    feed = await call.subscription()
    return [
        rule
        for rule in await call.services.rules.store.rules(call.user_id)
        if rule.subscription_id == feed.id and rule.name == _NAME.format(field=rule.field)
    ]


def _checked(text: str, name: str) -> list[str]:
    """Read keywords, each once; ``InvalidInput`` beyond the limits of the original."""
    words = [word.strip() for word in text.split(",") if word.strip()]
    once: dict[str, str] = {}
    for word in words:
        once.setdefault(word.casefold(), word)
    if len(text.strip()) > _LONGEST_FIELD:
        why = f"{name} must be at most {_LONGEST_FIELD} characters."
    elif len(words) > _MOST_KEYWORDS:
        why = f"{name} must have at most {_MOST_KEYWORDS} keywords."
    elif any(len(word) > _LONGEST_KEYWORD for word in words):
        why = f"A keyword of {name} must be at most {_LONGEST_KEYWORD} characters."
    else:
        return list(once.values())
    raise InvalidInput(why, field=name)


async def _replace(call: Call, old: list[Rule], field: str, words: list[str]) -> None:
    store, user_id = call.services.rules, call.user_id
    patterns = list(_patterns(field, words))
    for rule in old[len(patterns) :]:
        await store.store.delete(user_id, rule.id)
    for place, pattern in enumerate(patterns):
        new = NewRule(
            name=_NAME.format(field=field),
            field=field,
            pattern=pattern,
            action="hide",
            subscription_id=call.id(),
        )
        if place < len(old):
            await store.change(user_id, old[place].id, new)
        else:
            await store.add(user_id, new)


def _patterns(field: str, words: list[str]) -> Iterator[str]:
    """Write patterns for keywords, as many in each as there is room for."""
    before, after = ("", "") if field == "url" else (_BEFORE, _AFTER)
    room = LONGEST_PATTERN - len(before) - len(after)
    parts: list[str] = []
    for part in map(re.escape, words):
        if parts and len("|".join((*parts, part))) > room:
            yield before + "|".join(parts) + after
            parts = []
        parts.append(part)
    if parts:
        yield before + "|".join(parts) + after


def _keywords(rules: list[Rule], field: str) -> str:
    words: list[str] = []
    for rule in rules:
        if rule.field == field:
            inside = rule.pattern.removeprefix(_BEFORE).removesuffix(_AFTER)
            words += [re.sub(r"\\(.)", r"\1", part) for part in _PART.findall(inside)]
    return ", ".join(words)
