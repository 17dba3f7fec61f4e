"""Preferences: the form for the look and behaviour of pages, and the theme switch."""

from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import InvalidInput
from feedloom.serve.auth import actor, services
from feedloom.serve.negotiation import wants_html
from feedloom.serve.pages.appearance import (
    CHOICES,
    LAYOUT_WORDS,
    SWITCHES,
    WORDS,
    appearance_of,
    read_choices,
)
from feedloom.serve.pages.forms import field, is_on
from feedloom.serve.pages.notices import redirect_back, redirect_to
from feedloom.serve.pages.reader.places import ORDER_WORDS
from feedloom.serve.pages.renderer import render_page
from feedloom.serve.pages.shortcuts import SHORTCUTS, check_keys, read_keys
from feedloom.serve.routes import Access, Route

_WORDS = WORDS | {
    "theme": ("Theme", {"system": "System", "light": "Light", "dark": "Dark"}),
    "layout": ("Lists", LAYOUT_WORDS),
    "density": ("Spacing", {"comfortable": "Comfortable", "compact": "Compact"}),
    "show": ("Lists show", {"unread": "Unread articles", "all": "All articles"}),
    "order": ("Order", ORDER_WORDS),
    "start": (
        "Start page",
        {"dashboard": "Dashboard", "river": "River", "unread": "Unread articles"},
    ),
    "pictures": (
        "Load through this server",
        {"all": "All pictures", "http": "Only unencrypted ones", "off": "None"},
    ),
}
LOOKS = tuple((n, *_WORDS[n]) for n in ("theme", "layout", "density", "font", "size", "width"))
HABITS = tuple((n, *_WORDS[n]) for n in ("start", "show", "order"))
TOGGLES = (
    ("mark_on_open", "Mark articles as read when you open them"),
    ("mark_on_scroll", "Mark articles as read as you scroll past them"),
    ("fold_copies", "Show an article only once if several feeds have it"),
    ("fold_stories", "Show articles about the same story as one row"),
    ("cluster_read", "Also mark other articles about the same story as read"),
    ("shortcuts", "Use single-letter keyboard shortcuts"),
)
PICTURES = (("pictures", *_WORDS["pictures"]),)
APP_PICTURES = (("app_pictures", "Also in apps that sync with this server"),)
CALM = (("calm_titles", "Show calm headlines"), ("show_scores", "Show scores in lists"))


async def overview(request: Request) -> Response:
    return await render_page(
        request,
        "settings/choices.html",
        looks=LOOKS,
        habits=HABITS,
        toggles=TOGGLES,
        calm=CALM,
        pictures=PICTURES,
        app_pictures=APP_PICTURES,
    )


async def save(request: Request) -> Response:
    form = await request.form()
    user = actor(request).user
    chosen = read_choices(form, tuple(CHOICES))
    switched = {name: is_on(form, name) for name in SWITCHES}
    await services(request).accounts.store.save_settings(user.id, {**chosen, **switched})
    return redirect_to("/settings", "saved")


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
    await services(request).accounts.store.save_settings(user.id, {"keys": own})
    return redirect_to("/settings/keyboard", "saved")


async def _keyboard(
    request: Request, keys: dict[str, str], problem: str = "", status: int = 200
) -> Response:
    return await render_page(request, "settings/keyboard.html", status, keys=keys, problem=problem)


async def theme(request: Request) -> Response:
    """Change how pages look, from a switch on any of them."""
    user = actor(request).user
    form = await request.form()
    chosen = read_choices(form, tuple(name for name, *_ in LOOKS if name in form))
    await services(request).accounts.store.save_settings(user.id, chosen)
    if not wants_html(request):
        return Response(status_code=HTTPStatus.NO_CONTENT)
    return redirect_back(form, "/settings")


async def calm_titles(request: Request) -> Response:
    return await _switch(request, "calm_titles")


async def fold_stories(request: Request) -> Response:
    return await _switch(request, "fold_stories")


async def _switch(request: Request, name: str) -> Response:
    """Switch something on or off, and go back to where it is seen."""
    user = actor(request).user
    form = await request.form()
    wanted = not appearance_of(user).value(name)
    await services(request).accounts.store.save_settings(user.id, {name: wanted})
    return redirect_back(form, "/settings")


ROUTES = (
    Route("/settings", overview, ("GET",), Access.PERSON),
    Route("/settings", save, ("POST",), Access.PERSON),
    Route("/settings/keyboard", keyboard, ("GET",), Access.PERSON),
    Route("/settings/keyboard", save_keys, ("POST",), Access.PERSON),
    Route("/settings/calm-titles", calm_titles, ("POST",), Access.PERSON),
    Route("/settings/fold-stories", fold_stories, ("POST",), Access.PERSON),
    Route("/settings/theme", theme, ("POST",), Access.PERSON),
)
