"""Looking a database over: whether the file is sound and the rows fit together."""

from feedloom.store.engine import migrate
from feedloom.store.engine.steps import Steps, sql

_INVARIANTS = {
    "states whose subscription belongs to somebody else": (
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
        "SELECT count(*) AS n FROM feed_schedules"
        " WHERE locked_until < now_us() - 86400000000"
    ),
}


def faults(kind: str) -> Steps[list[str]]:
    """List what is wrong, each in a sentence; an empty list is good news."""
    found: list[str] = []
    version = yield from migrate.current_version(kind)
    wanted = migrate.migrations(kind)[-1].version
    if version != wanted:
        cure = (
            "Run `feedloom db upgrade`."
            if version < wanted
            else "It was made by a newer Feedloom: install that one."
        )
        return [
            f"The schema has version {version}; this program needs {wanted}. {cure}"
        ]
    if kind == "sqlite":
        rows = yield sql("PRAGMA integrity_check")
        found += [
            f"Damaged: {row['integrity_check']}"
            for row in rows
            if row["integrity_check"] != "ok"
        ]
        rows = yield sql("PRAGMA foreign_key_check")
        if rows:
            found.append(f"{len(rows)} rows refer to rows that do not exist.")
    for name, text in _INVARIANTS.items():
        rows = yield sql(text)
        if rows[0]["n"]:
            found.append(f"There are {rows[0]['n']} {name}.")
    return found
