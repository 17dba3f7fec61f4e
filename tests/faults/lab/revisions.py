"""Databases as earlier versions left them, and an upgrade that is killed on its way.

    python -m tests.faults.lab.revisions URL STATEMENTS

The program starts to bring a database up to date and kills itself after so many of the
statements that change something. The functions make a database of an earlier revision
with rows in it, and digest those rows by the columns they had then.
"""

import asyncio
import hashlib
import json
import os
import signal
import sys

from feedloom.store import DatabaseURL, open_database
from feedloom.store.engine import migrate
from feedloom.store.engine.scripts import WORKER, Database, Insert, Script, sql
from feedloom.store.engine.sqlite import APPLICATION_ID

ARTICLES = 200
AT = 1_790_000_000_000_000
RELEASED = {"0.1.0": 9}
"""The last revision of each released version: what its databases are made from."""
DERIVED_SINCE = 14
"""From this revision on a view has the columns of an article's first enclosure."""
DROPPED = {"favicon_checked_at"}
"""What nothing read and nobody misses."""


def at_revision(kind: str, last: int) -> Script[None]:
    """Make the schema as it was at a revision."""
    yield sql(migrate._TABLE)
    for migration in migrate.migrations(kind):
        if migration.version > last:
            break
        for statement in migration.statements:
            yield sql(statement)
        yield sql(
            "INSERT INTO schema_migrations (version, checksum, applied_at)"
            " VALUES (:version, :checksum, now_us())",
            version=migration.version,
            checksum=migration.checksum,
        )
    if kind == "sqlite":
        yield sql(f"PRAGMA application_id = {APPLICATION_ID}")


def fill() -> Script[None]:
    """Put rows of the first revision's columns into the tables that matter."""
    rows = yield Insert(
        "users", ("email", "next_item_no", "created_at"),
        [(f"p{n}@example.org", ARTICLES + 1, AT) for n in range(3)], returning=("id",),
    )  # fmt: skip
    people = [row["id"] for row in rows]
    rows = yield Insert(
        "folders", ("user_id", "name", "is_root"),
        [(id_, "Ünï ☃", True) for id_ in people], returning=("id",),
    )  # fmt: skip
    folders = [row["id"] for row in rows]
    rows = yield Insert(
        "feeds", ("url", "url_key", "host_key", "title", "created_at", "updated_at"),
        [(f"http{'s' * (n % 2)}://s{n}.example/f", f"s{n}.example/f", f"s{n}.example",
          f"Feed {n}", AT, AT) for n in range(5)],
        returning=("id",),
    )  # fmt: skip
    feeds = [row["id"] for row in rows]
    yield Insert(
        "feed_schedules", ("feed_id", "host_key", "next_run_at", "due_at"),
        [(id_, f"s{n}.example", AT, AT) for n, id_ in enumerate(feeds)],
    )  # fmt: skip
    rows = yield Insert(
        "subscriptions", ("user_id", "feed_id", "folder_id", "seeded", "added_at"),
        [(user, feed, folder, True, AT) for user, folder in zip(people, folders, strict=True)
         for feed in feeds[:1]],
        returning=("id", "user_id"),
    )  # fmt: skip
    subscriptions = {row["user_id"]: row["id"] for row in rows}
    articles = yield from _fill_articles(feeds[0], subscriptions)
    yield from _fill_the_rest(people[0], feeds[0], articles[0], subscriptions[people[0]])
    yield Insert(
        "bookmarks",
        ("user_id", "url", "url_key", "title", "state", "enrich_status", "added_at",
         "updated_at"),
        [(people[0], f"https://b.example/{n}", f"b.example/{n}", f"Titel {n} ä", "inbox",
          "done", AT, AT) for n in range(20)],
    )  # fmt: skip


def _fill_the_rest(person: int, feed: int, article: int, subscription: int) -> Script[None]:
    """Put a row into each table that is still empty."""
    tag = yield Insert("tags", ("user_id", "name"), [(person, "tág")], returning=("id",))
    password = yield Insert(
        "app_passwords", ("user_id", "label", "secret_hash", "created_at"),
        [(person, "Phone", "sh", AT)], returning=("id",),
    )  # fmt: skip
    site = yield Insert(
        "sites",
        ("input_url", "url_key", "canonical_url", "domain", "last_discovered_at"),
        [("https://s.example/", "s.example", "https://s.example/", "s.example", AT)],
        returning=("id",),
    )  # fmt: skip
    for table, values in _ROWS.items():
        known = {
            "user_id": person, "feed_id": feed, "article_id": article,
            "subscription_id": subscription, "tag_id": tag[0]["id"],
            "app_password_id": password[0]["id"], "site_id": site[0]["id"],
        }  # fmt: skip
        row = {name: known.get(name, value) for name, value in values.items()}
        yield Insert(table, tuple(row), [tuple(row.values())])


_ROWS: dict[str, dict[str, object]] = {
    "tenants": {"slug": "club", "name": "Club", "created_at": AT},
    "sessions": {"token_hash": "t", "user_id": 0, "csrf_secret": "c", "created_at": AT,
                 "seen_at": AT, "expires_at": AT, "user_agent": "x"},
    "client_tokens": {"token_hash": "t", "user_id": 0, "app_password_id": 0,
                      "created_at": AT},
    "oidc_identities": {"provider": "p", "subject": "s", "user_id": 0, "created_at": AT},
    "view_tokens": {"token_hash": "v", "user_id": 0, "label": "Víew", "view": '{"a": 1}',
                    "created_at": AT},
    "throttle": {"bucket": "b", "failures": 3, "blocked_until": AT, "forget_at": AT},
    "favicons": {"source_url": "https://s0.example/i", "mime": "image/png",
                 "bytes": b"\x89PNG\x00", "fetched_at": AT},
    "hosts": {"host_key": "s0.example", "next_free_at": AT, "in_flight": "[]"},
    "fetch_log": {"feed_id": 0, "at": AT, "outcome": "new", "http_status": 200,
                  "message": "Ünï"},
    "audit_log": {"at": AT, "actor": "worker", "action": "feed_moved", "subject": "feed:1",
                  "before_value": "a", "after_value": "b", "why": "Because."},
    "feed_candidates": {"site_id": 0, "candidate_url": "https://s.example/f",
                        "discovered_from": "html", "score": 7, "score_reasons": "{}",
                        "validation_status": "valid", "seen_at": AT},
    "recent_items": {"feed_id": 0, "place": 0, "title": "Néw", "published_at": AT},
    "article_tombstones": {"feed_id": 0, "guid_hash": "gone", "deleted_at": AT},
    "article_tags": {"user_id": 0, "article_id": 0, "tag_id": 0},
    "rules": {"user_id": 0, "name": "Rúle", "field": "title", "pattern": "x",
              "action": "star", "created_at": AT},
    "summaries": {"user_id": 0, "content": "Tóld.", "article_count": 1,
                  "article_ids": "[1]", "model": "m", "created_at": AT,
                  "paragraphs": '{"paragraphs": [], "cited": [], "note": ""}'},
    "events": {"user_id": 0, "event_type": "feed_added", "metadata": "{}",
               "created_at": AT},
    "proxies": {"feed_id": 0, "root_domain": "s0.example", "created_at": AT},
    "analyses": {"article_id": 0, "analyzer_result": "{}", "score": 0.5, "model": "m",
                 "prompt_version": "1", "content_hash": "c", "created_at": AT},
    "analysis_attempts": {"article_id": 0, "attempts": 2, "last_error": "x"},
    "cached_feeds": {"feed_id": 0, "xml_header": "<rss>", "xml_content": "<item/>",
                     "xml_gzip": b"\x1f\x8b", "etag": "e", "item_refs": "[]",
                     "created_at": AT, "updated_at": AT},
    "ai_calls": {"at": AT, "purpose": "digest", "user_id": 0, "model": "m",
                 "tokens_in": 5, "cost": 0.25, "outcome": "ok"},
    "websub": {"feed_id": 0, "hub": "https://hub.example/", "topic": "t",
               "callback_token": "c", "secret": "s", "state": "active"},
    "tasks": {"kind": "discover", "payload": '{"text": "x"}', "user_id": 0, "run_at": AT,
              "result": '{"found": 1}', "created_at": AT, "done_at": AT},
    "installation": {"key": "first_account", "value": "p0@example.org"},
}  # fmt: skip
"""For each table the columns of the first revision; ids are those of the person."""
UNSTABLE = {"installation"}
"""What upgrading itself writes to."""
UNUSED = {"feed_tags"}
"""No version wrote to it, and SQLite 3.40 takes rows of its shape for damaged."""
DIGESTED = (
    "users", "folders", "feeds", "feed_schedules", "subscriptions", "articles",
    "article_states", "tags", "app_passwords", "sites", "bookmarks",
    *(table for table in _ROWS if table not in UNSTABLE),
)  # fmt: skip


def _fill_articles(feed: int, subscriptions: dict[int, int]) -> Script[list[int]]:
    derived = yield from _first_enclosures_are_derived()
    first = () if derived else ("enclosure_url", "enclosure_mime", "enclosure_length")
    rows = yield Insert(
        "articles",
        ("feed_id", "guid", "guid_hash", "url", "url_hash", "title", "content", "summary",
         "categories", "rtl", "published_at", "fetched_at", "content_hash", "fingerprint",
         "cluster_key", "enclosures", *first),
        [(feed, f"g{n}", f"gh{n}", f"https://s0.example/{n}", f"uh{n}", f"Títle {n}",
          f"<p>words {n} of an article</p>", f"words {n}", "[]", False, AT + n, AT,
          f"c{n}", f"f{n}", f"k{n}", *_enclosed(n)[: 1 + len(first)])
         for n in range(ARTICLES)],
        returning=("id",),
    )  # fmt: skip
    ids = [row["id"] for row in rows]
    yield Insert(
        "article_states",
        ("article_id", "user_id", "subscription_id", "item_no", "arrived_at",
         "published_at", "unread", "starred", "last_modified"),
        [(id_, user, subscription, n + 1, AT, AT + n, n % 2 == 0, n % 7 == 0, AT + n)
         for user, subscription in subscriptions.items() for n, id_ in enumerate(ids)],
    )  # fmt: skip
    return ids


def _enclosed(number: int) -> tuple[object, ...]:
    """Return the enclosures of an article, and the first one as it stood beside them."""
    if number % 10:
        return "[]", None, None, None
    first = (f"https://s0.example/{number}.mp3", "audio/mpeg", number or None)
    found = [dict(zip(("url", "mime", "length"), first, strict=True)), {"url": "x"}]
    return json.dumps(found), *first


def columns(kind: str, table: str) -> Script[list[str]]:
    """Name a table's columns, in order."""
    if kind == "sqlite":
        rows = yield sql(f"SELECT name FROM pragma_table_info('{table}')")
    else:
        rows = yield sql(
            "SELECT attname AS name FROM pg_attribute WHERE attrelid = to_regclass(:t)"
            " AND attnum > 0 AND NOT attisdropped",
            t=table,
        )
    return sorted(row["name"] for row in rows)


def all_columns(kind: str) -> Script[dict[str, list[str]]]:
    """Name the columns of every table that is digested."""
    found = {}
    for table in DIGESTED:
        found[table] = yield from columns(kind, table)
    return found


def digest(named: dict[str, list[str]]) -> Script[dict[str, str]]:
    """Digest the rows of tables by these columns, wherever these are by now."""
    found = {}
    for table, all_names in named.items():
        names = [name for name in all_names if name not in DROPPED]
        source = table
        if "enclosure_url" in names and (yield from _first_enclosures_are_derived()):
            source = "articles LEFT JOIN first_enclosures ON article_id = id"
        rows = yield sql(f"SELECT {', '.join(names)} FROM {source}")
        lines = sorted(repr([_plain(row[name]) for name in names]) for row in rows)
        text = "\n".join(lines)
        found[table] = f"{len(lines)} {hashlib.sha256(text.encode()).hexdigest()}"
    return found


def _first_enclosures_are_derived() -> Script[bool]:
    rows = yield sql("SELECT max(version) AS version FROM schema_migrations")
    return bool(rows[0]["version"] >= DERIVED_SINCE)


def _plain(value: object) -> object:
    return int(value) if isinstance(value, bool) else value


def killed_after(kind: str, statements: int) -> Script[None]:
    """Upgrade, and kill this process after so many statements that change something."""
    steps, rows, left = migrate.migrate(kind), None, statements
    statement = next(steps)
    while True:
        if not statement.text.lstrip().upper().startswith("SELECT"):  # type: ignore[union-attr]  # all are queries
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left -= 1
        rows = yield statement
        statement = steps.send(rows)


async def main(url: str, statements: int) -> None:
    database: Database = await open_database(DatabaseURL.parse(url), worker=True, size=1)
    await database.write(WORKER, killed_after, database.kind, statements)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
