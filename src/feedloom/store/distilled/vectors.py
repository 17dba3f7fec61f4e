"""Vectors of articles: missing ones, stored ones, and those of a person's articles."""

from collections.abc import Sequence

from feedloom.model.work import NewTask, TaskKind
from feedloom.store.engine.decorators import Store, as_user, reads, writes
from feedloom.store.engine.encryption import SEALED
from feedloom.store.engine.scripts import WORKER, Insert, Scope, Script, sql
from feedloom.store.queries import number, numbers
from feedloom.store.queues.task_queue import add_task
from feedloom.store.values import read_object

# Feeds that everybody who reads them keeps from models are left out, and so are private
# ones: those with a cookie or a password.
_READABLE = """EXISTS (SELECT 1 FROM subscriptions s WHERE s.feed_id = a.feed_id
      AND s.user_id <> ALL(:minding)) AND NOT EXISTS (SELECT 1 FROM subscriptions s
      WHERE s.feed_id = a.feed_id AND s.cookie IS NOT NULL)
    AND f.url NOT LIKE :with_password
    AND NOT EXISTS (SELECT 1 FROM article_vectors v WHERE v.article_id = a.id
      AND v.model = :model)"""


class VectorStore(Store):
    @reads(WORKER)
    def newest(self) -> Script[int]:
        return (yield from number(sql("SELECT coalesce(max(id), 0) FROM articles")))

    @reads(WORKER)
    def missing(
        self, model: str, opt_out: str, *, after: int, limit: int
    ) -> Script[list[tuple[int, str, str]]]:
        """List id, title and summary of articles without a vector, newest first."""
        people = yield sql("SELECT id, settings FROM users")
        minding = [
            p["id"] for p in people if (read_object(p["settings"]) or {}).get(opt_out) is True
        ]
        text = f"""SELECT a.id, a.title, a.summary FROM articles a JOIN feeds f ON f.id = a.feed_id
            WHERE a.id > :after AND {_READABLE} ORDER BY a.id DESC LIMIT :limit"""
        which = {"minding": minding, "model": model, "with_password": f"%://{SEALED}%"}
        rows = yield sql(text, after=after, limit=limit, **which)
        return [(row["id"], row["title"], row["summary"]) for row in rows]

    @writes(WORKER)
    def queue(self) -> Script[None]:
        yield from add_task(NewTask(TaskKind.EMBED, {}, unique_key="embed"))

    @writes(WORKER)
    def save(self, model: str, vectors: Sequence[tuple[int, bytes]]) -> Script[None]:
        text = "SELECT id FROM articles WHERE id = ANY(:ids)"
        there = set((yield from numbers(sql(text, ids=[id_ for id_, _ in vectors]))))
        columns = ("article_id", "model", "vector")
        rows = [(id_, model, vector) for id_, vector in vectors if id_ in there]
        yield Insert("article_vectors", columns, rows, "ON CONFLICT (article_id) DO NOTHING")

    @writes(WORKER)
    def forget_others(self, model: str, floor: int) -> Script[None]:
        """Delete vectors of old articles, and of other models: they cannot be compared."""
        text = "DELETE FROM article_vectors WHERE model <> :model OR article_id <= :floor"
        yield sql(text, model=model, floor=floor)

    @reads(Scope())
    def since(self, seen: int, model: str, limit: int) -> Script[list[tuple[int, int, bytes]]]:
        """List number, article id and vector of everything after number ``seen``."""
        text = """SELECT id, article_id, vector FROM article_vectors WHERE id > :seen
            AND model = :model ORDER BY id LIMIT :limit"""
        rows = yield sql(text, seen=seen, model=model, limit=limit)
        return [(row["id"], row["article_id"], bytes(row["vector"])) for row in rows]

    @reads(as_user)
    def own(
        self, user_id: int, article_ids: Sequence[int], model: str
    ) -> Script[list[tuple[int, int, bytes]]]:
        """List article id, item number and vector of those articles that a person has."""
        text = """SELECT t.article_id, t.item_no, v.vector FROM article_states t
            JOIN article_vectors v ON v.article_id = t.article_id
            WHERE t.user_id = :user AND t.article_id = ANY(:ids) AND t.hidden_at IS NULL
            AND v.model = :model"""
        rows = yield sql(text, user=user_id, ids=list(article_ids), model=model)
        return [(row["article_id"], row["item_no"], bytes(row["vector"])) for row in rows]
