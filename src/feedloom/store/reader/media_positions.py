"""Playback positions in the enclosures of articles."""

from collections.abc import Mapping, Sequence

from feedloom.model.errors import InvalidInput
from feedloom.store.engine.scripts import Script, sql
from feedloom.store.locks import lock_users
from feedloom.store.queries import NOW, upsert
from feedloom.store.reader.article_lists import find_article_id

LONGEST_S = 2**31 - 1


def media_positions(
    user_id: int, article_ids: Sequence[int]
) -> Script[Mapping[tuple[int, str], int]]:
    """Return known positions in seconds, by article and address."""
    rows = yield sql(
        "SELECT article_id, url, seconds FROM media_positions"
        " WHERE user_id = :user AND article_id = ANY(:ids)",
        user=user_id,
        ids=list(article_ids),
    )
    return {(row["article_id"], row["url"]): row["seconds"] for row in rows}


def set_media_position(user_id: int, item_no: int, url: str, seconds: int) -> Script[None]:
    """Store how far somebody is in an enclosure of one of their articles."""
    if not 0 <= seconds <= LONGEST_S:
        raise InvalidInput("A position must be a number of seconds.", field="seconds")
    article_id = yield from find_article_id(user_id, item_no)
    yield from lock_users([user_id])
    key = {"user_id": user_id, "article_id": article_id, "url": url}
    yield upsert("media_positions", ", ".join(key), **key, seconds=seconds, changed_at=NOW)
