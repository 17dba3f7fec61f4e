"""Managing proxied feeds: add, enable, poll, run, compare.

The page of one feed shows the publisher's words beside those that are served.
"""

from urllib.parse import quote

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.distilled.documents import DeframedItem
from feedloom.model.distilled.proxies import NewProxy
from feedloom.model.errors import BadAddress, Conflict, FeedloomError, InvalidInput
from feedloom.serve.auth import actor, services
from feedloom.serve.ids import path_id
from feedloom.serve.origin import own_address
from feedloom.serve.pages.forms import field, go_to, is_digits, is_on
from feedloom.serve.pages.renderer import render_form
from feedloom.serve.routes import Access, Route

PAGE = "/admin/proxies"
_MINUTE_S = 60
_CALM = 0.25
_LOUD = 0.5


async def all_proxies(
    request: Request, *, error: FeedloomError | None = None, form: FormData | None = None
) -> Response:
    return await render_form(
        request,
        "admin/proxies.html",
        error,
        typed="" if form is None else field(form, "url"),
        proxies=await services(request).proxies.store.proxies(),
    )


async def add_proxy(request: Request) -> Response:
    form = await request.form()
    try:
        proxy = await services(request).proxies.add(
            NewProxy(
                url=field(form, "url").strip(),
                root_domain=field(form, "root_domain").strip() or None,
                enabled=is_on(form, "enabled"),
                polling=is_on(form, "polling"),
                interval_s=_interval(form),
                enforce_feed_domain=not is_on(form, "other_domains"),
            ),
            actor=_who(request),
        )
        if proxy.enabled:
            await services(request).proxies.store.sync(str(proxy.feed_id), actor=_who(request))
    except (BadAddress, InvalidInput, Conflict) as error:
        return await all_proxies(request, error=error, form=form)
    return go_to(request, f"{PAGE}/{proxy.feed_id}", "saved")


async def one_proxy(request: Request, *, error: FeedloomError | None = None) -> Response:
    feed = str(path_id(request))
    proxies = services(request).proxies
    proxy = await proxies.store.proxy(feed)
    return await render_form(
        request,
        "admin/proxy.html",
        error,
        proxy=proxy,
        prompts=sorted(proxies.prompts),
        address=f"{own_address(request)}/rss?url={quote(proxy.url, safe='')}",
        minutes=None if proxy.interval_s is None else proxy.interval_s // _MINUTE_S,
        items=[_compared(item) for item in await proxies.preview(feed)],
    )


async def set_enabled(request: Request) -> Response:
    feed, enabled = str(path_id(request)), is_on(await request.form(), "enabled")
    await services(request).proxies.change(feed, enabled=enabled, actor=_who(request))
    return go_to(request, f"{PAGE}/{feed}", "saved")


async def set_polling(request: Request) -> Response:
    feed, form = str(path_id(request)), await request.form()
    proxies, who = services(request).proxies, _who(request)
    proxy = await proxies.store.proxy(feed)
    try:
        await proxies.change(
            feed, polling=is_on(form, "polling"), interval_s=_interval(form), actor=who
        )
        domain = field(form, "root_domain").strip() or None
        if domain != proxy.root_domain:
            await proxies.change(feed, root_domain=domain, actor=who)
        kept = is_on(form, "other_domains")
        if kept == proxy.enforce_feed_domain:
            await proxies.change(feed, enforce_feed_domain=not kept, actor=who)
        count, policy = field(form, "max_items").strip(), field(form, "error_policy")
        if count and count != str(proxy.max_items):
            number = int(count) if is_digits(count, 5) else 0
            await proxies.change(feed, max_items=number, actor=who)
        if policy and policy != proxy.error_policy:
            await proxies.change(feed, error_policy=policy, actor=who)
        prompt = field(form, "prompt") or None
        if proxies.prompts and prompt != proxy.prompt_key:
            await proxies.change(feed, prompt_key=prompt, actor=who)
    except InvalidInput as error:
        return await one_proxy(request, error=error)
    return go_to(request, f"{PAGE}/{feed}", "saved")


async def run_now(request: Request) -> Response:
    feed = str(path_id(request))
    try:
        await services(request).proxies.store.sync(feed, actor=_who(request))
    except Conflict as error:
        return await one_proxy(request, error=error)
    return go_to(request, f"{PAGE}/{feed}", "refreshing")


async def delete_proxy(request: Request) -> Response:
    feed = str(path_id(request))
    await services(request).proxies.store.delete(feed, actor=_who(request))
    return go_to(request, PAGE, "deleted")


def _compared(item: DeframedItem) -> dict[str, object]:
    """Tell the score of an item, its colour, and each dimension that has something to say."""
    score, tone, parts = "", "", []
    if item.analysis is not None:
        told = item.analysis.as_json()
        parts = [
            (name.replace("_", " "), f"{value:.2f}", str(told[f"{name}_reason"]))
            for name, value in told.items()
            if isinstance(value, float) and f"{name}_reason" in told and name != "overall"
        ]
        overall = item.analysis.overall
        score = "not judged" if overall is None else f"{overall:.2f}"
        if overall is not None:
            tone = "good" if overall < _CALM else "warn" if overall < _LOUD else "bad"
    return {"item": item, "score": score, "tone": tone, "parts": parts}


def _interval(form: FormData) -> int | None:
    text = field(form, "minutes").strip()
    if not text:
        return None
    if not is_digits(text, 6):
        raise InvalidInput("Minutes must be a whole number.", field="minutes")
    return int(text) * _MINUTE_S


def _who(request: Request) -> str:
    return actor(request).user.email


ROUTES = (
    Route(PAGE, all_proxies, ("GET",), Access.OPERATOR),
    Route(PAGE, add_proxy, ("POST",), Access.OPERATOR),
    Route(PAGE + "/{id}", one_proxy, ("GET",), Access.OPERATOR),
    Route(PAGE + "/{id}/enabled", set_enabled, ("POST",), Access.OPERATOR),
    Route(PAGE + "/{id}/polling", set_polling, ("POST",), Access.OPERATOR),
    Route(PAGE + "/{id}/sync", run_now, ("POST",), Access.OPERATOR),
    Route(PAGE + "/{id}/delete", delete_proxy, ("POST",), Access.OPERATOR),
)
