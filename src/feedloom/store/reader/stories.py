"""A person's stories: their articles in each, followed and muted stories.

Stories are shared. Each list and count begins at the person's own article states, so nobody
learns what others read.
"""

from collections.abc import Sequence
from dataclasses import replace

from feedloom.model.errors import InvalidInput, NotFound
from feedloom.model.reader import Wanted
from feedloom.model.stories import Kin, Story, StoryLine
from feedloom.store.engine.decorators import Store, as_user, reads, writes
from feedloom.store.engine.scripts import Script, sql
from feedloom.store.locks import lock_users
from feedloom.store.queries import first, number, overwriting
from feedloom.store.reader.article_lists import list_articles, list_item_nos
from feedloom.store.reader.article_states import mark_wanted
from feedloom.store.values import SECOND, value_of

MOST_MARKS = 1_000
"""Stories that one person may follow or mute."""
MOST_ARTICLES = 200
"""Articles on the page of one story."""
_MOST_KIN = 1_000
_RECENT_US = 72 * 3600 * SECOND
_LISTED = 50
_CHANGES = {
    "followed": ("followed_at", "now_us()"),
    "unfollowed": ("followed_at", "NULL"),
    "muted": ("muted_at", "now_us()"),
    "unmuted": ("muted_at", "NULL"),
}
_KIN = """SELECT t.item_no, m.story_id, substr(c.cluster_key, 1, 12) AS address
    FROM article_states t JOIN articles c ON c.id = t.article_id
    LEFT JOIN story_articles m ON m.article_id = t.article_id
    WHERE t.user_id = :user AND t.hidden_at IS NULL AND t.article_id IN (
      SELECT o.id FROM article_states p JOIN articles a ON a.id = p.article_id
      JOIN articles o ON substr(o.cluster_key, 1, 12) = substr(a.cluster_key, 1, 12)
      WHERE p.user_id = :user AND p.item_no = ANY(:items)
      UNION SELECT o.article_id FROM article_states p
      JOIN story_articles m ON m.article_id = p.article_id
      JOIN story_articles o ON o.story_id = m.story_id
      WHERE p.user_id = :user AND p.item_no = ANY(:items))
    ORDER BY +t.item_no DESC LIMIT :limit"""
_LINES = """
SELECT m.story_id AS id, count(*) AS articles, count(DISTINCT t.subscription_id) AS feeds,
  sum(CASE WHEN t.unread THEN 1 ELSE 0 END) AS unread, max(t.published_at) AS newest_at,
  min(t.item_no) AS item_no, max(k.followed_at) AS followed_at
FROM article_states t JOIN story_articles m ON m.article_id = t.article_id
LEFT JOIN story_marks k ON k.user_id = t.user_id AND k.story_id = m.story_id
WHERE t.user_id = :user AND t.hidden_at IS NULL AND {condition}
GROUP BY m.story_id HAVING {enough} ORDER BY {order} DESC, newest_at DESC, m.story_id
LIMIT :limit
"""


def find_kin(user_id: int, item_nos: Sequence[int], wanted: Wanted) -> Script[Kin | None]:
    """Find other articles about the same events as a list; None if there are none."""
    rows = yield sql(_KIN, user=user_id, items=list(item_nos), limit=_MOST_KIN)
    found = {row["item_no"]: row["story_id"] for row in rows}
    stories = [row["story_id"] for row in rows if row["story_id"] is not None]
    if len({row["address"] for row in rows}) == len(rows) and len(set(stories)) == len(stories):
        return None
    named = replace(wanted, cursor=None, skip=0, item_nos=tuple(found), limit=len(found))
    listed = yield from list_item_nos(user_id, named)
    all_of_them = Wanted(item_nos=tuple(found), limit=len(found))
    page = yield from list_articles(user_id, all_of_them)
    return Kin({item: story for item, story in found.items() if story}, page.articles, listed)


def find_story(user_id: int, story_id: int) -> Script[Story]:
    text = """SELECT followed_at IS NOT NULL AS followed, muted_at IS NOT NULL AS muted
        FROM story_marks WHERE user_id = :user AND story_id = :story"""
    mark = yield from first(sql(text, user=user_id, story=story_id))
    followed, muted = (bool(mark["followed"]), bool(mark["muted"])) if mark else (False, False)
    wanted = Wanted(story_id=story_id, include_hidden=muted, limit=MOST_ARTICLES, with_content=True)
    page = yield from list_articles(user_id, wanted)
    if not page.articles:
        raise NotFound("Story not found")
    return Story(story_id, page.articles[::-1], followed, muted)


def _lines(user_id: int, condition: str, enough: str, order: str) -> Script[list[StoryLine]]:
    text = _LINES.format(condition=condition, enough=enough, order=order)
    rows = yield sql(text, user=user_id, limit=_LISTED)
    firsts = tuple(row["item_no"] for row in rows)
    page = yield from list_articles(user_id, Wanted(item_nos=firsts, limit=max(1, len(firsts))))
    articles = {article.item_no: article for article in page.articles}
    return [
        value_of(StoryLine, row, first=articles[row["item_no"]])
        for row in rows
        if row["item_no"] in articles
    ]


class StoryStore(Store):
    kin = reads(as_user).of(find_kin)
    story = reads(as_user).of(find_story)

    @reads(as_user)
    def followed(self, user_id: int) -> Script[list[StoryLine]]:
        return (yield from _lines(user_id, "k.followed_at IS NOT NULL", "true", "newest_at"))

    @reads(as_user)
    def current(self, user_id: int) -> Script[list[StoryLine]]:
        """List the stories of the last days that several of a person's feeds report."""
        # last_modified is never before the arrival, and has an index.
        condition = f"""t.last_modified >= now_us() - {_RECENT_US}
            AND t.published_at >= now_us() - {_RECENT_US} AND m.story_id IS NOT NULL"""
        several = "count(DISTINCT t.subscription_id) > 1"
        return (yield from _lines(user_id, condition, several, "feeds"))

    @writes(as_user)
    def mark_read(self, user_id: int, story_id: int) -> Script[int]:
        yield from find_story(user_id, story_id)
        marked = yield from mark_wanted(user_id, Wanted(story_id=story_id), "read")
        return marked.count

    @writes(as_user)
    def mark(self, user_id: int, story_id: int, mark: str) -> Script[Story]:
        """Follow or mute a story, or undo that; muting dismisses its articles but starred ones."""
        if mark not in _CHANGES:
            raise InvalidInput(f"There is no mark {mark!r}.", field="mark")
        # A worker that dismisses articles of muted stories must wait for us.
        yield sql("SELECT id FROM story_lease FOR UPDATE")
        yield lock_users([user_id])
        yield from find_story(user_id, story_id)
        if mark == "unmuted":
            text = """UPDATE article_states SET hidden_at = NULL,
                last_modified = GREATEST(clock_us(), last_modified + 1)
                WHERE user_id = :user AND hidden_at >= (SELECT muted_at FROM story_marks
                  WHERE user_id = :user AND story_id = :story)
                AND article_id IN (SELECT article_id FROM story_articles WHERE story_id = :story)"""
            yield sql(text, user=user_id, story=story_id)
        column, value = _CHANGES[mark]
        text = "SELECT count(*) FROM story_marks WHERE user_id = :user"
        if (yield from number(sql(text, user=user_id))) >= MOST_MARKS and value != "NULL":
            raise InvalidInput(f"You can follow or mute up to {MOST_MARKS} stories.")
        text = f"""INSERT INTO story_marks (user_id, story_id, {column})
            VALUES (:user, :story, {value}) {overwriting("user_id, story_id", [column])}"""
        yield sql(text, user=user_id, story=story_id)
        text = "DELETE FROM story_marks WHERE user_id = :user AND followed_at IS NULL"
        yield sql(f"{text} AND muted_at IS NULL", user=user_id)
        if mark == "muted":
            yield from mark_wanted(user_id, Wanted(story_id=story_id, starred=False), "hidden")
        return (yield from find_story(user_id, story_id))
