"""Learned interests of people who want that: counts derived from their marks, all deletable.

Nothing is learned about people who have not turned it on. Articles are not remembered, only
how often their feeds, authors, topics and words were liked or not.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, cast

from feedloom.model.interests import ArticleToRank, Interest, InterestKind, Sign, Term, terms_of
from feedloom.store.engine.decorators import Store, as_user, reads, writes
from feedloom.store.engine.scripts import Insert, Many, Script, sql
from feedloom.store.locks import lock_users
from feedloom.store.queries import exists, now_us, number, numbers, one, update
from feedloom.store.values import read_texts, value_of

MOST_INTERESTS = 1_000
"""Per person; those that count least are deleted first."""
_SPARE = 100
_MOST_AT_ONCE = 200
"""Marking more at once says nothing about a single article."""
_MOST_BEFORE = 500
_NEWEST, _LIKED = 300, 150
_COUNTS = " + ".join(Sign)
_INTERESTS = """
SELECT i.id, i.kind, coalesce(s.title, nullif(f.title, ''), f.host_key, i.name) AS name,
  i.starred, i.saved, i.opened, i.dismissed, i.more, i.less, i.subscription_id
FROM interests i LEFT JOIN subscriptions s ON s.id = i.subscription_id
LEFT JOIN feeds f ON f.id = s.feed_id WHERE i.user_id = :user
ORDER BY i.kind, 3 * (i.starred + i.saved) + i.opened + 5 * (i.more + i.less) DESC, i.id
"""
_CANDIDATES = """
SELECT t.item_no, t.subscription_id, t.published_at, coalesce(t.own_title, a.title) AS title,
  a.author, a.categories, y.story_id AS story,
  coalesce(s.title, nullif(f.title, ''), f.host_key) AS feed_title
FROM (SELECT t.* FROM article_states t
  WHERE t.user_id = :user AND t.unread AND t.hidden_at IS NULL AND NOT t.starred
    AND t.saved_bookmark_id IS NULL {condition}
  ORDER BY t.published_at DESC, t.item_no DESC LIMIT :most) t
JOIN articles a ON a.id = t.article_id JOIN feeds f ON f.id = a.feed_id
JOIN subscriptions s ON s.id = t.subscription_id
LEFT JOIN story_articles y ON y.article_id = a.id
"""
_TELLERS = """SELECT y.story_id, count(DISTINCT t.subscription_id) AS n FROM story_articles y
    JOIN article_states t ON t.article_id = y.article_id AND t.user_id = :user
    WHERE y.story_id = ANY(:stories) GROUP BY y.story_id"""


def learn(user_id: int, item_nos: Sequence[int], sign: Sign, step: int = 1) -> Script[None]:
    """Count a sign for what articles share, or undo it, if the person has opted in."""
    if not item_nos:
        return
    wants = sql("SELECT 1 FROM users WHERE id = :user AND learns", user=user_id)
    if not (yield from exists(wants)):
        return
    # Lock first: a feed that is left in the meantime could not be counted.
    yield lock_users([user_id])
    text = """SELECT t.subscription_id, coalesce(t.own_title, a.title) AS title, a.author,
        a.categories FROM article_states t JOIN articles a ON a.id = t.article_id
        WHERE t.user_id = :user AND t.item_no = ANY(:items)"""
    rows = yield sql(text, user=user_id, items=list(item_nos[:_MOST_AT_ONCE]))
    counts: Counter[Term] = Counter()
    for row in rows:
        topics = read_texts(row["categories"])
        counts.update(terms_of(row["subscription_id"], row["title"], row["author"], topics))
    if step > 0:
        yield from _add(user_id, counts, sign)
        return
    text = f"""UPDATE interests SET {sign} = GREATEST({sign} - :n, 0)
        WHERE user_id = :user AND kind = :kind AND name = :name"""
    told = [
        {"user": user_id, "kind": kind.value, "name": name, "n": n}
        for (kind, name), n in sorted(counts.items())
    ]
    yield Many(text, told)
    yield sql(f"DELETE FROM interests WHERE user_id = :user AND {_COUNTS} = 0", user=user_id)


def _add(user_id: int, counts: Counter[Term], sign: Sign) -> Script[None]:
    now = yield from now_us()
    columns = ("user_id", "kind", "name", "subscription_id", sign, "changed_at")
    rows = [
        (user_id, kind, name, int(name) if kind == "feed" else None, n, now)
        for (kind, name), n in sorted(counts.items())
    ]
    tail = f"""ON CONFLICT (user_id, kind, name) DO UPDATE SET
        {sign} = interests.{sign} + excluded.{sign}, changed_at = excluded.changed_at"""
    yield Insert("interests", columns, rows, tail)
    held = sql("SELECT count(*) FROM interests WHERE user_id = :user", user=user_id)
    if (over := (yield from number(held)) - MOST_INTERESTS) > 0:
        text = f"""DELETE FROM interests WHERE id IN (SELECT id FROM interests WHERE user_id = :user
            ORDER BY {_COUNTS}, changed_at, id LIMIT :over)"""
        yield sql(text, user=user_id, over=over + _SPARE)


class InterestStore(Store):
    @reads(as_user)
    def candidates(self, user_id: int, liked: Sequence[int]) -> Script[list[ArticleToRank]]:
        newest = yield sql(_CANDIDATES.format(condition=""), user=user_id, most=_NEWEST)
        text = _CANDIDATES.format(condition="AND t.subscription_id = ANY(:liked)")
        more = yield sql(text, user=user_id, liked=list(liked), most=_LIKED)
        text = "SELECT story_id FROM story_marks WHERE user_id = :user AND muted_at IS NOT NULL"
        muted = yield sql(text, user=user_id)
        unwanted = {row["story_id"] for row in muted}
        found = {r["item_no"]: r for r in (*newest, *more) if r["story"] not in unwanted}
        stories = sorted({row["story"] for row in found.values() if row["story"]})
        counted = yield sql(_TELLERS, user=user_id, stories=stories)
        tellers = {row["story_id"]: row["n"] for row in counted}
        return [
            value_of(ArticleToRank, row, tellers=tellers.get(row["story"], 1))
            for row in found.values()
        ]

    learn = writes(as_user).of(learn)

    @reads(as_user)
    def interests(self, user_id: int) -> Script[list[Interest]]:
        rows = yield sql(_INTERESTS, user=user_id)
        # By position, for speed: each page has a thousand of them.
        found = (cast("tuple[Any, ...]", row) for row in rows)
        return [Interest(id_, InterestKind(kind), *rest) for id_, kind, *rest in found]

    @writes(as_user)
    def start(self, user_id: int) -> Script[None]:
        """Start learning, beginning with what is starred and saved already."""
        text = "UPDATE users SET learns = true WHERE id = :user AND NOT learns RETURNING id"
        if not (yield from exists(sql(text, user=user_id))):
            return
        text = """SELECT item_no FROM article_states WHERE user_id = :user AND starred
            ORDER BY item_no DESC LIMIT :most"""
        starred = sql(text, user=user_id, most=_MOST_BEFORE)
        text = """SELECT t.item_no FROM bookmarks b JOIN article_states t
            ON t.article_id = b.source_article_id AND t.user_id = b.user_id
            WHERE b.user_id = :user ORDER BY b.id DESC LIMIT :most"""
        saved = sql(text, user=user_id, most=_MOST_BEFORE)
        for sign, found in ((Sign.STARRED, starred), (Sign.SAVED, saved)):
            items = yield from numbers(found)
            for start in range(0, len(items), _MOST_AT_ONCE):
                yield from learn(user_id, items[start : start + _MOST_AT_ONCE], sign)

    @writes(as_user)
    def stop(self, user_id: int) -> Script[None]:
        """Stop learning and delete everything learned."""
        yield update("users", user_id, learns=False)
        yield sql("DELETE FROM interests WHERE user_id = :user", user=user_id)

    @writes(as_user)
    def forget(self, user_id: int, interest_id: int) -> Script[None]:
        text = "DELETE FROM interests WHERE user_id = :user AND id = :id RETURNING id"
        yield from one(sql(text, user=user_id, id=interest_id), "Interest not found")

    @writes(as_user)
    def forget_all(self, user_id: int) -> Script[None]:
        yield sql("DELETE FROM interests WHERE user_id = :user", user=user_id)
