"""What a person's articles said before their publishers changed them."""

import zlib

from feedloom.model.feed import CleanHTML
from feedloom.model.reader import Revision
from feedloom.model.stages import Wording
from feedloom.store.engine.decorators import Store, as_user, reads
from feedloom.store.engine.scripts import Row, Script, sql
from feedloom.store.queries import numbers
from feedloom.store.values import value_of

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
        """Return the publisher's current wording, ignoring a person's own edits."""
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
        """List the items that changed last, newest change first."""
        query = sql(
            "SELECT t.item_no, max(v.id) AS last FROM revisions v"
            " JOIN article_states t ON t.article_id = v.article_id"
            " WHERE t.user_id = :user AND t.hidden_at IS NULL"
            " GROUP BY t.item_no ORDER BY last DESC LIMIT :limit",
            user=user_id,
            limit=limit,
        )
        return (yield from numbers(query))


def _revision(row: Row) -> Revision:
    text = None if row["text"] is None else zlib.decompress(row["text"]).decode()
    return value_of(Revision, row, text=text)
