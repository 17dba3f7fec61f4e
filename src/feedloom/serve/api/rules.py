"""Filter rules in JSON: create, try, apply again."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, UnsetType
from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.reader import Rule
from feedloom.model.rules import NewRule
from feedloom.serve.auth import actor, services
from feedloom.serve.ids import path_id
from feedloom.serve.wire.json_io import NO_NUL, APIRoutes, Body, Id, Name, answer, given, read_body
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
async def list_rules(request: Request) -> list[RuleShape]:
    rules = await services(request).rules.store.rules(actor(request).user.id)
    return [_shape(rule) for rule in rules]


@ROUTES.add(
    "POST /api/rules", "Create a rule", gives={201: RuleShape}, takes=RuleToKeep, refuses=(404,)
)
async def add_rule(request: Request) -> Response:
    new = _new(await read_body(request, RuleToKeep))
    rule = await services(request).rules.add(actor(request).user.id, new)
    where = {"Location": f"/api/rules/{rule.id}"}
    return answer(_shape(rule), 201, where)


@ROUTES.add(
    "POST /api/rules/preview",
    "Preview a rule",
    takes=RuleToKeep,
    refuses=(404,),
    per_minute=120,
    reads=True,
)
async def preview_rule(request: Request) -> PreviewShape:
    new = _new(await read_body(request, RuleToKeep))
    found = await services(request).rules.preview(actor(request).user.id, new)
    shapes = [article_shape(each, with_content=False) for each in found.articles]
    return PreviewShape(found.looked_at, found.matched, shapes)


@ROUTES.add("GET /api/rules/{id}", "Show a rule")
async def show_rule(request: Request) -> RuleShape:
    return _shape(await _rule(request))


@ROUTES.add("PATCH /api/rules/{id}", "Update a rule", takes=RuleChanges)
async def change_rule(request: Request) -> RuleShape:
    rule = await _rule(request)
    changes = await read_body(request, RuleChanges, shown=RuleShape)
    shown = msgspec.structs.asdict(_shape(rule))
    before = {name: shown[name] for name in RuleToKeep.__struct_fields__}
    new = _new(msgspec.convert(before | given(changes), type=RuleToKeep))
    return _shape(await services(request).rules.change(actor(request).user.id, rule.id, new))


@ROUTES.add("DELETE /api/rules/{id}", "Delete a rule")
async def delete_rule(request: Request) -> None:
    """Delete a rule; what it did stays."""
    await services(request).rules.store.delete(actor(request).user.id, path_id(request))


@ROUTES.add(
    "POST /api/rules/{id}/apply", "Apply a rule to all articles", gives={202: Queued}, per_minute=60
)
async def apply_rule(request: Request) -> Response:
    rule = await _rule(request)
    task_id = await services(request).rules.reapply(actor(request).user.id, rule.id)
    return answer(Queued(task_id), 202, {"Location": f"/api/tasks/{task_id}"})


async def _rule(request: Request) -> Rule:
    store = services(request).rules.store
    return await store.rule(actor(request).user.id, path_id(request))


def _new(rule: RuleToKeep) -> NewRule:
    told = msgspec.structs.asdict(rule)
    return NewRule(subscription_id=told.pop("feed_id"), **told)


def _shape(rule: Rule) -> RuleShape:
    return shape(RuleShape, rule, feed_id=rule.subscription_id)
