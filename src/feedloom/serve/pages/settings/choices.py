"""How pages look and behave: the form of a person's choices, and the theme's switch."""

from http import HTTPStatus

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from feedloom.model.errors import InvalidInput
from feedloom.serve.auth import actor, services
from feedloom.serve.doors import Access, Door
from feedloom.serve.negotiation import wants_html
from feedloom.serve.pages.appearance import CHOICES, SWITCHES
from feedloom.serve.pages.done import read_done
from feedloom.serve.pages.forms import field, is_on
from feedloom.serve.pages.reading.places import ORDER_WORDS
from feedloom.serve.pages.rendering import render_page

_WORDS = {
    "theme": ("Theme", {"system": "As the system", "light": "Light", "dark": "Dark"}),
    "density": (
        "Lists",
        {"comfortable": "Comfortable", "compact": "Compact"},
    ),
    "font": ("Article font", {"serif": "Serif", "sans": "Sans-serif"}),
    "size": (
        "Article text",
        {"small": "Small", "medium": "Medium", "large": "Large", "huge": "Huge"},
    ),
    "show": ("Lists start with", {"unread": "Unread articles", "all": "All articles"}),
    "order": ("Order", ORDER_WORDS),
    "start": (
        "Start with",
        {"river": "The river", "unread": "Unread articles", "dashboard": "Dashboard"},
    ),
}
LOOKS = tuple((n, *_WORDS[n]) for n in ("theme", "density", "font", "size"))
HABITS = tuple((n, *_WORDS[n]) for n in ("start", "show", "order"))
TOGGLES = (
    ("mark_on_open", "Mark an article as read when it is opened"),
    ("mark_on_scroll", "Mark articles as read when they are scrolled past"),
    ("cluster_read", "Mark other articles about the same thing as read, too"),
    ("shortcuts", "Use single letters as shortcuts"),
)


async def overview(request: Request) -> Response:
    """Show the choices."""
    return await render_page(
        request,
        "settings/choices.html",
        looks=LOOKS,
        habits=HABITS,
        toggles=TOGGLES,
        done=read_done(request),
    )


async def save(request: Request) -> Response:
    """Keep the choices of the whole form."""
    form = await request.form()
    user = actor(request).user
    chosen = _chosen(form, tuple(CHOICES))
    switched = {name: is_on(form, name) for name in SWITCHES}
    await services(request).accounts.store.save_settings(
        user.id, {**user.settings, **chosen, **switched}
    )
    return RedirectResponse("/settings?did=saved", HTTPStatus.SEE_OTHER)


async def theme(request: Request) -> Response:
    """Keep the theme alone, from wherever its switch was used."""
    user = actor(request).user
    chosen = _chosen(await request.form(), ("theme",))
    await services(request).accounts.store.save_settings(
        user.id, {**user.settings, **chosen}
    )
    if not wants_html(request):
        return Response(status_code=HTTPStatus.NO_CONTENT)
    return RedirectResponse("/settings", HTTPStatus.SEE_OTHER)


def _chosen(form: FormData, names: tuple[str, ...]) -> dict[str, str]:
    chosen = {name: field(form, name) for name in names}
    for name, value in chosen.items():
        if value not in CHOICES[name]:
            raise InvalidInput("That choice does not exist.", field=name)
    return chosen


DOORS = (
    Door("/settings", overview, ("GET",), Access.PERSON),
    Door("/settings", save, ("POST",), Access.PERSON),
    Door("/settings/theme", theme, ("POST",), Access.PERSON),
)
