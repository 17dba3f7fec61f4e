"""How pages look and behave: the form of a person's choices, and the theme's switch."""

from http import HTTPStatus

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from feedloom.model.errors import InvalidInput
from feedloom.serve.auth import actor, services
from feedloom.serve.negotiation import wants_html
from feedloom.serve.pages.appearance import (
    CHOICES,
    SWITCHES,
    WORDS,
    appearance_of,
)
from feedloom.serve.pages.forms import field, is_on
from feedloom.serve.pages.reader.places import ORDER_WORDS
from feedloom.serve.pages.renderer import render_page
from feedloom.serve.pages.shortcuts import SHORTCUTS, check_keys, read_keys
from feedloom.serve.routes import Access, Route
from feedloom.serve.security import local_path

_WORDS = WORDS | {
    "theme": ("Theme", {"system": "System", "light": "Light", "dark": "Dark"}),
    "density": (
        "Lists",
        {"comfortable": "Comfortable", "compact": "Compact"},
    ),
    "show": ("Lists show", {"unread": "Unread articles", "all": "All articles"}),
    "order": ("Order", ORDER_WORDS),
    "start": (
        "Start page",
        {"dashboard": "Dashboard", "river": "The river", "unread": "Unread articles"},
    ),
}
LOOKS = tuple((n, *_WORDS[n]) for n in ("theme", "density", "font", "size", "width"))
HABITS = tuple((n, *_WORDS[n]) for n in ("start", "show", "order"))
TOGGLES = (
    ("mark_on_open", "Mark articles as read when you open them"),
    ("mark_on_scroll", "Mark articles as read as you scroll past them"),
    ("cluster_read", "Also mark other articles about the same thing as read"),
    ("shortcuts", "Use single-letter keyboard shortcuts"),
)
CALM = (
    ("calm_titles", "Show calm headlines"),
    ("show_scores", "Show scores in lists"),
)


async def overview(request: Request) -> Response:
    return await render_page(
        request,
        "settings/choices.html",
        looks=LOOKS,
        habits=HABITS,
        toggles=TOGGLES,
        calm=CALM,
    )


async def save(request: Request) -> Response:
    form = await request.form()
    user = actor(request).user
    chosen = _chosen(form, tuple(CHOICES))
    switched = {name: is_on(form, name) for name in SWITCHES}
    await services(request).accounts.store.save_settings(
        user.id, {**user.settings, **chosen, **switched}
    )
    return RedirectResponse("/settings?did=saved", HTTPStatus.SEE_OTHER)


async def keyboard(request: Request) -> Response:
    keys = actor(request).user.settings
    return await _keyboard(request, dict(read_keys(keys)))


async def save_keys(request: Request) -> Response:
    form = await request.form()
    user = actor(request).user
    keys = {each.name: field(form, each.name).strip() for each in SHORTCUTS}
    if is_on(form, "reset"):
        keys = {each.name: each.key for each in SHORTCUTS}
    try:
        own = check_keys(keys)
    except InvalidInput as error:
        return await _keyboard(request, keys, str(error), HTTPStatus.BAD_REQUEST)
    await services(request).accounts.store.save_settings(
        user.id, {**user.settings, "keys": own}
    )
    return RedirectResponse("/settings/keyboard?did=saved", HTTPStatus.SEE_OTHER)


async def _keyboard(
    request: Request, keys: dict[str, str], problem: str = "", status: int = 200
) -> Response:
    return await render_page(
        request,
        "settings/keyboard.html",
        status,
        keys=keys,
        problem=problem,
    )


async def theme(request: Request) -> Response:
    """Change how pages look, from a switch on any of them."""
    user = actor(request).user
    form = await request.form()
    chosen = _chosen(form, tuple(name for name, *_ in LOOKS if name in form))
    await services(request).accounts.store.save_settings(
        user.id, {**user.settings, **chosen}
    )
    if not wants_html(request):
        return Response(status_code=HTTPStatus.NO_CONTENT)
    back = local_path(field(form, "next"), "/settings")
    return RedirectResponse(back, HTTPStatus.SEE_OTHER)


async def calm_titles(request: Request) -> Response:
    """Switch calm headlines on or off, and go back to where they are read."""
    user = actor(request).user
    form = await request.form()
    wanted = not appearance_of(user).calm_titles
    await services(request).accounts.store.save_settings(
        user.id, {**user.settings, "calm_titles": wanted}
    )
    return RedirectResponse(
        local_path(field(form, "next"), "/settings"), HTTPStatus.SEE_OTHER
    )


def _chosen(form: FormData, names: tuple[str, ...]) -> dict[str, str]:
    chosen = {name: field(form, name) for name in names}
    for name, value in chosen.items():
        if value not in CHOICES[name]:
            raise InvalidInput("Unknown option.", field=name)
    return chosen


ROUTES = (
    Route("/settings", overview, ("GET",), Access.PERSON),
    Route("/settings", save, ("POST",), Access.PERSON),
    Route("/settings/keyboard", keyboard, ("GET",), Access.PERSON),
    Route("/settings/keyboard", save_keys, ("POST",), Access.PERSON),
    Route("/settings/calm-titles", calm_titles, ("POST",), Access.PERSON),
    Route("/settings/theme", theme, ("POST",), Access.PERSON),
)
