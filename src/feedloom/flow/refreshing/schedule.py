"""Why the next poll is when it is, in a sentence, and the steps that rules take.

The reason is stored and the time follows from it: see ``feedloom.model.reasons``.
"""

from collections.abc import Callable

from feedloom.model.reasons import Reason, number_in

BACKOFF_S = (300, 900, 3_600, 21_600, 86_400)
"""What follows the first, second … failure in a row."""
DAY_S = 86_400
WEEK_S = 7 * DAY_S
FASTEST_S = 600
SLOWEST_S = 43_200


def explain(reason: Reason) -> str:
    """Say in one sentence why a feed is polled when it is."""
    make = _SENTENCES.get(str(reason.get("rule")))
    if make is None:
        return "Not scheduled yet."
    sentence = make(reason)
    if number_in(reason, "floor_s") > number_in(reason, "interval_s"):
        asked = _FLOORS.get(str(reason.get("floor_by")), "the publisher")
        sentence += (
            f" But {asked} asks for at least {_span(number_in(reason, 'floor_s'))}."
        )
    if reason.get("skip_hours") or reason.get("skip_days"):
        sentence += " Hours the publisher asks to skip are left out."
    return sentence


_FLOORS = {
    "cache": "the server's cache header",
    "ttl": "the feed",
}


def _adaptive(reason: Reason) -> str:
    per_week = number_in(reason, "week_articles")
    return (
        f"About {per_week:.0f} articles a week, so it is polled four times as often as"
        f" it publishes: every {_span(number_in(reason, 'interval_s'))}."
    )


def _failing(reason: Reason) -> str:
    count = int(number_in(reason, "failures"))
    times = "once" if count == 1 else f"{count} times in a row"
    return f"It failed {times}, so the next try is in {_span(number_in(reason, 'interval_s'))}."


_SENTENCES: dict[str, Callable[[Reason], str]] = {
    "new": lambda r: (
        "Just added: it is fetched at once."
        if r.get("alone")
        else "Just added: it is fetched when its site's turn comes."
    ),
    "asked": lambda _: "Somebody asked for it: it is fetched at once.",
    "unwanted": lambda _: "Nobody reads it, so it is not polled.",
    "mailing_list": lambda _: "It is filled by mail and never polled.",
    "adaptive": _adaptive,
    "quiet": lambda _: "No article in the last seven days, so it is polled once a day.",
    "interval": lambda r: (
        f"Polled every {_span(number_in(r, 'interval_s'))}, as somebody set."
    ),
    "automatic": lambda _: (
        "Its interval is automatic again: polled soon, then as often as it publishes."
    ),
    "hub": lambda _: "A hub tells us at once; polled once a day as a safety net.",
    "listed": lambda _: "Listed in the directory: looked at within its first week.",
    "unlooked": lambda _: (
        "Only listed in the directory, and looking at those is switched off."
    ),
    "directory": lambda _: "Only listed in the directory: looked at once a week.",
    "backoff": _failing,
    "rate_limited": lambda r: (
        "The server says it is asked too often; the next try is in"
        f" {_span(number_in(r, 'interval_s'))}."
    ),
    "blocked": lambda r: (
        f"It cannot be fetched; tried again in {_span(number_in(r, 'interval_s'))}."
    ),
    "look_again": lambda _: (
        "It wants a password now; it worked before, so it is looked at again in a day."
    ),
    "offline": lambda _: (
        "Our own network seems to be down; tried again in five minutes."
    ),
    "unauthorized": lambda _: (
        "It wants a password, so it is not polled. Retry or edit it."
    ),
    "gone": lambda _: "It is gone, so it is not polled. A new address is looked for.",
    "bad_request": lambda _: "The server refuses the request, so it is not polled.",
    "not_a_feed": lambda _: (
        "The address is no feed any more, so it is not polled. A new one is looked for."
    ),
    "one_strike": lambda _: "Stopped at the first failure, as the proxy's policy says.",
    "one_shot": lambda _: "Fetched once on request; polling is off.",
}


def _span(seconds: float) -> str:
    """Say a duration in its largest fitting unit."""
    for unit, size in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= size:
            count = round(seconds / size, 1)
            text = f"{count:g}"
            return f"{text} {unit}" + ("" if text == "1" else "s")
    return f"{seconds:.0f} seconds"
