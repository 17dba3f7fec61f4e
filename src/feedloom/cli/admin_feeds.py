"""``feedloom admin feed`` and ``feedloom admin root-domain``: proxied feeds."""

import re
from collections.abc import Awaitable, Callable
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from feedloom.cli.output import AsJSON, out, show, show_one, with_container
from feedloom.flow.distill.proxies import Proxies
from feedloom.model.distilled.proxies import NewProxy, Proxy

if TYPE_CHECKING:
    from feedloom.app import Container

T = TypeVar("T")
ACTOR = "admin command"
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3_600, "d": 86_400}
_INTERVAL = re.compile(r"(\d{1,9})([smhd]?)")

program = typer.Typer(
    help="Manage proxied feeds: deframed and served at /rss.", no_args_is_help=True
)
root_domains = typer.Typer(
    help="Manage the root domains that group proxied feeds.", no_args_is_help=True
)

Feed = Annotated[str, typer.Argument(help="The feed's id or address.")]


class Switch(StrEnum):
    ON = "on"
    OFF = "off"


def read_interval(text: str) -> int:
    """Read ``900``, ``15m``, ``2h`` or ``1d`` as seconds."""
    found = _INTERVAL.fullmatch(text.strip().lower())
    if found is None:
        raise typer.BadParameter("use seconds, or a number with m, h or d: 15m")
    return int(found[1]) * _UNITS[found[2]]


Interval = Annotated[
    int | None,
    typer.Option(
        parser=read_interval,
        metavar="TIME",
        help="Time between two runs when polling: 900, 15m, 2h, 1d.",
    ),
]


@program.command()
def add(
    url: Annotated[str, typer.Argument(help="The feed's address.")],
    *,
    no_root_domain: Annotated[
        bool, typer.Option("--no-root-domain", help="Don't set a root domain.")
    ] = False,
    enable: Annotated[
        bool, typer.Option("--enable", help="Serve it and let workers run it.")
    ] = False,
    polling: Annotated[
        bool, typer.Option("--polling", help="Schedule the next run after each success.")
    ] = False,
    interval: Interval = None,
    other_domains: Annotated[
        bool, typer.Option("--other-domains", help="Keep items that link to other domains.")
    ] = False,
    prompt: Annotated[str | None, typer.Option(help="Name of a custom prompt.")] = None,
    as_json: AsJSON = False,
) -> None:
    """Add a proxied feed. It first runs when you sync it.

    Example: feedloom admin feed add https://example.org/feed.xml --enable --polling
    """
    wanted = NewProxy(
        url=url,
        enabled=enable,
        polling=polling,
        interval_s=interval,
        enforce_feed_domain=not other_domains,
        prompt_key=prompt,
    )
    proxy = _do(
        lambda proxies: proxies.add(wanted, actor=ACTOR, with_root_domain=not no_root_domain)
    )
    if as_json:
        show_one(_row(proxy), as_json=True)
        return
    out.print(f"Added feed {proxy.feed_id}: {proxy.url}", markup=False)
    verb = "sync" if proxy.enabled else "enable"
    out.print(f"Next: feedloom admin feed {verb} {proxy.feed_id}", markup=False)


@program.command()
def delete(feed: Feed) -> None:
    """Delete a proxy. The feed, its articles and its readers are kept."""
    proxy = _do(lambda proxies: proxies.store.delete(feed, actor=ACTOR))
    out.print(f"Deleted the proxy of {proxy.url}.", markup=False)


@program.command()
def enable(feed: Feed) -> None:
    """Serve a feed and let workers run it. Doesn't start a run."""
    proxy = _change(feed, enabled=True)
    out.print(f"Enabled {proxy.url}.", markup=False)


@program.command()
def disable(feed: Feed) -> None:
    """Stop serving a feed immediately. Workers skip it; its schedule is kept."""
    proxy = _change(feed, enabled=False)
    out.print(f"Disabled {proxy.url}.", markup=False)


@program.command()
def polling(
    feed: Feed,
    switch: Annotated[
        Switch | None, typer.Argument(help="on or off. Default: the other one.")
    ] = None,
    *,
    interval: Interval = None,
) -> None:
    """Choose whether a successful run schedules the next one.

    Example: feedloom admin feed polling 3 on --interval 30m
    """

    async def act(proxies: Proxies) -> Proxy:
        if switch is None:
            is_on = not (await proxies.store.proxy(feed)).polling
        else:
            is_on = switch is Switch.ON
        return await proxies.change(feed, polling=is_on, interval_s=interval, actor=ACTOR)

    proxy = _do(act)
    word = "on" if proxy.polling else "off"
    out.print(f"Polling of {proxy.url} is {word}.", markup=False)


@program.command("max-items")
def max_items(feed: Feed, count: Annotated[int, typer.Argument(help="From 1 to 500.")]) -> None:
    """Choose how many items are served. Default: 50."""
    proxy = _change(feed, max_items=count)
    out.print(f"{proxy.url} is served with {proxy.max_items} items.", markup=False)


@program.command("error-policy")
def error_policy(
    feed: Feed, policy: Annotated[str, typer.Argument(help="one_strike or backoff.")]
) -> None:
    """Choose what a failed run means. Feeds with readers are always retried.

    one_strike stops the feed until you sync it; backoff retries later and later.
    """
    proxy = _change(feed, error_policy=policy)
    out.print(f"The error policy of {proxy.url} is {policy}.", markup=False)


@program.command()
def prompt(
    feed: Feed,
    key: Annotated[
        str | None, typer.Argument(help="Name of the prompt. Default: the shipped prompt.")
    ] = None,
) -> None:
    """Analyse a feed's articles with a custom prompt or the default one.

    Example: deframe.tabloid.en.txt in the folder of prompts, then
    feedloom admin feed prompt 3 tabloid
    """
    proxy = _change(feed, prompt_key=key)
    words = f"the prompt {key}" if key else "the default prompt"
    out.print(f"{proxy.url} is analysed with {words}.", markup=False)


@program.command("other-domains")
def other_domains(feed: Feed, switch: Annotated[Switch, typer.Argument(help="on or off.")]) -> None:
    """Keep or drop items that link to other domains. Default: drop."""
    kept = switch is Switch.ON
    proxy = _change(feed, enforce_feed_domain=not kept)
    words = "may link to other domains" if kept else "link to its own domain only"
    out.print(f"Items of {proxy.url} {words}.", markup=False)


@program.command()
def sync(feed: Feed) -> None:
    """Run a feed now, even if it had stopped. Fails if it is disabled."""
    proxy = _do(lambda proxies: proxies.store.sync(feed, actor=ACTOR))
    out.print(f"{proxy.url} is due now.", markup=False)


@program.command("list")
def list_feeds(*, as_json: AsJSON = False) -> None:
    """List proxied feeds."""
    show(
        [_row(proxy) for proxy in _do(lambda proxies: proxies.store.proxies())],
        as_json=as_json,
        empty="No proxied feeds yet. Add one with `feedloom admin feed add URL`.",
    )


@root_domains.command("list")
def list_domains(*, as_json: AsJSON = False) -> None:
    """List root domains in use."""
    found = _do(lambda proxies: proxies.store.root_domains())
    show(
        [{"root_domain": name, "feeds": count} for name, count in found.items()],
        as_json=as_json,
        empty="No proxied feed has a root domain.",
    )


@root_domains.command("set")
def set_domain(
    feed: Feed, domain: Annotated[str, typer.Argument(help="The domain, like example.org.")]
) -> None:
    """Group a feed under a domain."""
    proxy = _change(feed, root_domain=domain)
    out.print(f"{proxy.url} belongs to {proxy.root_domain}.", markup=False)


@root_domains.command("clear")
def clear_domain(feed: Feed) -> None:
    """Remove a feed from its domain's group."""
    proxy = _change(feed, root_domain=None)
    out.print(f"{proxy.url} belongs to no domain.", markup=False)


def _do(act: Callable[[Proxies], Awaitable[T]]) -> T:
    async def work(container: "Container") -> T:
        return await act(container.proxies(container.work))

    return with_container(work)


def _change(feed: str, **changes: object) -> Proxy:
    return _do(lambda proxies: proxies.change(feed, actor=ACTOR, **changes))  # type: ignore[arg-type] # by name


def _row(proxy: Proxy) -> dict[str, object]:
    return {
        "id": proxy.feed_id,
        "url": proxy.url,
        "enabled": proxy.enabled,
        "polling": proxy.polling,
        "interval_s": proxy.interval_s,
        "root_domain": proxy.root_domain,
        "other_domains": not proxy.enforce_feed_domain,
        "prompt": proxy.prompt_key,
        "max_items": proxy.max_items,
        "error_policy": proxy.error_policy,
        "next_run_at": _time(proxy.next_run_at),
        "last_error": proxy.last_error,
        "items": proxy.items,
        "built_at": _time(proxy.built_at),
    }


def _time(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat(timespec="seconds")
