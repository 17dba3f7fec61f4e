"""A feed's filter: keywords there, rules of ours that hide what matches.

Each of the three lists of keywords is one rule, found again by its name. A rule that a
person changes by hand stays what they made of it as long as it keeps that name.
"""

import re

from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.reader import Rule
from feedloom.model.rules import NewRule
from feedloom.serve.auth import actor, services
from feedloom.serve.sync.bodies import json_answer
from feedloom.serve.sync.nextcloud.error_responses import nothing
from feedloom.serve.sync.parameters import read_given, row_id
from feedloom.serve.sync.routes import SyncRoute

_FIELDS = {"titleKeywords": "title", "bodyKeywords": "content", "urlKeywords": "url"}
_NAME = "Client filter: {field}"
_PART = re.compile(r"(?:\\.|[^|\\])+", re.DOTALL)


async def _show(request: Request) -> Response:
    rules = await _rules(request)
    shown = {n: _keywords(rules[f]) if f in rules else "" for n, f in _FIELDS.items()}
    return json_answer({"filter": shown})


async def _save(request: Request) -> Response:
    rules = await _rules(request)
    given = await read_given(request)
    for name, field in _FIELDS.items():
        if given.has(name):
            await _replace(request, rules.get(field), field, given.text(name))
    return await _show(request)


async def _drop(request: Request) -> Response:
    for rule in (await _rules(request)).values():
        await services(request).rules.store.delete(actor(request).user.id, rule.id)
    return nothing()


async def _rules(request: Request) -> dict[str, Rule]:
    """Find the rules of this feed's filter by their field; ``NotFound`` without feed."""
    user_id, feed_id = actor(request).user.id, row_id(request.path_params["id"])
    await services(request).subscriptions.subscription(user_id, feed_id)
    return {
        rule.field: rule
        for rule in await services(request).rules.store.rules(user_id)
        if rule.subscription_id == feed_id
        and rule.name == _NAME.format(field=rule.field)
    }


async def _replace(
    request: Request, rule: Rule | None, field: str, keywords: str
) -> None:
    user_id, rules = actor(request).user.id, services(request).rules
    words = [word.strip() for word in keywords.split(",") if word.strip()]
    if not words:
        if rule is not None:
            await rules.store.delete(user_id, rule.id)
        return
    new = NewRule(
        name=_NAME.format(field=field),
        field=field,
        pattern="|".join(map(re.escape, words)),
        action="hide",
        subscription_id=row_id(request.path_params["id"]),
    )
    if rule is None:
        await rules.add(user_id, new)
    else:
        await rules.change(user_id, rule.id, new)


def _keywords(rule: Rule) -> str:
    parts = _PART.findall(rule.pattern)
    return ",".join(re.sub(r"\\(.)", r"\1", part) for part in parts)


ROUTES = (
    SyncRoute(("GET",), "/feeds/{id}/filter", _show),
    SyncRoute(("POST", "PUT"), "/feeds/{id}/filter", _save),
    SyncRoute(("DELETE",), "/feeds/{id}/filter", _drop),
)
