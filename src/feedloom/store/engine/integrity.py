"""Integrity checks: the file is sound, and the rows are consistent."""

from feedloom.store.engine import migrate
from feedloom.store.engine.scripts import Script, sql

_INVARIANTS = {
    "article states whose subscription belongs to another person": (
        "SELECT count(*) AS n FROM article_states t JOIN subscriptions s"
        " ON s.id = t.subscription_id WHERE s.user_id <> t.user_id"
    ),
    "feeds without a schedule": (
        "SELECT count(*) AS n FROM feeds f LEFT JOIN feed_schedules s"
        " ON s.feed_id = f.id WHERE s.feed_id IS NULL"
    ),
    "people whose next item number is behind": (
        "SELECT count(*) AS n FROM users u WHERE u.next_item_no <= (SELECT"
        " coalesce(max(item_no), 0) FROM article_states t WHERE t.user_id = u.id)"
    ),
    "people without a root folder": (
        "SELECT count(*) AS n FROM users u WHERE NOT EXISTS (SELECT 1 FROM folders f"
        " WHERE f.user_id = u.id AND f.is_root)"
    ),
    "leases that expired over a day ago": (
        "SELECT count(*) AS n FROM feed_schedules WHERE locked_until < now_us() - 86400000000"
    ),
}

_UNREADABLE = {
    "tasks": {"payload": "object", "progress": "object", "result": "object"},
    "feed_schedules": {"reason": "object"},
    "hosts": {"in_flight": "array"},
    "users": {"settings": "object"},
    "articles": {"categories": "array", "enclosures": "array"},
    "bookmarks": {"tags": "array"},
    "summaries": {"paragraphs": "object"},
    "view_tokens": {"view": "object"},
    "feed_candidates": {"score_reasons": "object"},
    "cached_feeds": {"item_refs": "array"},
}
"""What the JSON columns hold that the program could not go on without."""
_TYPE = {
    "sqlite": "CASE WHEN json_valid({0}) THEN json_type({0}) ELSE 'none' END",
    "postgresql": "json_typeof(CAST({0} AS JSON))",
}


def _unreadable(kind: str) -> Script[list[str]]:
    found = []
    for table, columns in _UNREADABLE.items():
        for column, wanted in columns.items():
            rows = yield sql(
                f"SELECT count(*) AS n FROM {table} WHERE {column} IS NOT NULL"
                f" AND {_TYPE[kind].format(column)} <> '{wanted}'"
            )
            if rows[0]["n"]:
                found.append(
                    f"{rows[0]['n']} rows of {table} have a value in {column} that cannot be read."
                )
    return found


def faults(kind: str) -> Script[list[str]]:
    """List what is wrong, each in a sentence; an empty list is good news."""
    found: list[str] = []
    version = yield from migrate.current_version(kind)
    wanted = migrate.migrations(kind)[-1].version
    if version != wanted:
        cure = (
            "Run `feedloom db upgrade`."
            if version < wanted
            else "It was created by a newer version of Feedloom. Install that version."
        )
        return [f"The schema has version {version}; this program needs {wanted}. {cure}"]
    if kind == "sqlite":
        rows = yield sql("PRAGMA integrity_check")
        found += [
            f"Damaged: {row['integrity_check']}" for row in rows if row["integrity_check"] != "ok"
        ]
        rows = yield sql("PRAGMA foreign_key_check")
        if rows:
            found.append(f"{len(rows)} rows refer to rows that do not exist.")
    found += yield from _unreadable(kind)
    for name, text in _INVARIANTS.items():
        rows = yield sql(text)
        if rows[0]["n"]:
            found.append(f"There are {rows[0]['n']} {name}.")
    return found
