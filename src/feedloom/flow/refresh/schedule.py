"""The time of the next poll explained in a sentence, and the steps of back-off rules.

The reason is stored and the time follows from it: see ``feedloom.model.reasons``.
"""

from collections.abc import Callable

from feedloom.model.reader import Subscription
from feedloom.model.reasons import Reason, number_in

BACKOFF_S = (300, 900, 3_600, 21_600, 86_400)
"""What follows the first, second … failure in a row. A feed that fails more often than
there are steps is unhealthy."""
DAY_S = 86_400
WEEK_S = 7 * DAY_S
FASTEST_S = 600
SLOWEST_S = 43_200
OVERSAMPLING = 4
"""A feed is polled so many times as often as it publishes."""
OFFLINE_S = 300


def explain_feed(feed: Subscription) -> str:
    """Say in one sentence when a person's feed is fetched, and why."""
    if feed.paused_at is not None:
        return "You paused this feed, so nothing new arrives."
    return explain(feed.reason)


def explain(reason: Reason) -> str:
    """Say in one sentence why a feed is polled when it is."""
    make = _SENTENCES.get(str(reason.get("rule")))
    if make is None:
        return "Not scheduled yet."
    sentence = make(reason)
    if number_in(reason, "floor_s") > number_in(reason, "interval_s"):
        asked = _FLOORS.get(str(reason.get("floor_by")), "the publisher")
        sentence += f" But {asked} asks for at least {_span(number_in(reason, 'floor_s'))}."
    if reason.get("skip_hours") or reason.get("skip_days"):
        sentence += " Hours the publisher asks to skip are skipped."
    return sentence


_FLOORS = {"cache": "the server's cache header", "ttl": "the feed"}


def _adaptive(reason: Reason) -> str:
    per_week = number_in(reason, "week_articles")
    return (
        f"About {per_week:.0f} articles a week, so we poll {OVERSAMPLING} times as often"
        f" as it publishes: {_every(reason)}."
    )


def _failing(reason: Reason) -> str:
    count = int(number_in(reason, "failures"))
    times = "once" if count == 1 else f"{count} times in a row"
    return f"It failed {times}, so we'll try again in {_span(number_in(reason, 'interval_s'))}."


_LOOKS = "We check it, and look for a new address, once a day; after two weeks, once a week."
_SENTENCES: dict[str, Callable[[Reason], str]] = {
    "new": lambda r: (
        "Just added. Fetching it now."
        if r.get("alone")
        else "Just added. Waiting for other requests to its site."
    ),
    "unreadable": lambda _: (
        "Paused because its schedule can't be read. Refresh the feed to schedule it again."
    ),
    "asked": lambda _: "Refresh requested. Fetching it now.",
    "unwanted": lambda _: "Nobody subscribes to it, so it isn't polled.",
    "mailing_list": lambda _: "It is filled by email, so it isn't polled.",
    "adaptive": _adaptive,
    "quiet": lambda r: f"No articles in the last seven days, so we poll {_every(r)}.",
    "interval": lambda r: f"Polled {_every(r)}, as set by a subscriber.",
    "automatic": lambda _: (
        "Its interval is automatic again. We'll poll it soon, then as often as it publishes."
    ),
    "hub": lambda r: f"A hub notifies us of new articles; polled {_every(r)} as a safety net.",
    "listed": lambda _: "Listed in the directory. First check within a week.",
    "unlooked": lambda _: "Only listed in the directory, and checks of those feeds are off.",
    "directory": lambda r: f"Only listed in the directory. Checked {_every(r)}.",
    "backoff": _failing,
    "rate_limited": lambda r: (
        f"The server is rate limiting us. We'll try again in {_span(number_in(r, 'interval_s'))}."
    ),
    "blocked": lambda r: (
        f"It can't be fetched. We'll try again in {_span(number_in(r, 'interval_s'))}."
    ),
    "look_again": lambda r: (
        "The feed now requires a password. It used to work, so we'll check again in"
        f" {_span(number_in(r, 'interval_s'))}."
    ),
    "offline": lambda r: (
        "This server's network seems to be down. We'll try again in"
        f" {_span(number_in(r, 'interval_s'))}."
    ),
    "unauthorized": lambda _: "The feed requires a password, so it isn't polled. Edit it or retry.",
    "gone": lambda _: f"The feed is gone, so it isn't polled. {_LOOKS}",
    "bad_request": lambda _: f"The server rejects our requests, so it isn't polled. {_LOOKS}",
    "not_a_feed": lambda _: f"The address is no longer a feed, so it isn't polled. {_LOOKS}",
    "one_strike": lambda _: "Stopped after the first failure, as the proxy's policy requires.",
    "one_shot": lambda _: "Fetched once on request; polling is off.",
}


def _every(reason: Reason) -> str:
    return f"every {_span(number_in(reason, 'interval_s')).removeprefix('1 ')}"


def _span(seconds: float) -> str:
    """Say a duration in its largest fitting unit."""
    for unit, size in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= size:
            count = round(seconds / size, 1)
            text = f"{count:g}"
            return f"{text} {unit}" + ("" if text == "1" else "s")
    return f"{seconds:.0f} seconds"
