"""Feeds, their settings, and categories (folders, and the root among them)."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from urllib.parse import quote, unquote

from starlette.responses import Response

from feedloom.flow.reader.rules import LONGEST_PATTERN, check_rule
from feedloom.markup import is_selector
from feedloom.model.errors import FetchError, InvalidInput, NotFound, Throttled
from feedloom.model.reader import Rule, Subscription, Wanted
from feedloom.model.rules import NewRule
from feedloom.model.urls import normalise, read_address
from feedloom.serve.sync.bodies import json_answer
from feedloom.serve.sync.feeds import add_feed, after_next_fetch, import_body, wait_until
from feedloom.serve.sync.miniflux.calls import Call
from feedloom.serve.sync.miniflux.shapes import Shape, category_shape, feed_shape, icon_shape
from feedloom.serve.sync.parameters import Given, row_id

_REFRESH_WAIT_S = 20.0
"""The host of a feed just added is left alone for a while after its discovery."""
_LIST_NAMES = {"blocklist_rules": "Client block list", "keeplist_rules": "Client keep list"}
"""Rules of ours that hide what matches, and what does not match."""
_AS_WRITTEN = "(?-i)"
"""Ours ignore the case of letters unless they say otherwise; theirs do not."""
_FLAGS = {
    "crawler": "full_text",
    "ignore_http_cache": "ignores_cache",
    "hide_globally": "hidden_globally",
}
_REFUSED = {
    "allow_self_signed_certificates": "Certificates are always checked.",
    "fetch_via_proxy": "The operator decides which proxy is used.",
    "proxy_url": "The operator decides which proxy is used.",
    "rewrite_rules": "Articles are not rewritten by rules.",
    "urlrewrite_rules": "Addresses of articles are not rewritten.",
    "block_filter_entry_rules": "Use blocklist_rules.",
    "keep_filter_entry_rules": "Use keeplist_rules.",
    "ignore_entry_updates": "Corrections of articles are always shown.",
    "no_media_player": "Every enclosure gets a player.",
    "apprise_service_urls": "Notifications for single feeds are not supported.",
    "webhook_url": "Notifications for single feeds are not supported.",
    "ntfy_enabled": "Notifications for single feeds are not supported.",
    "pushover_enabled": "Notifications for single feeds are not supported.",
}
_NOTHING = {"", "0", "False", "false"}


async def shown_feeds(call: Call, found: Sequence[Subscription]) -> dict[int, Shape]:
    """Show feeds; one whose folder came after the folders were read is left out."""
    categories = await call.categories()
    lists = _lists_of(await call.services.rules.store.rules(call.user_id))
    return {
        feed.id: feed_shape(
            feed, categories[feed.folder_id], url=call.shown_url(feed), lists=lists.get(feed.id, {})
        )
        for feed in found
        if feed.folder_id in categories
    }


async def list_feeds(call: Call) -> object:
    feeds = await call.services.syncing.subscriptions(call.user_id)
    if "id" in call.request.path_params:
        category_id = await call.own_category(call.id())
        feeds = [feed for feed in feeds if feed.folder_id == category_id]
    return list((await shown_feeds(call, feeds)).values())


async def shown_feed(call: Call, feed: Subscription) -> Shape:
    """Show a feed; ``NotFound`` if its folder was deleted meanwhile."""
    for shape in (await shown_feeds(call, [feed])).values():
        return shape
    raise NotFound


async def show(call: Call, status: HTTPStatus = HTTPStatus.OK) -> Response:
    return json_answer(await shown_feed(call, await call.subscription()), status=status)


async def create(call: Call) -> Response:
    # What cannot be kept is refused before anything is added.
    settings = _read_settings(call.given)
    folder_id = settings.changes.pop("folder_id", None)
    if folder_id is not None and folder_id not in await call.categories():
        raise NotFound("Category not found.")
    title = settings.changes.pop("title", None)
    feed = await add_feed(
        call,
        settings.address(call.given.text("feed_url")),
        title=title if isinstance(title, str) else None,
        folder_id=folder_id if isinstance(folder_id, int) else None,
    )
    await _keep_settings(call, feed, settings)
    return json_answer({"feed_id": feed.id}, status=HTTPStatus.CREATED)


async def discover(call: Call) -> object:
    found = await call.services.subscribing.discoverer.discover(
        call.given.text("url"), user_id=call.user_id
    )
    feeds = [
        {"url": one.url, "title": one.link_title or one.title, "type": one.format or "rss"}
        for one in found.candidates
        if one.valid
    ]
    if not feeds:
        raise NotFound("Unable to find any feed.")
    return feeds


async def import_list(call: Call) -> Response:
    await import_body(call)
    message = {"message": "Feeds imported successfully"}
    return json_answer(message, status=HTTPStatus.CREATED)


async def update(call: Call) -> Response:
    feed_id, settings = call.id(), _read_settings(call.given)
    feed = await call.subscription()
    shown = call.shown_url(feed)
    site = call.given.text("site_url").strip()
    if site and site != (feed.site_url or shown):
        raise InvalidInput("The site URL comes from the feed.")
    url = call.given.text("feed_url").strip()
    wanted = settings.address(url if url and url != shown else feed.url)
    if wanted != feed.url:
        store = call.services.subscriptions
        await store.change_url(call.user_id, feed_id, wanted, tenant_id=call.user.tenant_id)
        feed = await call.subscription()
    await _keep_settings(call, feed, settings)
    return await show(call, HTTPStatus.CREATED)


async def refresh(call: Call) -> None:
    """Fetch a feed and wait a while for it: clients list its entries right after."""
    before = await call.subscription()
    if before.feed_id is None:
        # Where starred articles of dropped feeds are: there is nothing to fetch.
        return
    await call.services.subscriptions.refresh(call.user_id, before.id, afresh=False)
    fetched = await after_next_fetch(call, before, most_s=_REFRESH_WAIT_S)
    if fetched.last_attempt_at != before.last_attempt_at and fetched.last_fetch_error:
        raise FetchError(fetched.last_fetch_error)


async def refresh_all(call: Call) -> None:
    store, user_id = call.services.subscriptions, call.user_id
    if not await store.refresh_all(user_id):
        wait_s = await store.refresh_pause_s(user_id)
        if wait_s:
            raise Throttled(
                f"All feeds were fetched just now. Try again in {wait_s} seconds.",
                retry_after_s=wait_s,
            )


async def mark_read(call: Call) -> None:
    feed = await call.subscription()
    await call.mark_read(Wanted(subscription_id=feed.id))


async def counters(call: Call) -> object:
    totals = await call.services.syncing.totals(call.user_id)
    return {
        "reads": {id_: read for id_, (read, _) in totals.items() if read},
        "unreads": {id_: unread for id_, (_, unread) in totals.items() if unread},
    }


async def feed_icon(call: Call) -> object:
    """Show a feed's icon; of a new feed, wait until it was looked for."""
    feed, icons = await call.subscription(), call.services.icons
    if feed.favicon_id is None and feed.feed_id is not None:
        feed_id = feed.feed_id

        async def is_done() -> bool:
            return not await icons.is_awaited(feed_id)

        await wait_until(is_done)
        feed = await call.subscription()
    if feed.favicon_id is None:
        raise NotFound("This feed has no icon.")
    return icon_shape(feed.favicon_id, await icons.icon(feed.favicon_id))


async def icon_by_id(call: Call) -> object:
    icon_id = call.id()
    if all(feed.favicon_id != icon_id for feed in await call.feeds()):
        raise NotFound("Icon not found.")
    return icon_shape(icon_id, await call.services.icons.icon(icon_id))


async def list_categories(call: Call) -> object:
    categories = await call.categories()
    if call.given.flag("counts"):
        unread = defaultdict[int, list[int]](list)
        for feed in await call.services.subscriptions.subscriptions(call.user_id):
            unread[feed.folder_id].append(feed.unread)
        for id_, category in categories.items():
            category |= {"feed_count": len(unread[id_]), "total_unread": sum(unread[id_])}
    return list(categories.values())


async def create_category(call: Call) -> Response:
    made = await call.services.folders.create(call.user_id, call.given.text("title"))
    if call.given.flag("hide_globally"):
        made = replace(made, hidden_globally=True)
        await call.services.folders.hide_globally(call.user_id, made.id, hidden=True)
    return json_answer(category_shape(made, call.user), status=HTTPStatus.CREATED)


async def update_category(call: Call) -> Response:
    found = [folder for folder in await call.folders() if folder.id == call.id()]
    if not found:
        await call.own_category(call.id())
        raise InvalidInput("This category cannot be renamed.")
    if call.given.says("title"):
        await call.rename_folder(found[0], call.given.text("title"))
    hidden = call.given.flag_if_said("hide_globally")
    if hidden is not None:
        await call.services.folders.hide_globally(call.user_id, call.id(), hidden=hidden)
    shown = (await call.categories()).get(call.id())
    if shown is None:
        raise NotFound
    return json_answer(shown, status=HTTPStatus.CREATED)


async def delete_category(call: Call) -> None:
    await call.services.syncing.delete_folder(call.user_id, await call.own_category(call.id()))


async def mark_category_read(call: Call) -> None:
    await call.mark_read(Wanted(folder_id=await call.own_category(call.id()), folder_only=True))


async def refresh_category(call: Call) -> None:
    category_id = await call.own_category(call.id())
    for feed in await call.feeds():
        if feed.folder_id == category_id:
            await call.services.subscriptions.refresh(call.user_id, feed.id, afresh=False)


@dataclass(slots=True)
class FeedSettings:
    """All that was said; None and what is missing stays as it is."""

    changes: dict[str, object] = field(default_factory=dict)
    is_paused: bool | None = None
    selector: str | None = None
    lists: dict[str, str] = field(default_factory=dict)
    user_agent: str | None = None
    cookie: str | None = None
    username: str | None = None
    password: str | None = None

    def address(self, url: str) -> str:
        """Put the user name and the password into an address; empty ones are none."""
        if self.username is None and self.password is None:
            return url
        address = read_address(normalise(url))
        old_name, _, old_password = map(unquote, address.userinfo.partition(":"))
        name = old_name if self.username is None else self.username
        password = old_password if self.password is None else self.password
        if not name:
            if password or address.userinfo:
                raise InvalidInput(
                    "A password needs a user name. To fetch a feed without either,"
                    " remove it and add it again.",
                    field="username",
                )
            return url
        userinfo = f"{quote(name, safe='')}:{quote(password, safe='')}"
        return str(address._replace(userinfo=userinfo))


def _read_settings(given: Given) -> FeedSettings:
    for name, why in _REFUSED.items():
        if given.says(name) and given.text(name).strip() not in _NOTHING:
            raise InvalidInput(f"{name} cannot be set here. {why}", field=name)
    found = FeedSettings(
        changes=_changes(given),
        user_agent=_header(given, "user_agent", longest=255),
        cookie=_header(given, "cookie", longest=4_096),
        username=given.text("username") if given.says("username") else None,
        password=given.text("password") if given.says("password") else None,
        is_paused=given.flag_if_said("disabled"),
        selector=_selector(given.text("scraper_rules")) if given.says("scraper_rules") else None,
    )
    for name in _LIST_NAMES:
        if given.says(name):
            found.lists[name] = given.text(name).strip()
            if found.lists[name]:
                check_rule(_rule(name, found.lists[name], None))
    return found


def _changes(given: Given) -> dict[str, object]:
    changes: dict[str, object] = {}
    if title := given.line("title"):
        changes["title"] = title
    if category := given.text("category_id"):
        # 0 is the zero value of clients that name every field: no category.
        changes["folder_id"] = None if category == "0" else row_id(category)
    for name, column in _FLAGS.items():
        if given.says(name):
            changes[column] = given.flag(name)
    return changes


def _selector(text: str) -> str:
    selector = " ".join(text.split())
    if len(selector) > LONGEST_PATTERN or (selector and not is_selector(selector)):
        raise InvalidInput(
            f"scraper_rules must be a CSS selector of up to {LONGEST_PATTERN} characters.",
            field="scraper_rules",
        )
    return selector


def _header(given: Given, name: str, *, longest: int) -> str | None:
    if not given.says(name):
        return None
    value = given.text(name).strip()
    if len(value) > longest or not (value.isascii() and value.isprintable()):
        raise InvalidInput(
            f"{name} must be at most {longest} printable ASCII characters.", field=name
        )
    return value


def _rule(name: str, pattern: str, subscription_id: int | None) -> NewRule:
    return NewRule(
        name=_LIST_NAMES[name],
        field="metadata",
        pattern=_AS_WRITTEN + pattern,
        action="hide",
        subscription_id=subscription_id,
        inverted=name == "keeplist_rules",
    )


async def _keep_settings(call: Call, feed: Subscription, settings: FeedSettings) -> None:
    store, user = call.services.subscriptions, call.user
    if settings.changes:
        await store.change(user.id, feed.id, settings.changes)
    await _keep_lists(call, feed.id, settings.lists)
    if settings.selector is not None:
        selector = settings.selector or None
        await store.set_selector(user.id, feed.id, selector, tenant_id=user.tenant_id)
    agent = feed.user_agent if settings.user_agent is None else settings.user_agent
    # None is no answer to none: cookies are taken but never shown.
    cookie = settings.cookie or feed.cookie
    if (cookie, agent or None) != (feed.cookie, feed.user_agent):
        await store.set_access(
            user.id, feed.id, cookie=cookie, user_agent=agent or None, tenant_id=user.tenant_id
        )
    if settings.is_paused is not None:
        act = store.pause if settings.is_paused else store.resume
        await act(user.id, feed.id)


async def _keep_lists(call: Call, feed_id: int, lists: Mapping[str, str]) -> None:
    rules = call.services.rules
    found = await rules.store.rules(call.user_id) if lists else []
    kept = {rule.name: rule for rule in found if rule.subscription_id == feed_id}
    for name, pattern in lists.items():
        rule = kept.get(_LIST_NAMES[name])
        if not pattern and rule is not None:
            await rules.store.delete(call.user_id, rule.id)
        elif pattern and rule is not None:
            await rules.change(call.user_id, rule.id, _rule(name, pattern, feed_id))
        elif pattern:
            await rules.add(call.user_id, _rule(name, pattern, feed_id))


def _lists_of(rules: list[Rule]) -> dict[int, dict[str, str]]:
    """Tell the block list and the keep list of each feed that has one."""
    names = {name: key for key, name in _LIST_NAMES.items()}
    found: dict[int, dict[str, str]] = {}
    for rule in rules:
        if rule.subscription_id is not None and rule.name in names:
            pattern = rule.pattern.removeprefix(_AS_WRITTEN)
            found.setdefault(rule.subscription_id, {})[names[rule.name]] = pattern
    return found
