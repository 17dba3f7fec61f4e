"""A feed's filter: keywords become filter rules that hide matching articles.

Each of the three lists of keywords is one rule or several (a pattern has a largest
length), found again by their name. A rule that a person changes by hand stays what they
made of it as long as it keeps that name.
"""

import re
from collections.abc import Iterator

from starlette.requests import Request
from starlette.responses import Response

from feedloom.flow.reader.rules import LONGEST_PATTERN
from feedloom.model.errors import InvalidInput
from feedloom.model.reader import Rule
from feedloom.model.rules import NewRule
from feedloom.serve.auth import actor, services
from feedloom.serve.sync.bodies import JSON, encode
from feedloom.serve.sync.nextcloud.error_responses import nothing
from feedloom.serve.sync.parameters import read_given, row_id
from feedloom.serve.sync.routes import SyncRoute

_FIELDS = {"titleKeywords": "title", "bodyKeywords": "content", "urlKeywords": "url"}
_NAME = "Client filter: {field}"
_BEFORE, _AFTER = r"(?:^|[^\pL\pN_])(?:", r")(?:[^\pL\pN_]|$)"
"""Around keywords that are looked for as whole words: all but those in addresses."""
_PART = re.compile(r"(?:\\.|[^|\\])+", re.DOTALL)
_LONGEST_FIELD = 2_048
_MOST_KEYWORDS = 100
_LONGEST_KEYWORD = 128


async def _show(request: Request) -> Response:
    rules = await _rules(request)
    shown: dict[str, object] = {"feedId": row_id(request.path_params["id"])}
    shown |= {name: _keywords(rules, field) for name, field in _FIELDS.items()}
    # Slashes as PHP writes them: the original's own tests compare the bytes.
    body = encode({"filter": shown}).replace(b"/", b"\\/")
    return Response(body, media_type=JSON)


async def _save(request: Request) -> Response:
    rules = await _rules(request)
    given = await read_given(request)
    wanted = {
        field: _checked(given.text(name), name)
        for name, field in _FIELDS.items()
        if given.has(name)
    }
    for field, words in wanted.items():
        await _replace(request, rules, field, words)
    return await _show(request)


async def _drop(request: Request) -> Response:
    for rule in await _rules(request):
        await services(request).rules.store.delete(actor(request).user.id, rule.id)
    return nothing()


async def _rules(request: Request) -> list[Rule]:
    """Find the rules of this feed's filter; ``NotFound`` without feed."""
    user_id, feed_id = actor(request).user.id, row_id(request.path_params["id"])
    await services(request).subscriptions.subscription(user_id, feed_id)
    return [
        rule
        for rule in await services(request).rules.store.rules(user_id)
        if rule.subscription_id == feed_id and rule.name == _NAME.format(field=rule.field)
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


async def _replace(request: Request, rules: list[Rule], field: str, words: list[str]) -> None:
    user_id, store = actor(request).user.id, services(request).rules
    patterns = list(_patterns(field, words))
    old = [rule for rule in rules if rule.field == field]
    for rule in old[len(patterns) :]:
        await store.store.delete(user_id, rule.id)
    for place, pattern in enumerate(patterns):
        new = NewRule(
            name=_NAME.format(field=field),
            field=field,
            pattern=pattern,
            action="hide",
            subscription_id=row_id(request.path_params["id"]),
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


ROUTES = (
    SyncRoute(("GET",), "/feeds/{id}/filter", _show),
    SyncRoute(("POST", "PUT"), "/feeds/{id}/filter", _save),
    SyncRoute(("DELETE",), "/feeds/{id}/filter", _drop),
)
