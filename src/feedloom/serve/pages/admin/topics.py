"""Topics that wait for review: approve, correct or reject them, or hide the feed."""

from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import InvalidInput
from feedloom.serve.auth import actor, services
from feedloom.serve.ids import path_id
from feedloom.serve.pages.accounts.session_cookies import go_to
from feedloom.serve.pages.forms import field
from feedloom.serve.pages.renderer import render_page
from feedloom.serve.routes import Access, Route
from feedloom.serve.security import local_path


async def waiting(request: Request) -> Response:
    directory = services(request).directory
    return await render_page(
        request,
        "admin/topics.html",
        feeds=await directory.store.pending_topics(),
        topics=directory.topics,
    )


async def decide(request: Request) -> Response:
    form = await request.form()
    feed_id, who = path_id(request), actor(request).user.email
    directory = services(request).directory
    match field(form, "do"):
        case "approve" | "reject" as verb:
            await directory.decide(
                feed_id, field(form, "topic"), approved=verb == "approve", actor=who
            )
        case "hide":
            await directory.store.hide(feed_id, who)
        case _:
            raise InvalidInput("Unknown action.", field="do")
    back = local_path(field(form, "next"), "/admin/topics")
    return go_to(request, f"{back}{'&' if '?' in back else '?'}did=saved")


ROUTES = (
    Route("/admin/topics", waiting, ("GET",), Access.OPERATOR),
    Route("/admin/topics/{id}", decide, ("POST",), Access.OPERATOR),
)
