"""Bookmarks: pages that people save, by hand or from an article, once per address.

Their folded words are one column with a space on both sides, which both engines compare alike.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime

from feedloom.model.bookmarks import (
    ARCHIVE,
    INBOX,
    BookmarkPage,
    BookmarkSort,
    Enriched,
    Kept,
    NewBookmark,
    WantedBookmarks,
)
from feedloom.model.distilled.documents import ImportedPage
from feedloom.model.errors import BadAddress, Conflict, InvalidInput, NotFound
from feedloom.model.interests import Sign
from feedloom.model.reader import Bookmark
from feedloom.model.search_query import Term, read_search, whole_words
from feedloom.model.urls import normalise, url_key
from feedloom.model.work import NewTask, TaskKind
from feedloom.store.engine.decorators import Store, as_user, reads, writes
from feedloom.store.engine.scripts import WORKER, Insert, Script, sql
from feedloom.store.queries import (
    NOW,
    exists,
    first,
    insert,
    like_pattern,
    now_us,
    number,
    numbers,
    one,
    update,
    value,
)
from feedloom.store.queues.task_queue import add_task
from feedloom.store.reader.article_states import one_article
from feedloom.store.reader.interests import learn
from feedloom.store.values import maybe_us, read_texts, to_us, value_of

_WORDS_OF_PAGE = 20_000
"""Only this much of a page's text is searched."""


def searchable(*texts: str) -> str:
    return f" {' '.join(whole_words(' '.join(texts)))} "


def write_words(bookmark_id: int) -> Script[None]:
    text = "SELECT title, url, description, summary, tags, content FROM bookmarks WHERE id = :id"
    rows = yield sql(text, id=bookmark_id)
    for row in rows:
        texts = (row[name] for name in ("title", "url", "description", "summary"))
        words = searchable(*texts, *read_texts(row["tags"]), row["content"][:_WORDS_OF_PAGE])
        yield sql("UPDATE bookmarks SET words = :words WHERE id = :id", words=words, id=bookmark_id)


def words_condition(text: str) -> tuple[str, dict[str, object]]:
    """Turn a search into a condition; the last word of a term may be a prefix."""
    texts: list[str] = []
    params: dict[str, object] = {}
    query = read_search(text)
    tag = whole_words(query.tag or "")
    if query.tag and not tag:
        return "1 = 0", {}
    tagged = (Term(tag),) if tag else ()
    for place, term in enumerate((*query.terms, *tagged)):
        name = f"term{place}"
        texts.append(rf"words {'NOT ' if term.negated else ''}LIKE :{name} ESCAPE '\'")
        end = " " if term.negated and not term.goes_on else ""
        params[name] = like_pattern(term.text or f" {' '.join(term.words)}{end}")
    # A search without a single word finds nothing rather than everything.
    return " AND ".join(texts) or "1 = 0", params


_COLUMNS = """id, url, title, description, summary, tags, state, pinned, source_article_id,
    enrich_status, enrich_error, added_at, archived_at, updated_at"""
_SORTED = {
    BookmarkSort.ADDED: "added_at",
    BookmarkSort.CHANGED: "updated_at",
    # Engines sort NULL differently.
    BookmarkSort.ARCHIVED: "COALESCE(archived_at, 0)",
}
_CHANGEABLE = ("title", "description", "state", "pinned")
_BATCH = 500


def _one(user_id: int, bookmark_id: int) -> Script[Bookmark]:
    text = f"SELECT {_COLUMNS}, content FROM bookmarks WHERE id = :id AND user_id = :user"
    row = yield from one(sql(text, id=bookmark_id, user=user_id), "Bookmark not found")
    return value_of(Bookmark, row)


def _add(user_id: int, new: NewBookmark, source_article_id: int | None = None) -> Script[Kept]:
    """Add a bookmark and queue its enrichment; raise ``BadAddress`` for a bad address."""
    url = normalise(new.url)
    added = insert(
        "bookmarks",
        "ON CONFLICT (user_id, url_key) DO NOTHING RETURNING id",
        user_id=user_id,
        url=url,
        url_key=url_key(url),
        title=new.title,
        description=new.description,
        tags=json.dumps(list(new.tags)),
        state=new.state,
        source_article_id=source_article_id,
        enrich_status="pending",
        added_at=NOW,
        archived_at=NOW if new.state == ARCHIVE else None,
        updated_at=NOW,
    )
    row = yield from first(added)
    if row:
        yield from _queue(user_id, row["id"])
        yield from write_words(row["id"])
        return Kept((yield from _one(user_id, row["id"])), is_new=True)
    text = "SELECT id FROM bookmarks WHERE user_id = :user AND url_key = :key"
    bookmark_id = yield from number(sql(text, user=user_id, key=url_key(url)))
    return Kept((yield from _one(user_id, bookmark_id)), is_new=False)


def _queue(user_id: int, bookmark_id: int) -> Script[None]:
    key = f"enrich:{bookmark_id}"
    yield from add_task(NewTask(TaskKind.ENRICH, {"bookmark_id": bookmark_id}, key, user_id))


class BookmarkStore(Store):
    @writes(as_user)
    def save_article(
        self, user_id: int, subscription_id: int, item_no: int, done_at: datetime | None = None
    ) -> Script[Kept]:
        """Save an article; raise ``Conflict`` if its bookmark was deleted after ``done_at``."""
        article = yield from one_article(user_id, item_no)
        if article.subscription_id != subscription_id or article.hidden:
            raise NotFound("Article not found")
        if done_at is not None:
            text = """SELECT 1 FROM article_states WHERE user_id = :user AND item_no = :item
                AND unsaved_at >= :at"""
            if (yield from exists(sql(text, user=user_id, item=item_no, at=to_us(done_at)))):
                raise Conflict("This bookmark was deleted in the meantime.")
        new = NewBookmark(article.url, article.title, article.summary, state=ARCHIVE)
        kept = yield from _add(user_id, new, source_article_id=article.article_id)
        text = """UPDATE article_states SET saved_bookmark_id = :bookmark,
            last_modified = GREATEST(now_us(), last_modified + 1)
            WHERE user_id = :user AND article_id = :article
            AND saved_bookmark_id IS DISTINCT FROM :bookmark RETURNING item_no"""
        newly = sql(text, bookmark=kept.bookmark.id, user=user_id, article=article.article_id)
        yield from learn(user_id, (yield from numbers(newly)), Sign.SAVED)
        return kept

    add = writes(as_user).of(_add)

    async def add_many(self, user_id: int, pages: Sequence[ImportedPage]) -> int:
        added = 0
        for start in range(0, len(pages), _BATCH):
            added += await self._add_some(user_id, pages[start : start + _BATCH])
        return added

    @writes(as_user)
    def _add_some(self, user_id: int, pages: Sequence[ImportedPage]) -> Script[int]:
        now = yield from now_us()
        rows = [row for page in pages if (row := _imported(user_id, page, now))]
        if not rows:
            return 0
        tail = "ON CONFLICT (user_id, url_key) DO NOTHING RETURNING id"
        added = [tuple(row.values()) for row in rows]
        return len((yield Insert("bookmarks", tuple(rows[0]), added, tail)))

    @reads(as_user)
    def bookmarks(self, user_id: int, wanted: WantedBookmarks) -> Script[BookmarkPage]:
        """List bookmarks; the texts of their pages only if they are wanted."""
        conditions, params = _conditions(wanted)
        content = ", content" if wanted.with_content else ""
        way = "ASC" if wanted.ascending else "DESC"
        text = f"""SELECT {_COLUMNS}{content} FROM bookmarks WHERE user_id = :user{conditions}
            ORDER BY {_SORTED[wanted.sort]} {way}, id {way} LIMIT :limit OFFSET :skip"""
        rows = yield sql(text, user=user_id, limit=wanted.limit + 1, skip=wanted.skip, **params)
        found = tuple(value_of(Bookmark, row) for row in rows[: wanted.limit])
        if len(rows) <= wanted.limit:
            return BookmarkPage(found)
        return BookmarkPage(found, f"{to_us(found[-1].added_at)}-{found[-1].id}")

    @reads(as_user)
    def count(self, user_id: int, wanted: WantedBookmarks) -> Script[int]:
        conditions, params = _conditions(wanted)
        text = f"SELECT count(*) FROM bookmarks WHERE user_id = :user{conditions}"
        return (yield from number(sql(text, user=user_id, **params)))

    @reads(as_user)
    def addresses(self, user_id: int) -> Script[list[tuple[int, str, str]]]:
        """List id, address and normalised address of all bookmarks."""
        text = "SELECT id, url, url_key FROM bookmarks WHERE user_id = :user"
        rows = yield sql(text, user=user_id)
        return [(row["id"], row["url"], row["url_key"]) for row in rows]

    @reads(as_user)
    def tags(self, user_id: int) -> Script[list[tuple[str, int]]]:
        text = "SELECT tags FROM bookmarks WHERE user_id = :user AND CAST(tags AS TEXT) <> '[]'"
        rows = yield sql(text, user=user_id)
        counts = Counter(name for row in rows for name in read_texts(row["tags"]))
        return sorted(counts.items(), key=lambda pair: (pair[0].casefold(), pair[0]))

    bookmark = reads(as_user).of(_one)

    @writes(as_user)
    def change(
        self, user_id: int, bookmark_id: int, changes: Mapping[str, object]
    ) -> Script[Bookmark]:
        before = yield from _one(user_id, bookmark_id)
        values = {name: changes[name] for name in _CHANGEABLE if name in changes}
        if "tags" in changes:
            values["tags"] = json.dumps(changes["tags"])
        if "state" in values and values["state"] != before.state:
            values["archived_at"] = NOW if values["state"] == ARCHIVE else None
        if values:
            yield update("bookmarks", bookmark_id, updated_at=NOW, **values)
            yield from write_words(bookmark_id)
        return (yield from _one(user_id, bookmark_id))

    @writes(as_user)
    def delete(self, user_id: int, bookmark_id: int) -> Script[None]:
        """Delete a bookmark; the article it came from stays."""
        text = """UPDATE article_states SET unsaved_at = now_us()
            WHERE saved_bookmark_id = :id AND user_id = :user RETURNING item_no"""
        saved = sql(text, id=bookmark_id, user=user_id)
        yield from learn(user_id, (yield from numbers(saved)), Sign.SAVED, -1)
        text = "DELETE FROM bookmarks WHERE id = :id AND user_id = :user RETURNING id"
        yield from one(sql(text, id=bookmark_id, user=user_id), "Bookmark not found")

    @writes(as_user)
    def retry(self, user_id: int, bookmark_id: int) -> Script[Bookmark]:
        yield from _one(user_id, bookmark_id)
        text = """UPDATE bookmarks SET enrich_status = 'pending', enrich_error = NULL
            WHERE id = :id AND enrich_status <> 'running'"""
        yield sql(text, id=bookmark_id)
        yield from _queue(user_id, bookmark_id)
        return (yield from _one(user_id, bookmark_id))

    @writes(WORKER)
    def start_enriching(self, bookmark_id: int) -> Script[Bookmark | None]:
        text = f"""UPDATE bookmarks SET enrich_status = 'running' WHERE id = :id
            RETURNING {_COLUMNS}, content"""
        return (yield from value(Bookmark, sql(text, id=bookmark_id)))

    @writes(WORKER)
    def finish_enriching(self, bookmark_id: int, found: Enriched) -> Script[None]:
        """Store what was found; what the owner wrote stays."""
        row = yield from first(sql("SELECT tags FROM bookmarks WHERE id = :id", id=bookmark_id))
        if row is None:
            return
        own = read_texts(row["tags"])
        text = """UPDATE bookmarks SET title = CASE WHEN title = '' THEN :title ELSE title END,
            description = CASE WHEN description = '' THEN :description ELSE description END,
            content = :content, summary = :summary, tags = :tags, enrich_status = 'done',
            enrich_error = :problem, updated_at = now_us() WHERE id = :id"""
        names = ("problem", "title", "description", "content", "summary")
        told = {name: getattr(found, name) for name in names}
        tags = json.dumps([*own, *(tag for tag in found.tags if tag not in own)])
        yield sql(text, id=bookmark_id, tags=tags, **told)
        yield from write_words(bookmark_id)

    @writes(WORKER)
    def fail_enriching(self, bookmark_id: int, error: str) -> Script[None]:
        failed = {"enrich_status": "failed", "enrich_error": error, "updated_at": NOW}
        yield update("bookmarks", bookmark_id, **failed)


def _imported(user_id: int, page: ImportedPage, now: int) -> dict[str, object] | None:
    try:
        url = normalise(page.url)
    except BadAddress:
        return None
    added_at = min(maybe_us(page.added_at) or now, now)
    return {
        "user_id": user_id,
        "url": url,
        "url_key": url_key(url),
        "title": page.title,
        "description": page.description,
        "tags": json.dumps(list(page.tags)),
        "state": INBOX if page.to_read else ARCHIVE,
        "words": searchable(page.title, url, page.description, *page.tags),
        "enrich_status": "done",
        "added_at": added_at,
        "archived_at": None if page.to_read else added_at,
        "updated_at": now,
    }


def _conditions(wanted: WantedBookmarks) -> tuple[str, dict[str, object]]:
    texts: list[str] = []
    params: dict[str, object] = {}
    if wanted.state is not None:
        texts.append("state = :state")
        params["state"] = wanted.state
    if wanted.pinned is not None:
        texts.append("pinned" if wanted.pinned else "NOT pinned")
    for place, tag in enumerate(wanted.tags):
        # Tags are stored as JSON text: the quoted form matches whole tags only.
        texts.append(rf"lower(CAST(tags AS TEXT)) LIKE lower(:tag{place}) ESCAPE '\'")
        params[f"tag{place}"] = like_pattern(json.dumps(tag))
    if wanted.changed_since is not None:
        texts.append("updated_at > :since")
        params["since"] = to_us(wanted.changed_since)
    if wanted.text:
        matching, patterns = words_condition(wanted.text)
        texts.append(matching)
        params |= patterns
    if wanted.cursor is not None:
        at, _, last = wanted.cursor.partition("-")
        is_read = at.isdecimal() and last.isdecimal() and len(wanted.cursor) < 28  # noqa: PLR2004 - two numbers
        if not is_read or int(at) > 2**62 or int(last) > 2**31 - 1:
            raise InvalidInput("This page link is no longer valid.", field="cursor")
        texts.append("(added_at, id) < (:cursor_at, :cursor_id)")
        params |= {"cursor_at": int(at), "cursor_id": int(last)}
    return "".join(f" AND {text}" for text in texts), params
