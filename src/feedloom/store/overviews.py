"""What pages show beside lists: the river, counts for charts, marking all and undoing.

Each is one transaction of few statements, however many feeds a person has.
"""

from collections.abc import Sequence
from datetime import datetime

from feedloom.model.overviews import Fresh, OutcomeCount, Sweep
from feedloom.model.reading import Wanted
from feedloom.store.article_lists import conditions_of, list_articles
from feedloom.store.engine.steps import Database, Scope, Steps, sql
from feedloom.store.times import SECOND, from_us, to_us

_DAY = 86_400 * SECOND


class OverviewStore:
    """Overviews of a person's reading. Implements the port of the same name."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def fresh(
        self, user_id: int, since: datetime, *, per_feed: int, most: int
    ) -> Fresh:
        """List what arrived since a time, at most so many of each subscription."""
        return await self._database.read(
            Scope(user_id=user_id), _fresh, user_id, to_us(since), per_feed, most
        )

    async def arrivals_per_feed(
        self, user_id: int, subscription_ids: Sequence[int], days: int
    ) -> dict[int, tuple[int, ...]]:
        """Count each subscription's articles by day of publication, oldest first."""
        return await self._database.read(
            Scope(user_id=user_id),
            _arrivals_per_feed,
            user_id,
            list(subscription_ids),
            days,
        )

    async def outcomes(self, user_id: int, days: int) -> list[OutcomeCount]:
        """Count how fetches of a person's feeds ended on each of the last days."""
        return await self._database.read(
            Scope(user_id=user_id), _outcomes, user_id, days
        )

    async def sweep(self, user_id: int, wanted: Wanted) -> Sweep:
        """Mark everything that is wanted as read, so that it can be undone."""
        return await self._database.write(
            Scope(user_id=user_id), _sweep, user_id, wanted
        )

    async def undo_sweep(self, user_id: int, token: int) -> int:
        """Make unread again what a sweep marked and nobody touched since."""
        return await self._database.write(
            Scope(user_id=user_id), _undo_sweep, user_id, token
        )


def _fresh(user_id: int, since: int, per_feed: int, most: int) -> Steps[Fresh]:
    # Item numbers grow with arrival, so the newest old one bounds the index range.
    bound = yield sql(
        "SELECT item_no FROM article_states WHERE user_id = :user"
        " AND arrived_at < :since ORDER BY item_no DESC LIMIT 1",
        user=user_id,
        since=since,
    )
    rows = yield sql(
        "SELECT item_no, subscription_id, total FROM (SELECT item_no, subscription_id,"
        " published_at, count(*) OVER (PARTITION BY subscription_id) AS total,"
        " row_number() OVER (PARTITION BY subscription_id"
        "   ORDER BY published_at DESC, item_no DESC) AS place"
        " FROM article_states WHERE user_id = :user AND item_no > :bound"
        " AND arrived_at >= :since AND hidden_at IS NULL) AS ranked"
        " WHERE place <= :per_feed ORDER BY published_at DESC, item_no DESC LIMIT :most",
        user=user_id,
        bound=bound[0]["item_no"] if bound else 0,
        since=since,
        per_feed=per_feed,
        most=most,
    )
    totals = {row["subscription_id"]: row["total"] for row in rows}
    found = tuple(row["item_no"] for row in rows)
    page = yield from list_articles(user_id, Wanted(item_nos=found, limit=most))
    return Fresh(page.articles, totals)


def _arrivals_per_feed(
    user_id: int, subscription_ids: list[int], days: int
) -> Steps[dict[int, tuple[int, ...]]]:
    today = yield sql("SELECT now_us() AS now")
    first: int = today[0]["now"] // _DAY - days + 1
    rows = yield sql(
        f"SELECT subscription_id, published_at / {_DAY} AS day, count(*) AS n"
        " FROM article_states WHERE subscription_id = ANY(:ids) AND user_id = :user"
        f" AND published_at >= :since GROUP BY subscription_id, published_at / {_DAY}",
        user=user_id,
        ids=subscription_ids,
        since=first * _DAY,
    )
    counts: dict[int, list[int]] = {id_: [0] * days for id_ in subscription_ids}
    for row in rows:
        place = row["day"] - first
        if place < days:
            counts[row["subscription_id"]][place] = row["n"]
    return {id_: tuple(found) for id_, found in counts.items()}


def _outcomes(user_id: int, days: int) -> Steps[list[OutcomeCount]]:
    today = yield sql("SELECT now_us() AS now")
    first: int = today[0]["now"] // _DAY - days + 1
    rows = yield sql(
        f"SELECT l.at / {_DAY} AS day, l.outcome, count(*) AS n"
        " FROM subscriptions s JOIN fetch_log l ON l.feed_id = s.feed_id"
        " WHERE s.user_id = :user AND l.at >= :since"
        f" GROUP BY l.at / {_DAY}, l.outcome ORDER BY day, l.outcome",
        user=user_id,
        since=first * _DAY,
    )
    return [
        OutcomeCount(from_us(row["day"] * _DAY), row["outcome"], row["n"])
        for row in rows
    ]


def _sweep(user_id: int, wanted: Wanted) -> Steps[Sweep]:
    clock = yield sql("SELECT now_us() AS now")
    now: int = clock[0]["now"]
    conditions = yield from conditions_of(user_id, wanted)
    counted = yield sql(
        "SELECT count(*) AS n FROM article_states t"
        f" WHERE {conditions.where} AND unread",
        **conditions.params,
    )
    yield sql(
        "UPDATE article_states AS t SET unread = false, read_at = :now,"
        " last_modified = GREATEST(:now, last_modified + 1)"
        f" WHERE {conditions.where} AND unread",
        now=now,
        **conditions.params,
    )
    return Sweep(counted[0]["n"], now)


def _undo_sweep(user_id: int, token: int) -> Steps[int]:
    rows = yield sql(
        # Whatever was marked then was modified then or later, which has an index.
        "UPDATE article_states SET unread = true, read_at = NULL,"
        " last_modified = GREATEST(now_us(), last_modified + 1)"
        " WHERE user_id = :user AND last_modified >= :token AND read_at = :token"
        " AND NOT unread AND hidden_at IS NULL RETURNING item_no",
        user=user_id,
        token=token,
    )
    return len(rows)
