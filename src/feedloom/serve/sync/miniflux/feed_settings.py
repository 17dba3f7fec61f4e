"""Feed settings from clients: read and checked as a whole, then kept.

What this program has no place for is refused with an explanation.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import quote, unquote

from feedloom.flow.reader.rules import LONGEST_PATTERN, check_rule
from feedloom.markup import is_selector
from feedloom.model.errors import InvalidInput
from feedloom.model.reader import Rule, Subscription
from feedloom.model.rules import NewRule
from feedloom.model.urls import normalise, read_address
from feedloom.serve.sync.calls import Call
from feedloom.serve.sync.parameters import Given, row_id

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


def read_settings(given: Given) -> FeedSettings:
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


async def keep_settings(call: Call, feed: Subscription, settings: FeedSettings) -> None:
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


def lists_of(rules: list[Rule]) -> dict[int, dict[str, str]]:
    """Tell the block list and the keep list of each feed that has one."""
    names = {name: key for key, name in _LIST_NAMES.items()}
    found: dict[int, dict[str, str]] = {}
    for rule in rules:
        if rule.subscription_id is not None and rule.name in names:
            pattern = rule.pattern.removeprefix(_AS_WRITTEN)
            found.setdefault(rule.subscription_id, {})[names[rule.name]] = pattern
    return found
