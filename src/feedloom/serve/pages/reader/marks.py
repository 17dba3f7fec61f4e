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
from feedloom.serve.ids import as_id
from feedloom.serve.negotiation import is_htmx, wants_html
from feedloom.serve.pages.forms import as_items, as_number, field
from feedloom.serve.pages.notices import redirect_back
from feedloom.serve.pages.reader.folded import told_alike
from feedloom.serve.pages.renderer import render
from feedloom.serve.routes import Access, Route

MARKS = frozenset({"read", "unread", "starred", "unstarred", "hidden", "shown"})


async def mark(request: Request) -> Response:
    form = await request.form()
    verb, items = _asked(form)
    user = actor(request).user
    reading = services(request).reading
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
    user_id = actor(request).user.id
    swept = await services(request).overviews.sweep(user_id, _everything(form))
    told = f"swept.{swept.token}.{swept.count}" if swept.count else ""
    said = {"count": swept.count, "token": str(swept.token)}
    return _answer(request, form, said, told)


async def unsweep(request: Request) -> Response:
    form = await request.form()
    token = field(form, "token")
    if not token.isascii() or not token.isdecimal() or len(token) > 18:  # noqa: PLR2004 - 64 bits
        raise InvalidInput("Invalid query parameters", field="token")
    user_id = actor(request).user.id
    count = await services(request).overviews.undo_sweep(user_id, int(token))
    return _answer(request, form, {"count": count})


async def tag(request: Request) -> Response:
    form = await request.form()
    items = as_items(str(value) for value in form.getlist("item"))
    user_id, name = actor(request).user.id, field(form, "tag").strip()
    reading = services(request).reading
    change = reading.untag if field(form, "off") else reading.tag
    problem = ""
    try:
        await change(user_id, items, name)
    except InvalidInput as error:
        if not is_htmx(request):
            raise
        problem = str(error)
    if is_htmx(request) and items:
        typed = name if problem and not field(form, "off") else ""
        return await _tags(request, items[0], problem, typed)
    return _answer(request, form, {"items": list(items), "tag": name})


async def _tags(request: Request, item_no: int, problem: str, typed: str) -> Response:
    """Show an article's tags in their place; the sidebar counts them anew."""
    user_id = actor(request).user.id
    return render(
        request,
        "reading/tags.html",
        HTTPStatus.BAD_REQUEST if problem else HTTPStatus.OK,
        {} if problem else {"HX-Trigger": "refreshFeedList"},
        article=await services(request).reading.article(user_id, item_no),
        here=f"/articles/{item_no}",
        problem=problem,
        typed=typed,
    )


def _asked(form: FormData) -> tuple[str, tuple[int, ...]]:
    pressed = field(form, "do")
    if pressed:
        verb, _, item = pressed.partition(".")
        items = as_items([item])
    else:
        verb = field(form, "mark")
        items = as_items(str(value) for value in form.getlist("item"))
    if verb not in MARKS:
        raise InvalidInput(f"Unknown mark {verb!r}.", field="mark")
    return verb, items


def _everything(form: FormData) -> Wanted:
    seen = field(form, "seen").strip()
    return Wanted(
        subscription_id=_maybe_id(form, "subscription_id"),
        folder_id=_maybe_id(form, "folder_id"),
        tag=field(form, "tag") or None,
        text=field(form, "q") or None,
        starred=True if field(form, "starred") else None,
        before_item=as_number(seen, field="seen") + 1 if seen else None,
    )


def _maybe_id(form: FormData, name: str) -> int | None:
    text = field(form, name).strip()
    return as_id(text) if text else None


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
