"""What a person's articles said before their publishers changed them."""

import zlib

from feedloom.model.feed import CleanHTML
from feedloom.model.reader import Revision
from feedloom.model.stages import Wording
from feedloom.store.engine.decorators import Store, as_user, reads
from feedloom.store.engine.scripts import Row, Script, sql
from feedloom.store.times import from_us

_OWN = (
    "SELECT v.id, v.changed_at, v.title, v.text, t.item_no FROM revisions v"
    " JOIN article_states t ON t.article_id = v.article_id WHERE t.user_id = :user"
)


class RevisionStore(Store):
    @reads(as_user)
    def of_articles(self, user_id: int, item_nos: list[int], limit: int) -> Script[list[Revision]]:
        """List the latest revisions of articles, oldest first."""
        rows = yield sql(
            f"{_OWN} AND t.item_no = ANY(:items) ORDER BY v.id DESC LIMIT :limit",
            user=user_id,
            items=item_nos,
            limit=limit,
        )
        return [_revision(row) for row in reversed(rows)]

    @reads(as_user)
    def wordings(self, user_id: int, item_nos: list[int]) -> Script[dict[int, Wording]]:
        """Tell what publishers say now, whatever a person made of it."""
        rows = yield sql(
            "SELECT t.item_no, a.title, a.summary, a.content FROM article_states t"
            " JOIN articles a ON a.id = t.article_id"
            " WHERE t.user_id = :user AND t.item_no = ANY(:items)",
            user=user_id,
            items=item_nos,
        )
        return {
            row["item_no"]: Wording(row["title"], row["summary"], CleanHTML(row["content"]))
            for row in rows
        }

    @reads(as_user)
    def latest(self, user_id: int, limit: int) -> Script[list[int]]:
        """Name the articles that changed last, the newest change first."""
        rows = yield sql(
            "SELECT t.item_no, max(v.id) AS last FROM revisions v"
            " JOIN article_states t ON t.article_id = v.article_id"
            " WHERE t.user_id = :user AND t.hidden_at IS NULL"
            " GROUP BY t.item_no ORDER BY last DESC LIMIT :limit",
            user=user_id,
            limit=limit,
        )
        return [row["item_no"] for row in rows]


def _revision(row: Row) -> Revision:
    text = row["text"]
    return Revision(
        id=row["id"],
        item_no=row["item_no"],
        changed_at=from_us(row["changed_at"]),
        title=row["title"],
        text=None if text is None else zlib.decompress(text).decode(),
    )
