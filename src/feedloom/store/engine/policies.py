"""Row-level security on PostgreSQL: whose rows a web transaction may see.

The worker's role owns the tables and sees everything. The web's role sees the rows of the
person its transaction named, and the one row whose secret it presented to find that person.
"""

import hashlib
from collections.abc import Iterator

from feedloom.store.engine.migrate import current_version
from feedloom.store.engine.scripts import Script, sql

_USER = "nullif(current_setting('feedloom.user_id', true), '')::integer"
_CREDENTIAL = "nullif(current_setting('feedloom.credential', true), '')"
_OPERATOR = "current_setting('feedloom.operator', true) = 'on'"
_WORKER = "current_setting('feedloom.worker', true) = 'on'"

PERSONAL_TABLES = (
    *("sessions", "app_passwords", "client_tokens", "oidc_identities", "known_addresses"),
    *("view_tokens", "folders", "subscriptions", "tags", "feed_tags", "article_tags", "rules"),
    *("bookmarks", "article_states", "media_positions", "saved_searches", "story_marks"),
    *("interests", "summaries", "mails", "events"),
)
"""Tables whose rows belong to the person in ``user_id``."""

_FOUND_BY = {
    "users": f"email = {_CREDENTIAL}",
    "sessions": f"{_CREDENTIAL} IN (token_hash, next_hash, rotated_from)",
    "app_passwords": f"secret_hash = {_CREDENTIAL} OR fever_key_hash = {_CREDENTIAL}",
    "client_tokens": f"token_hash = {_CREDENTIAL}",
    "view_tokens": f"token_hash = {_CREDENTIAL}",
    "oidc_identities": f"provider || ' ' || subject = {_CREDENTIAL}",
}
_FOR_OPERATORS = {
    *("users", "sessions", "app_passwords", "events", "subscriptions", "tasks", "ai_calls")
}
# The daily budget is everybody's: the web's role is told its sums, and of which calls
# they are made only as far as these are its person's own. Where both roles are one, the
# function is the worker for as long as it adds up.
_SPENT_SINCE = """
CREATE OR REPLACE FUNCTION ai_spent_since(since bigint)
RETURNS TABLE (cost double precision, tokens bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE before text := current_setting('feedloom.worker', true);
BEGIN
  PERFORM set_config('feedloom.worker', 'on', true);
  RETURN QUERY SELECT coalesce(sum(c.cost), 0)::double precision,
    coalesce(sum(c.tokens_in + c.tokens_out), 0)::bigint
    FROM public.ai_calls c WHERE c.at >= since;
  PERFORM set_config('feedloom.worker', coalesce(before, ''), true);
END $$
"""

# Whether anybody at all reads a feed: one person's leaving must not stop it for others.
_FEED_IS_READ = """
CREATE OR REPLACE FUNCTION feed_is_read(feed bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE before text := current_setting('feedloom.worker', true); found boolean;
BEGIN
  PERFORM set_config('feedloom.worker', 'on', true);
  found := EXISTS (SELECT 1 FROM public.subscriptions s
    WHERE s.feed_id = feed AND s.paused_at IS NULL);
  PERFORM set_config('feedloom.worker', coalesce(before, ''), true);
  RETURN found;
END $$
"""


def enforce(web_role: str, worker_role: str) -> Script[bool]:
    statements = list(_all(web_role, worker_role))
    # A table of a new version needs its grants even where no policy changed.
    version = yield from current_version("postgresql")
    text = "\n".join([*statements, str(version)])
    digest = hashlib.sha256(text.encode()).hexdigest()
    yield sql("SELECT pg_advisory_xact_lock(:key)", key=0x464C4F4E)
    rows = yield sql("SELECT value FROM installation WHERE key = 'policies'")
    if rows and rows[0]["value"] == digest:
        return False
    for statement in statements:
        yield sql(statement)
    text = """INSERT INTO installation (key, value) VALUES ('policies', :digest)
        ON CONFLICT (key) DO UPDATE SET value = excluded.value"""
    yield sql(text, digest=digest)
    return True


def _all(web_role: str, worker_role: str) -> Iterator[str]:
    apart = web_role != worker_role
    if apart:
        web = _quoted(web_role)
        yield f"GRANT USAGE ON SCHEMA public TO {web}"
        yield f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {web}"
        yield f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {web}"
    worker = f"TO {_quoted(worker_role)} USING (true)" if apart else f"USING ({_WORKER})"
    own = dict.fromkeys(PERSONAL_TABLES, f"user_id = {_USER}")
    own["users"] = f"id = {_USER}"
    own["tasks"] = own["ai_calls"] = f"user_id = {_USER} OR user_id IS NULL"
    # Who may see an article may see what it said before.
    own["revisions"] = (
        "EXISTS (SELECT 1 FROM article_states t WHERE t.article_id = revisions.article_id"
        f" AND t.user_id = {_USER})"
    )
    for table, condition in own.items():
        yield f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY"
        yield f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY"
        yield from _policy(table, "own", f"USING ({condition})")
        yield from _policy(table, "worker", worker)
        if table in _FOUND_BY:
            yield from _policy(table, "credential", f"FOR SELECT USING ({_FOUND_BY[table]})")
        if table in _FOR_OPERATORS:
            yield from _policy(table, "operator", f"USING ({_OPERATOR})")
    yield _SPENT_SINCE
    yield _FEED_IS_READ
    # Anybody may register; what a new account may be is decided by the script.
    yield from _policy("users", "register", "FOR INSERT WITH CHECK (true)")


def _policy(table: str, name: str, body: str) -> Iterator[str]:
    yield f"DROP POLICY IF EXISTS {name} ON {table}"
    yield f"CREATE POLICY {name} ON {table} {body}"


def _quoted(role: str) -> str:
    return '"' + role.replace('"', '""') + '"'
