"""Revisions of articles: kept as part of a refresh, forgotten when they are old."""

from collections.abc import Mapping

from feedloom.model.stages import NewRevision
from feedloom.store.engine.scripts import Insert, Script, sql

MOST_REVISIONS = 20
"""Per article; the oldest are deleted."""
_DAY_US = 86_400 * 1_000_000


def keep_revisions(revisions: Mapping[int, NewRevision], at_us: int) -> Script[None]:
    """Store the earlier wording of articles, by article id."""
    if not revisions:
        return
    rows = [(id_, at_us, each.title, each.text) for id_, each in revisions.items()]
    yield Insert("revisions", ("article_id", "changed_at", "title", "text"), rows)
    yield sql(
        "DELETE FROM revisions WHERE id IN (SELECT id FROM (SELECT id, row_number() OVER"
        " (PARTITION BY article_id ORDER BY id DESC) AS place FROM revisions"
        " WHERE article_id = ANY(:ids)) ranked WHERE place > :most)",
        ids=list(revisions),
        most=MOST_REVISIONS,
    )


def forget_revisions(days: int) -> Script[None]:
    """Delete revisions that are older or that nobody may read any more; 0 deletes all."""
    yield sql(
        "DELETE FROM revisions WHERE changed_at <= now_us() - :age OR NOT EXISTS"
        " (SELECT 1 FROM article_states t WHERE t.article_id = revisions.article_id)",
        age=days * _DAY_US,
    )
