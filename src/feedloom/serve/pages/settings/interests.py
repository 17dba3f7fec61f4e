"""The interests that *For you* has learned: show, delete, switch on and off."""

from collections.abc import Iterator

from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import InvalidInput
from feedloom.model.interests import Interest, InterestKind, Sign
from feedloom.serve.auth import actor, services
from feedloom.serve.ids import as_id
from feedloom.serve.pages.formatting import counted
from feedloom.serve.pages.forms import as_items, field
from feedloom.serve.pages.notices import redirect_back, redirect_to
from feedloom.serve.pages.renderer import render_page
from feedloom.serve.routes import Access, Route

_HERE = "/settings/interests"
_HEADINGS = {
    InterestKind.FEED: "Feeds",
    InterestKind.AUTHOR: "Authors",
    InterestKind.TOPIC: "Topics",
    InterestKind.WORD: "Words in titles",
}


async def show(request: Request) -> Response:
    found = await services(request).interests.interests(actor(request).user.id)
    groups = {
        heading: [(each, ", ".join(_counts(each))) for each in found if each.kind is kind]
        for kind, heading in _HEADINGS.items()
    }
    return await render_page(request, "settings/interests.html", groups=groups, total=len(found))


def _counts(each: Interest) -> Iterator[str]:
    for n, did in (
        (each.starred, "starred"),
        (each.saved, "saved"),
        (each.opened, "opened"),
        (each.dismissed, "dismissed"),
    ):
        if n:
            yield f"{did} {n}"
    for n, wanted in ((each.more, "more"), (each.less, "less")):
        if n:
            yield f"asked for {wanted} {counted(n, 'time')}"


async def switch(request: Request) -> Response:
    store, user_id = services(request).interests, actor(request).user.id
    if field(await request.form(), "enabled"):
        await store.start(user_id)
        return redirect_to(_HERE, "learning")
    await store.stop(user_id)
    return redirect_to(_HERE, "forgot-all")


async def forget(request: Request) -> Response:
    form = await request.form()
    store, user_id = services(request).interests, actor(request).user.id
    if field(form, "all"):
        await store.forget_all(user_id)
        return redirect_to(_HERE, "forgot-all")
    await store.forget(user_id, as_id(field(form, "id")))
    return redirect_to(_HERE, "deleted")


async def like(request: Request) -> Response:
    form = await request.form()
    sign, _, item = field(form, "like").partition(".")
    if sign not in {Sign.MORE, Sign.LESS}:
        raise InvalidInput("Unknown option.", field="like")
    await services(request).interests.learn(actor(request).user.id, as_items([item]), Sign(sign))
    return redirect_back(form, "/read/for-you", sign)


ROUTES = (
    Route("/settings/interests", show, ("GET",), Access.PERSON),
    Route("/settings/interests", switch, ("POST",), Access.PERSON),
    Route("/settings/interests/forget", forget, ("POST",), Access.PERSON),
    Route("/articles/like", like, ("POST",), Access.PERSON),
)
