"""Preferences: the look and behaviour of pages, keys, and what *For you* has learned."""

from collections import defaultdict
from collections.abc import Iterator
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import InvalidInput
from feedloom.model.interests import Interest, InterestKind, Sign
from feedloom.serve.auth import actor, services
from feedloom.serve.ids import as_id
from feedloom.serve.negotiation import wants_html
from feedloom.serve.pages.appearance import (
    CHOICES,
    SHORTCUTS,
    SWITCHES,
    appearance_of,
    check_keys,
    read_choices,
    read_keys,
)
from feedloom.serve.pages.formatting import counted
from feedloom.serve.pages.forms import as_items, field, is_on, redirect_back, redirect_to, route_end
from feedloom.serve.pages.renderer import render_page
from feedloom.serve.routes import Access, Route

_HEADINGS = {
    InterestKind.FEED: "Feeds",
    InterestKind.AUTHOR: "Authors",
    InterestKind.TOPIC: "Topics",
    InterestKind.WORD: "Words in titles",
}


async def overview(request: Request) -> Response:
    groups: dict[str, list[object]] = defaultdict(list)
    for name, choice in CHOICES.items():
        groups[choice.group].append((name, choice.legend, choice.words))
    for name, switch in SWITCHES.items():
        groups[switch.group].append((name, switch.text))
    return await render_page(request, "settings/choices.html", 200, None, **groups)


async def save(request: Request) -> Response:
    form = await request.form()
    user = actor(request).user
    chosen = read_choices(form, tuple(CHOICES))
    switched = {name: is_on(form, name) for name in SWITCHES}
    await services(request).accounts.store.save_settings(user.id, {**chosen, **switched})
    return redirect_to("/settings", "saved")


async def keyboard(
    request: Request, keys: dict[str, str] | None = None, problem: str = ""
) -> Response:
    status = HTTPStatus.BAD_REQUEST if problem else HTTPStatus.OK
    keys = keys or read_keys(actor(request).user.settings)
    return await render_page(request, "settings/keyboard.html", status, keys=keys, problem=problem)


async def save_keys(request: Request) -> Response:
    form = await request.form()
    is_reset = is_on(form, "reset")
    keys = {s.name: s.key if is_reset else field(form, s.name).strip() for s in SHORTCUTS}
    try:
        own = check_keys(keys)
    except InvalidInput as error:
        return await keyboard(request, keys, str(error))
    await services(request).accounts.store.save_settings(actor(request).user.id, {"keys": own})
    return redirect_to("/settings/keyboard", "saved")


async def theme(request: Request) -> Response:
    """Change how pages look, from a switch on any of them."""
    user = actor(request).user
    form = await request.form()
    chosen = read_choices(
        form,
        tuple(name for name, choice in CHOICES.items() if choice.group == "looks" and name in form),
    )
    await services(request).accounts.store.save_settings(user.id, chosen)
    if not wants_html(request):
        return Response(status_code=HTTPStatus.NO_CONTENT)
    return redirect_back(form, "/settings")


async def switch(request: Request) -> Response:
    """Switch what the address names on or off, and go back to where it is seen."""
    user = actor(request).user
    form = await request.form()
    name = route_end(request).replace("-", "_")
    wanted = not appearance_of(user).value(name)
    await services(request).accounts.store.save_settings(user.id, {name: wanted})
    return redirect_back(form, "/settings")


async def interests(request: Request) -> Response:
    found = await services(request).interests.interests(actor(request).user.id)
    groups = {
        heading: [(each, ", ".join(_counts(each))) for each in found if each.kind is kind]
        for kind, heading in _HEADINGS.items()
    }
    return await render_page(request, "settings/interests.html", groups=groups, total=len(found))


def _counts(each: Interest) -> Iterator[str]:
    for did in ("starred", "saved", "opened", "dismissed"):
        if n := getattr(each, did):
            yield f"{did} {n}"
    for wanted in ("more", "less"):
        if n := getattr(each, wanted):
            yield f"asked for {wanted} {counted(n, 'time')}"


async def switch_interests(request: Request) -> Response:
    store, user_id = services(request).interests, actor(request).user.id
    if field(await request.form(), "enabled"):
        await store.start(user_id)
        return redirect_to("/settings/interests", "learning")
    await store.stop(user_id)
    return redirect_to("/settings/interests", "forgot-all")


async def forget(request: Request) -> Response:
    form = await request.form()
    store, user_id = services(request).interests, actor(request).user.id
    if field(form, "all"):
        await store.forget_all(user_id)
        return redirect_to("/settings/interests", "forgot-all")
    await store.forget(user_id, as_id(field(form, "id")))
    return redirect_to("/settings/interests", "deleted")


async def like(request: Request) -> Response:
    form = await request.form()
    sign, _, item = field(form, "like").partition(".")
    if sign not in {Sign.MORE, Sign.LESS}:
        raise InvalidInput("Unknown option.", field="like")
    await services(request).interests.learn(actor(request).user.id, as_items([item]), Sign(sign))
    return redirect_back(form, "/read/for-you", sign)


ROUTES = (
    Route("/settings", overview, ("GET",), Access.PERSON),
    Route("/settings", save, ("POST",), Access.PERSON),
    Route("/settings/keyboard", keyboard, ("GET",), Access.PERSON),
    Route("/settings/keyboard", save_keys, ("POST",), Access.PERSON),
    Route("/settings/calm-titles", switch, ("POST",), Access.PERSON),
    Route("/settings/fold-stories", switch, ("POST",), Access.PERSON),
    Route("/settings/theme", theme, ("POST",), Access.PERSON),
    Route("/settings/interests", interests, ("GET",), Access.PERSON),
    Route("/settings/interests", switch_interests, ("POST",), Access.PERSON),
    Route("/settings/interests/forget", forget, ("POST",), Access.PERSON),
    Route("/articles/like", like, ("POST",), Access.PERSON),
)
