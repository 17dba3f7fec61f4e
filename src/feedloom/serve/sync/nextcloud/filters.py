"""A feed's filter: keywords become filter rules that hide matching articles.

Each of the three lists of keywords is one rule or several (a pattern has a largest
length), found again by their name. A rule that a person changes by hand stays what they
made of it as long as it keeps that name.
"""

import re
from collections.abc import Iterator

from starlette.responses import Response

from feedloom.flow.reader.rules import LONGEST_PATTERN
from feedloom.model.errors import InvalidInput
from feedloom.model.reader import Rule
from feedloom.model.rules import NewRule
from feedloom.serve.sync.bodies import JSON, encode
from feedloom.serve.sync.calls import Call

_FIELDS = {"titleKeywords": "title", "bodyKeywords": "content", "urlKeywords": "url"}
_NAME = "Client filter: {field}"
_BEFORE, _AFTER = r"(?:^|[^\pL\pN_])(?:", r")(?:[^\pL\pN_]|$)"
"""Around keywords that are looked for as whole words: all but those in addresses."""
_PART = re.compile(r"(?:\\.|[^|\\])+", re.DOTALL)
_LONGEST_FIELD = 2_048
_MOST_KEYWORDS = 100
_LONGEST_KEYWORD = 128


async def show(call: Call) -> Response:
    rules = await _rules(call)
    shown: dict[str, object] = {"feedId": call.id()}
    shown |= {name: _keywords(rules, field) for name, field in _FIELDS.items()}
    # Slashes as PHP writes them: the original's own tests compare the bytes.
    body = encode({"filter": shown}).replace(b"/", b"\\/")
    return Response(body, media_type=JSON)


async def save(call: Call) -> Response:
    rules = await _rules(call)
    wanted = {
        field: _checked(call.given.text(name), name)
        for name, field in _FIELDS.items()
        if call.given.has(name)
    }
    for field, words in wanted.items():
        await _replace(call, [rule for rule in rules if rule.field == field], field, words)
    return await show(call)


async def drop(call: Call) -> None:
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
