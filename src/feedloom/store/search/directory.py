"""The directory: feeds that everyone can search, and their health."""

import hashlib
import json
from collections.abc import Sequence

from feedloom.model.reader import DirectoryWanted, ListedFeed
from feedloom.model.search_query import read_search
from feedloom.model.stages import DirectoryEntry
from feedloom.model.urls import host_key, host_of, normalise, url_key
from feedloom.store.engine.decorators import OPERATOR, Store, reads, writes
from feedloom.store.engine.scripts import Insert, Many, Row, Scope, Script, search, sql
from feedloom.store.queries import audit, first, like_pattern, now_us, one, update, upsert
from feedloom.store.queues.feed_queue import unschedule_if_unwanted
from feedloom.store.search.search_index import (
    MATCHING_FEEDS,
    match_params,
    queue_for_index,
    recent_titles,
)
from feedloom.store.values import DAY_US, value_of

_WEEK_US = 7 * DAY_US
_CANDIDATES = 400
_NOT_FOUND = "Feed not found"
_UNLOOKED = json.dumps({"rule": "unlooked"})
_BY_TITLE = 'lower(f.title COLLATE "C")'
_FAILS = "CASE WHEN f.state IN ('unhealthy', 'paused') THEN 1 ELSE 0 END"
_NAMED = (
    r"CASE WHEN f.site_url LIKE :host ESCAPE '\' OR f.url LIKE :host ESCAPE '\' THEN 0"
    rf" WHEN {_BY_TITLE} LIKE :named ESCAPE '\' THEN 1 ELSE 2 END"
)
_COLUMNS = """
f.id AS feed_id, f.url, f.title, f.description, f.site_url, f.language, f.country, f.topic,
f.topic_status, f.topic_confidence, f.format, f.state, f.is_canonical, f.favicon_id,
f.latest_item_published_at AS latest_at, f.avg_update_interval_s AS interval_s,
f.last_fetch_error AS error, f.tags, f.last_attempt_at, f.last_fetch_status,
coalesce((SELECT st.title FROM sites st WHERE st.id = f.site_id), '') AS site_title
"""


class DirectoryStore(Store):
    @writes(Scope())
    def seed(self, entries: Sequence[DirectoryEntry], *, check: bool) -> Script[int]:
        made = yield from _add_missing(entries)
        yield from queue_for_index("feed", made)
        yield from _look() if check else _look_away()
        return len(made)

    @reads(Scope())
    def find(self, wanted: DirectoryWanted) -> Script[list[ListedFeed]]:
        query = read_search(wanted.text)
        conditions = ["f.in_directory", "(f.tenant_id IS NULL OR f.tenant_id = :tenant)"]
        params: dict[str, object] = {"tenant": wanted.tenant_id or 0}
        for name in ("topic", "state"):
            value = getattr(wanted, name)
            if value:
                conditions.append(f"f.{name} = :{name}")
                params[name] = value
        if wanted.language:
            # "en" also means "en-GB".
            conditions.append(r"lower(f.language) || '-' LIKE :language ESCAPE '\'")
            params["language"] = like_pattern(f"{wanted.language.lower()}-")[1:]
        if wanted.topic:
            # Topics that are only proposed are not shown.
            conditions.append("f.topic_status = 'approved'")
        if query.wanted:
            conditions.append("f.id IN ({match})")
            params |= match_params(query, any_of=True)
        elif wanted.after is not None:
            fails, title, feed_id = wanted.after
            conditions.append(f"({_FAILS}, {_BY_TITLE}, f.id) > (:fails, :title, :id)")
            params |= {"fails": int(fails), "title": title, "id": feed_id}
        limit = _CANDIDATES if query.wanted else wanted.limit + 1
        first = f"{_FAILS}, "
        if query.wanted:
            # More may match than are ranked, so the likely best come first.
            first = f"{_NAMED}, f.is_canonical DESC, "
            params["named"] = like_pattern(query.wanted[0].words[0])
            params["host"] = f"%//%{like_pattern(wanted.text.strip().lower())[1:]}"
        text = f"""SELECT {_COLUMNS} FROM feeds f WHERE {" AND ".join(conditions)}
            ORDER BY {first}{_BY_TITLE}, f.id LIMIT :limit"""
        rows = yield search(MATCHING_FEEDS, text, limit=limit, **params)
        return (yield from _listed(rows))

    @reads(Scope())
    def facets(self) -> Script[tuple[dict[str, int], dict[str, int]]]:
        topics = yield sql("""SELECT topic AS name, count(*) AS n FROM feeds WHERE in_directory
            AND topic_status = 'approved' GROUP BY topic ORDER BY topic""")
        languages = yield sql("""SELECT language AS name, count(*) AS n FROM feeds
            WHERE in_directory AND language IS NOT NULL GROUP BY language ORDER BY language""")
        by_topic, by_language = (
            {r["name"]: r["n"] for r in found} for found in (topics, languages)
        )
        return by_topic, by_language

    @writes(OPERATOR)
    def hide(self, feed_id: int, actor: str) -> Script[None]:
        text = """UPDATE feeds SET in_directory = false, topic_status = 'hidden' WHERE id = :id
            RETURNING url"""
        yield from one(sql(text, id=feed_id), _NOT_FOUND)
        yield from unschedule_if_unwanted(feed_id)
        told = {"before": "listed", "after": "hidden", "why": "Hidden by an operator."}
        yield audit(actor, "directory_hidden", f"feed:{feed_id}", **told)

    @reads(Scope())
    def feed_for_topic(self, feed_id: int) -> Script[tuple[str, str, tuple[str, ...]]]:
        query = sql("SELECT title, description FROM feeds WHERE id = :id", id=feed_id)
        row = yield from one(query, _NOT_FOUND)
        recent = yield from recent_titles([feed_id])
        return row["title"], row["description"], recent.get(feed_id, ())

    @writes(OPERATOR)
    def set_topic(
        self, feed_id: int, topic: str, confidence: float, *, status: str, actor: str
    ) -> Script[None]:
        query = sql("SELECT topic FROM feeds WHERE id = :id", id=feed_id)
        before = (yield from one(query, _NOT_FOUND))["topic"]
        changes = {"topic": topic, "topic_confidence": confidence, "topic_status": status}
        yield update("feeds", feed_id, **changes)
        yield from queue_for_index("feed", [feed_id])
        told = {"before": before, "after": topic, "why": f"Confidence {confidence:.2f}."}
        yield audit(actor, f"topic_{status}", f"feed:{feed_id}", **told)

    @reads(Scope())
    def pending_topics(self) -> Script[list[ListedFeed]]:
        rows = yield sql(f"""SELECT {_COLUMNS} FROM feeds f WHERE f.topic_status = 'pending'
            AND f.in_directory ORDER BY f.id LIMIT 200""")
        return (yield from _listed(rows))


def _add_missing(entries: Sequence[DirectoryEntry]) -> Script[list[int]]:
    # Every start seeds. The same list again costs a look at its digest, and does not
    # bring back what operators or publishers have moved or merged away since.
    digest = hashlib.sha256(repr(entries).encode()).hexdigest()
    known = yield from first(sql("SELECT value FROM installation WHERE key = 'directory'"))
    if known and known["value"] == digest:
        return []
    yield upsert("installation", "key", key="directory", value=digest)
    at = yield from now_us()
    rows = [_feed_row(entry, at) for entry in entries]
    if not rows:
        return []
    tail = """ON CONFLICT (coalesce(tenant_id, 0), url_key) DO UPDATE SET in_directory = true,
        topic = coalesce(feeds.topic, excluded.topic),
        topic_status = coalesce(feeds.topic_status, excluded.topic_status),
        country = coalesce(feeds.country, excluded.country)
        WHERE NOT feeds.in_directory AND feeds.topic_status IS DISTINCT FROM 'hidden'
        RETURNING id, host_key"""
    made = yield Insert("feeds", tuple(rows[0]), [tuple(row.values()) for row in rows], tail)
    columns = ("feed_id", "host_key", "reason")
    schedules = [(row["id"], row["host_key"], _UNLOOKED) for row in made]
    yield Insert("feed_schedules", columns, schedules, "ON CONFLICT DO NOTHING")
    return [row["id"] for row in made]


def _look() -> Script[None]:
    text = """SELECT feed_id, now_us() AS now FROM feed_schedules WHERE due_at IS NULL
        AND lease_token IS NULL AND CAST(reason AS TEXT) = :reason ORDER BY feed_id"""
    rows = yield sql(text, reason=_UNLOOKED)
    gap, reason = _WEEK_US // max(1, len(rows)), json.dumps({"rule": "listed"})
    text = "UPDATE feed_schedules SET next_run_at = :at, due_at = :at, reason = :reason"
    times = [
        {"id": row["feed_id"], "at": row["now"] + place * gap, "reason": reason}
        for place, row in enumerate(rows)
    ]
    yield Many(f"{text} WHERE feed_id = :id", times)


def _look_away() -> Script[None]:
    """Stop checking feeds that are only in the directory, as their schedule says."""
    text = """UPDATE feed_schedules SET next_run_at = NULL, due_at = NULL, reason = :reason
        WHERE due_at IS NOT NULL AND lease_token IS NULL
        AND (CAST(reason AS TEXT) LIKE :listed OR CAST(reason AS TEXT) LIKE :directory)"""
    listed, directory = '%"rule": "listed"%', '%"rule": "directory"%'
    yield sql(text, reason=_UNLOOKED, listed=listed, directory=directory)


def _feed_row(entry: DirectoryEntry, at: int) -> dict[str, object]:
    url = normalise(entry.feed_url)
    said = ("title", "site_url", "language", "country", "format", "topic")
    return {
        "url": url,
        "url_key": url_key(url),
        "host_key": host_key(url),
        **{name: getattr(entry, name) for name in said},
        "topic_confidence": 1.0,
        "topic_status": "approved",
        "in_directory": True,
        "is_canonical": True,
        "tags": json.dumps(entry.tags),
        "created_at": at,
        "updated_at": at,
    }


def _listed(rows: Sequence[Row]) -> Script[list[ListedFeed]]:
    recent = yield from recent_titles([row["feed_id"] for row in rows])
    return [
        value_of(
            ListedFeed,
            row,
            # What publishers give as their site may not be a valid address.
            domain=host_of(row["site_url"] or "") or host_of(row["url"]),
            recent_titles=recent.get(row["feed_id"], ()),
        )
        for row in rows
    ]
