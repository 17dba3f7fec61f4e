"""Which article belongs to which story: the queue, its lease and the results.

One worker at a time groups articles into stories, under a lease, in the order of their
ids. None is skipped: a claim waits until every article with a lower id is committed.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from feedloom.model.stories import StoryArticle
from feedloom.model.urls import host_of
from feedloom.store.engine.decorators import Store, reads, writes
from feedloom.store.engine.scripts import WORKER, Insert, Many, Row, Script, sql
from feedloom.store.locks import lock_users
from feedloom.store.queries import exists, number, numbers
from feedloom.store.values import DAY_US, SECOND, value_of

if TYPE_CHECKING:
    from feedloom.store.ingest.arrivals import Arrived

_GATE = 0x464C4F53
_WINDOW_US = 72 * 3600 * SECOND
_ALONE_US = 10 * DAY_US
"""After this time no further article joins a story."""
_KEEP_US = 90 * DAY_US
_MOST_FORGOTTEN = 20_000
_COLUMNS = """m.article_id AS id, m.story_id, m.arrived_at, a.title, a.summary AS text,
    coalesce(a.language, '') AS language, a.url, a.published_at,
    coalesce(f.title, '') AS source"""
_JOINS = "JOIN articles a ON a.id = m.article_id JOIN feeds f ON f.id = a.feed_id"


def let_arrive() -> Script[None]:
    """Hold back readers of the queue until the new articles are committed."""
    yield sql("SELECT pg_advisory_xact_lock_shared(:gate)", gate=_GATE)


def queue_for_stories(arrived: "Sequence[Arrived]", at_us: int) -> Script[None]:
    rows = [(one.id, at_us) for one in arrived if one.published_at > at_us - _WINDOW_US]
    yield Insert("story_articles", ("article_id", "arrived_at"), rows, "ON CONFLICT DO NOTHING")


class StoryQueue(Store):
    @reads(WORKER)
    def any_waiting(self) -> Script[bool]:
        text = "SELECT 1 FROM story_articles WHERE story_id IS NULL LIMIT 1"
        return (yield from exists(sql(text)))

    @writes(WORKER)
    def claim(self, token: str, lease_s: float) -> Script[bool | None]:
        """Lease the grouping of stories; return whether this token held the lease before.

        Return None if another worker holds it.
        """
        text = "SELECT token, locked_until > now_us() AS is_held FROM story_lease FOR UPDATE"
        [lease] = yield sql(text)
        is_own = bool(lease["token"] == token)
        if lease["is_held"] and not is_own:
            return None
        text = "UPDATE story_lease SET token = :token, locked_until = now_us() + :lease"
        yield sql(text, token=token, lease=int(lease_s * SECOND))
        return is_own

    @writes(WORKER)
    def release(self, token: str) -> Script[None]:
        yield sql("UPDATE story_lease SET locked_until = 0 WHERE token = :token", token=token)

    @writes(WORKER)
    def waiting(self, limit: int) -> Script[list[StoryArticle]]:
        """List the articles without a story, ordered by id."""
        yield sql("SELECT pg_advisory_xact_lock(:gate)", gate=_GATE)
        text = f"""SELECT {_COLUMNS} FROM (SELECT * FROM story_articles WHERE story_id IS NULL
            ORDER BY article_id LIMIT :limit) m {_JOINS} ORDER BY m.article_id"""
        rows = yield sql(text, limit=limit)
        return [_article(row) for row in rows]

    @reads(WORKER)
    def open_since(self) -> Script[int]:
        """Return the time since which a story must have had a new article to be open."""
        text = "SELECT coalesce(max(arrived_at), 0) FROM story_articles WHERE story_id IS NOT NULL"
        return (yield from number(sql(text))) - _WINDOW_US

    @reads(WORKER)
    def told(self, since: int, after: int, limit: int) -> Script[list[tuple[StoryArticle, int]]]:
        """List the articles of open stories with their stories, ordered by id."""
        text = f"""SELECT {_COLUMNS} FROM (SELECT t.* FROM story_articles t
            WHERE t.article_id > :after AND EXISTS (SELECT 1 FROM story_articles o
              WHERE o.story_id = t.story_id AND o.arrived_at >= :since)
            ORDER BY t.article_id LIMIT :limit) m {_JOINS} ORDER BY m.article_id"""
        rows = yield sql(text, after=after, limit=limit, since=since)
        return [(_article(row), row["story_id"]) for row in rows]

    @writes(WORKER)
    def tell(self, token: str, stories: Sequence[tuple[int, int]], lease_s: float) -> Script[bool]:
        """Store the story of each article; False, and nothing stored, if the lease is lost."""
        text = """UPDATE story_lease SET locked_until = now_us() + :lease WHERE token = :token
            AND locked_until > now_us() RETURNING id"""
        if not (yield from exists(sql(text, token=token, lease=int(lease_s * SECOND)))):
            return False
        text = "UPDATE story_articles SET story_id = :story WHERE article_id = :article"
        yield Many(text, [{"article": article, "story": story} for article, story in stories])
        # Articles that joined a story are dismissed for the people who muted it.
        text = "SELECT user_id, story_id FROM story_marks WHERE muted_at IS NOT NULL"
        ids = sorted({story_id for _, story_id in stories})
        rows = yield sql(f"{text} AND story_id = ANY(:stories)", stories=ids)
        if rows:
            yield lock_users(sorted({row["user_id"] for row in rows}))
            text = """UPDATE article_states SET hidden_at = now_us(), unread = false,
                last_modified = GREATEST(clock_us(), last_modified + 1) WHERE user_id = :user
                AND article_id = :article AND hidden_at IS NULL AND NOT starred"""
            muted = [
                {"user": row["user_id"], "article": article_id}
                for row in rows
                for article_id, story_id in stories
                if story_id == row["story_id"]
            ]
            yield Many(text, muted)
        return True

    @writes(WORKER)
    def forget_old(self) -> Script[None]:
        """Delete stories of one article, and old stories that nobody follows."""
        text = """SELECT m.article_id FROM story_articles m WHERE m.story_id IS NOT NULL
            AND (m.arrived_at < now_us() - :alone AND NOT EXISTS (SELECT 1
              FROM story_articles o WHERE o.story_id = m.story_id
              AND o.article_id <> m.article_id)
            OR m.arrived_at < now_us() - :keep AND NOT EXISTS (SELECT 1 FROM story_marks k
              WHERE k.story_id = m.story_id AND k.followed_at IS NOT NULL)) LIMIT :limit"""
        old = yield from numbers(sql(text, alone=_ALONE_US, keep=_KEEP_US, limit=_MOST_FORGOTTEN))
        yield sql("DELETE FROM story_articles WHERE article_id = ANY(:old)", old=old)
        yield sql("""DELETE FROM story_marks WHERE NOT EXISTS (SELECT 1 FROM story_articles m
            WHERE m.story_id = story_marks.story_id)""")


def _article(row: Row) -> StoryArticle:
    # Feeds of one site count as one source, feeds of an IP address don't.
    host = host_of(row["url"]).removeprefix("www.")
    publisher = host if host.rpartition(".")[2].isalpha() else ""
    return value_of(StoryArticle, row, publisher=publisher)
