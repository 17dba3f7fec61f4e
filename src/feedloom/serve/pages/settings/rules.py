"""Filter rules: create, try, apply to existing articles, delete."""

from dataclasses import dataclass
from http import HTTPStatus

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from feedloom.flow.reader.rules import LONGEST_PATTERN, Preview
from feedloom.model.errors import InvalidInput
from feedloom.model.reader import Rule
from feedloom.model.rules import NewRule
from feedloom.model.work import TaskKind
from feedloom.serve.auth import actor, services
from feedloom.serve.ids import path_id
from feedloom.serve.negotiation import is_htmx
from feedloom.serve.pages.forms import field, is_on, maybe_id, redirect_to
from feedloom.serve.pages.renderer import my_sidebar, render, render_page
from feedloom.serve.routes import Access, Route

FIELD_WORDS = {
    "title": "the title",
    "author": "the author",
    "content": "the text",
    "url": "the address",
    "metadata": "the title, author, address or a category",
    "any": "anything",
    "clickbait": "the clickbait score (such as >0.7)",
    "slant": "the score for loaded wording (such as >0.5)",
}
ACTION_WORDS = {"read": "mark it read", "star": "star it", "hide": "hide it", "tag": "tag it"}
_BLANK = NewRule(name="", field="title", pattern="", action="read")


@dataclass(frozen=True, slots=True)
class Draft:
    rule: NewRule | Rule
    id: int | None = None
    problem: str = ""
    preview: Preview | None = None


async def rules(request: Request, draft: Draft | None = None) -> Response:
    draft = draft or Draft(_BLANK)
    status = HTTPStatus.BAD_REQUEST if draft.problem else HTTPStatus.OK
    app_services = services(request)
    feeds = (await my_sidebar(request)).feeds
    return await render_page(
        request,
        "settings/rules.html",
        status,
        rules=await app_services.rules.store.rules(actor(request).user.id),
        feeds=[feed for feed in feeds if feed.feed_id is not None],
        titles={feed.id: feed.title for feed in feeds},
        draft=draft,
        fields=FIELD_WORDS,
        actions=ACTION_WORDS,
        longest=LONGEST_PATTERN,
        task=await _latest(request),
    )


async def one_rule(request: Request) -> Response:
    user_id = actor(request).user.id
    rule = await services(request).rules.store.rule(user_id, path_id(request))
    return await rules(request, Draft(rule, rule.id))


async def preview(request: Request) -> Response:
    form = await request.form()
    given, id_ = _read(form), maybe_id(form, "id")
    try:
        found = await services(request).rules.preview(actor(request).user.id, given)
        draft = Draft(given, id_, preview=found)
    except InvalidInput as error:
        draft = Draft(given, id_, problem=str(error))
    if not is_htmx(request):
        return await rules(request, draft)
    status = HTTPStatus.BAD_REQUEST if draft.problem else HTTPStatus.OK
    return render(request, "settings/rule_preview.html", status, draft=draft)


async def save(request: Request) -> Response:
    given = _read(await request.form())
    user_id = actor(request).user.id
    made = services(request).rules
    id_ = path_id(request) if "id" in request.path_params else None
    try:
        if id_ is None:
            await made.add(user_id, given)
        else:
            await made.change(user_id, id_, given)
    except InvalidInput as error:
        return await rules(request, Draft(given, id_, problem=str(error)))
    return redirect_to("/settings/rules", "made-rule" if id_ is None else "saved-rule")


async def switch(request: Request) -> Response:
    user_id = actor(request).user.id
    store = services(request).rules.store
    rule = await store.rule(user_id, path_id(request))
    await store.change(user_id, rule.id, {"enabled": not rule.enabled})
    return redirect_to("/settings/rules", "rule-off" if rule.enabled else "rule-on")


async def delete(request: Request) -> Response:
    await services(request).rules.store.delete(actor(request).user.id, path_id(request))
    return redirect_to("/settings/rules", "deleted")


async def apply(request: Request) -> Response:
    id_ = path_id(request) if "id" in request.path_params else None
    await services(request).rules.reapply(actor(request).user.id, id_)
    return redirect_to("/settings/rules", "applied")


async def progress(request: Request) -> Response:
    return render(request, "settings/rule_progress.html", task=await _latest(request))


def _read(form: FormData) -> NewRule:
    return NewRule(
        name=field(form, "name"),
        field=field(form, "field"),
        pattern=field(form, "pattern").strip(),
        action=field(form, "action"),
        tag=field(form, "tag") or None,
        subscription_id=maybe_id(form, "subscription_id"),
        inverted=is_on(form, "inverted"),
        enabled=is_on(form, "enabled") or "enabled" not in form,
    )


async def _latest(request: Request) -> object:
    user_id = actor(request).user.id
    return await services(request).tasks.latest(user_id, TaskKind.APPLY_RULES)


ROUTES = (
    Route("/settings/rules", rules, ("GET",), Access.PERSON),
    Route("/settings/rules", save, ("POST",), Access.PERSON),
    Route("/settings/rules/preview", preview, ("POST",), Access.PERSON, reads=True),
    Route("/settings/rules/apply", apply, ("POST",), Access.PERSON),
    Route("/settings/rules/progress", progress, ("GET",), Access.PERSON),
    Route("/settings/rules/{id}", one_rule, ("GET",), Access.PERSON),
    Route("/settings/rules/{id}", save, ("POST",), Access.PERSON),
    Route("/settings/rules/{id}/switch", switch, ("POST",), Access.PERSON),
    Route("/settings/rules/{id}/delete", delete, ("POST",), Access.PERSON),
    Route("/settings/rules/{id}/apply", apply, ("POST",), Access.PERSON),
)
