"""Shared views: a secret feed address per view, shown once and revocable."""

import secrets
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response

from feedloom.flow.identity.accounts import hash_secret
from feedloom.model.errors import InvalidInput
from feedloom.model.sync import View, ViewKind
from feedloom.serve.auth import actor, services
from feedloom.serve.ids import as_id, path_id
from feedloom.serve.origin import own_address
from feedloom.serve.pages.forms import field, redirect_to
from feedloom.serve.pages.renderer import my_sidebar, render_page
from feedloom.serve.routes import Access, Route

MOST_TOKENS = 100
_LONGEST_TEXT = 300
_FIXED = {
    "all": "All articles",
    "unread": "Unread articles",
    "starred": "Starred articles",
    "changes": "Changes that publishers made",
    "digests": "Digests",
}


async def shared(request: Request, *, problem: str = "", secret: str = "") -> Response:
    sidebar, user_id = await my_sidebar(request), actor(request).user.id
    found = await services(request).view_tokens.tokens(user_id)
    names = {("feed", feed.id): feed.title for feed in sidebar.feeds}
    names |= {("folder", folder.id): folder.name for folder in sidebar.folders}
    chosen = request.query_params.get("view", "")
    searches = {search.name: search.query for search in sidebar.searches}
    kind, _, query = chosen.partition(":")
    if kind == "search" and query not in searches.values():
        searches[query] = query
    followed = await services(request).stories.store.followed(user_id)
    stories = {line.id: line.first.shown_title for line in followed}
    names |= {("story", id_): f"the story “{title}”" for id_, title in stories.items()}
    base = f"{own_address(request)}/view/{secret}" if secret else ""
    return await render_page(
        request,
        "settings/sharing.html",
        HTTPStatus.BAD_REQUEST if problem else HTTPStatus.OK,
        views=[(token, _what(token.view, names)) for token in found],
        fixed=_FIXED,
        sidebar=sidebar,
        chosen=chosen,
        searches=searches,
        stories=stories,
        rss=f"{base}.xml" if base else "",
        atom=f"{base}.atom" if base else "",
        problem=problem,
    )


async def share(request: Request) -> Response:
    form = await request.form()
    user_id, store = actor(request).user.id, services(request).view_tokens
    if len(await store.tokens(user_id)) >= MOST_TOKENS:
        return await shared(request, problem=f"You already have {MOST_TOKENS} shared views.")
    try:
        view = read_view(field(form, "view"))
    except InvalidInput as error:
        return await shared(request, problem=str(error))
    secret = secrets.token_urlsafe(24)
    label = " ".join(field(form, "label").split())[:100]
    await store.create(user_id, token_hash=hash_secret(secret), label=label, view=view)
    return await shared(request, secret=secret)


async def revoke(request: Request) -> Response:
    await services(request).view_tokens.revoke(actor(request).user.id, path_id(request))
    return redirect_to("/settings/sharing", "revoked")


def read_view(text: str) -> View:
    """Read a view from its form's spelling, such as ``folder:5`` or ``tag:later``."""
    name, _, rest = text.partition(":")
    if name in _FIXED and not rest:
        return View(ViewKind(name))
    if name in {"folder", "feed", "story"}:
        return View(ViewKind(name), id=as_id(rest))
    if name in {"tag", "search"} and 0 < len(rest) <= _LONGEST_TEXT:
        return View(ViewKind(name), text=rest)
    raise InvalidInput("Choose what to share.", field="view")


def _what(view: View, names: dict[tuple[str, int], str]) -> str:
    if view.id is not None:
        return names.get((view.kind.value, view.id), "something deleted")
    if view.text:
        return f"{view.kind.value} “{view.text}”"
    return _FIXED.get(view.kind.value, view.kind.value)


ROUTES = (
    Route("/settings/sharing", shared, ("GET",), Access.PERSON),
    Route("/settings/sharing", share, ("POST",), Access.PERSON),
    Route("/settings/sharing/{id}/revoke", revoke, ("POST",), Access.PERSON),
)
