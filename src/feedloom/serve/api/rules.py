"""Filter rules in JSON: create, try, apply again."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, UnsetType
from starlette.responses import Response

from feedloom.model.reader import Rule
from feedloom.model.rules import NewRule
from feedloom.serve.wire.json_io import NO_NUL, APIRoutes, Body, Call, Id, Name, answer, given
from feedloom.serve.wire.shapes import ArticleShape, article_shape, shape

ROUTES = APIRoutes()

Field = Literal["title", "author", "content", "url", "metadata", "any", "clickbait", "slant"]
Action = Literal["read", "star", "hide", "tag"]
Pattern = Annotated[str, msgspec.Meta(min_length=1, max_length=500, pattern=NO_NUL)]


class RuleShape(msgspec.Struct):
    """A rule; without a feed it concerns all feeds."""

    id: int
    name: str
    feed_id: int | None
    field: str
    pattern: str
    action: str
    tag: str | None
    enabled: bool
    inverted: bool
    """It concerns what does not match."""
    last_error: str | None


class RuleToKeep(Body):
    """A rule to be kept or tried."""

    field: Field
    pattern: Pattern
    action: Action
    name: Name = ""
    tag: Name | None = None
    feed_id: Id | None = None
    enabled: bool = True
    inverted: bool = False


class RuleChanges(Body):
    """What is to be changed."""

    field: Field | UnsetType = UNSET
    pattern: Pattern | UnsetType = UNSET
    action: Action | UnsetType = UNSET
    name: Name | UnsetType = UNSET
    tag: Name | UnsetType | None = UNSET
    feed_id: Id | UnsetType | None = UNSET
    enabled: bool | UnsetType = UNSET
    inverted: bool | UnsetType = UNSET


class PreviewShape(msgspec.Struct):
    """What a rule would do to the newest articles."""

    looked_at: int
    matched: int
    articles: list[ArticleShape]


class Queued(msgspec.Struct):
    """It runs in the background; ``/api/tasks/{task_id}`` tells how far it is."""

    task_id: int


@ROUTES.add("GET /api/rules", "List rules")
async def list_rules(call: Call) -> list[RuleShape]:
    rules = await call.services.rules.store.rules(call.user_id)
    return [_shape(rule) for rule in rules]


@ROUTES.add(
    "POST /api/rules", "Create a rule", gives={201: RuleShape}, takes=RuleToKeep, refuses=(404,)
)
async def add_rule(call: Call) -> Response:
    new = _new(await call.body(RuleToKeep))
    rule = await call.services.rules.add(call.user_id, new)
    return answer(_shape(rule), 201, {"Location": f"/api/rules/{rule.id}"})


@ROUTES.add(
    "POST /api/rules/preview",
    "Preview a rule",
    takes=RuleToKeep,
    refuses=(404,),
    per_minute=120,
    reads=True,
)
async def preview_rule(call: Call) -> PreviewShape:
    new = _new(await call.body(RuleToKeep))
    found = await call.services.rules.preview(call.user_id, new)
    shapes = [article_shape(each, with_content=False) for each in found.articles]
    return PreviewShape(found.looked_at, found.matched, shapes)


@ROUTES.add("GET /api/rules/{id}", "Show a rule")
async def show_rule(call: Call) -> RuleShape:
    return _shape(await _rule(call))


@ROUTES.add("PATCH /api/rules/{id}", "Update a rule", takes=RuleChanges)
async def change_rule(call: Call) -> RuleShape:
    rule = await _rule(call)
    changes = await call.body(RuleChanges, shown=RuleShape)
    shown = msgspec.structs.asdict(_shape(rule))
    before = {name: shown[name] for name in RuleToKeep.__struct_fields__}
    new = _new(msgspec.convert(before | given(changes), type=RuleToKeep))
    return _shape(await call.services.rules.change(call.user_id, rule.id, new))


@ROUTES.add("DELETE /api/rules/{id}", "Delete a rule")
async def delete_rule(call: Call) -> None:
    """Delete a rule; what it did stays."""
    await call.services.rules.store.delete(call.user_id, call.id())


@ROUTES.add(
    "POST /api/rules/{id}/apply", "Apply a rule to all articles", gives={202: Queued}, per_minute=60
)
async def apply_rule(call: Call) -> Response:
    rule = await _rule(call)
    task_id = await call.services.rules.reapply(call.user_id, rule.id)
    return answer(Queued(task_id), 202, {"Location": f"/api/tasks/{task_id}"})


async def _rule(call: Call) -> Rule:
    return await call.services.rules.store.rule(call.user_id, call.id())


def _new(rule: RuleToKeep) -> NewRule:
    told = msgspec.structs.asdict(rule)
    return NewRule(subscription_id=told.pop("feed_id"), **told)


def _shape(rule: Rule) -> RuleShape:
    return shape(RuleShape, rule, feed_id=rule.subscription_id)
