"""Actions on articles: mark, star, dismiss, tag, mark all read, undo.

One address per verb. Scripts ask for JSON and get counts; plain forms get a redirect to
the page they came from, which says what was done and offers to undo it.
"""

from collections.abc import Mapping
from http import HTTPStatus

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from feedloom.model.errors import InvalidInput
from feedloom.model.interests import Sign
from feedloom.model.reader import Wanted
from feedloom.serve.action_times import done_at
from feedloom.serve.auth import actor, services
from feedloom.serve.negotiation import is_htmx, wants_html
from feedloom.serve.pages.forms import (
    as_items,
    as_number,
    field,
    is_digits,
    maybe_id,
    redirect_back,
)
from feedloom.serve.pages.reader.stories import told_alike
from feedloom.serve.pages.renderer import render
from feedloom.serve.routes import Access, Route

MARKS = frozenset({"read", "unread", "starred", "unstarred", "hidden", "shown"})


async def mark(request: Request) -> Response:
    form = await request.form()
    if pressed := field(form, "do"):
        verb, _, item = pressed.partition(".")
        items = as_items([item])
    else:
        verb, items = field(form, "mark"), as_items(map(str, form.getlist("item")))
    if verb not in MARKS:
        raise InvalidInput(f"Unknown mark {verb!r}.", field="mark")
    user, reading = actor(request).user, services(request).reading
    marked = await reading.mark(user.id, items, verb, done_at(request))
    done = marked.item_nos
    if field(form, "opened") and user.learns:
        await services(request).interests.learn(user.id, done, Sign.OPENED)
    if verb == "read":
        also = await told_alike(services(request), user, items)
        if also:
            copies = await reading.mark(user.id, also, "read", done_at(request))
            done = (*done, *copies.item_nos)
    if verb == "shown" and field(form, "unread"):
        await reading.mark(user.id, items, "unread")
    told = f"{verb}.{items[0]}" if verb == "hidden" and items else ""
    return _answer(request, form, {"mark": verb, "items": list(done)}, told)


async def sweep(request: Request) -> Response:
    form = await request.form()
    seen = field(form, "seen").strip()
    everything = Wanted(
        subscription_id=maybe_id(form, "subscription_id"),
        folder_id=maybe_id(form, "folder_id"),
        tag=field(form, "tag") or None,
        text=field(form, "q") or None,
        starred=True if field(form, "starred") else None,
        before_item=as_number(seen, field="seen") + 1 if seen else None,
    )
    swept = await services(request).overviews.sweep(actor(request).user.id, everything)
    told = f"swept.{swept.token}.{swept.count}" if swept.count else ""
    said = {"count": swept.count, "token": str(swept.token)}
    return _answer(request, form, said, told)


async def unsweep(request: Request) -> Response:
    form = await request.form()
    token = field(form, "token")
    if not is_digits(token):
        raise InvalidInput("Invalid query parameters", field="token")
    user_id = actor(request).user.id
    count = await services(request).overviews.undo_sweep(user_id, int(token))
    return _answer(request, form, {"count": count})


async def tag(request: Request) -> Response:
    form = await request.form()
    items = as_items(map(str, form.getlist("item")))
    user_id, name = actor(request).user.id, field(form, "tag").strip()
    reading, is_off = services(request).reading, bool(field(form, "off"))
    problem = ""
    try:
        await (reading.untag if is_off else reading.tag)(user_id, items, name)
    except InvalidInput as error:
        if not is_htmx(request):
            raise
        problem = str(error)
    if not is_htmx(request) or not items:
        return _answer(request, form, {"items": list(items), "tag": name})
    # The article's tags, in their place; the sidebar counts them anew.
    return render(
        request,
        "reading/tags.html",
        HTTPStatus.BAD_REQUEST if problem else HTTPStatus.OK,
        {} if problem else {"HX-Trigger": "refreshFeedList"},
        article=await reading.article(user_id, items[0]),
        here=f"/articles/{items[0]}",
        problem=problem,
        typed=name if problem and not is_off else "",
    )


def _answer(
    request: Request, form: FormData, said: Mapping[str, object], told: str = ""
) -> Response:
    if not wants_html(request):
        return JSONResponse(dict(said))
    return redirect_back(form, "/read/unread", told)


ROUTES = (
    Route("/articles/mark", mark, ("POST",), Access.PERSON),
    Route("/articles/sweep", sweep, ("POST",), Access.PERSON),
    Route("/articles/unsweep", unsweep, ("POST",), Access.PERSON),
    Route("/articles/tag", tag, ("POST",), Access.PERSON),
)
