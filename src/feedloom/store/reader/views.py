"""Saved searches, and secret addresses of views, whose secrets callers hash first."""

import json

from feedloom.model.errors import Conflict, InvalidInput, NotFound
from feedloom.model.reader import SavedSearch, Wanted
from feedloom.model.sync import View, ViewKind, ViewToken
from feedloom.store.engine.decorators import Store, as_user, reads, writes
from feedloom.store.engine.scripts import Row, Scope, Script, SetUser, sql
from feedloom.store.locks import lock_users
from feedloom.store.queries import NOW, exists, first, insert, one, update, values
from feedloom.store.reader.article_lists import list_item_nos
from feedloom.store.reader.folders import own_folder
from feedloom.store.reader.stories import find_story
from feedloom.store.reader.subscription_rows import one_subscription
from feedloom.store.values import read_object, value_of

MOST_SEARCHES = 50
"""Per person."""
LONGEST_NAME, LONGEST_QUERY = 255, 300


def list_searches(user_id: int) -> Script[list[SavedSearch]]:
    query = sql("SELECT id, name, query FROM saved_searches WHERE user_id = :user", user=user_id)
    return sorted((yield from values(SavedSearch, query)), key=lambda s: s.name.casefold())


def _one(user_id: int, search_id: int) -> Script[SavedSearch]:
    for search in (yield from list_searches(user_id)):
        if search.id == search_id:
            return search
    raise NotFound("Search not found")


def _checked_query(query: str) -> str:
    query = " ".join(query.split())
    if not query or len(query) > LONGEST_QUERY:
        raise InvalidInput("Type what to search for.", field="query")
    return query


def _checked(user_id: int, name: str, but: int = 0) -> Script[str]:
    name = " ".join(name.split())
    if not name or len(name) > LONGEST_NAME:
        raise InvalidInput("A search needs a name of up to 255 characters.", field="name")
    yield lock_users([user_id])
    found = yield from list_searches(user_id)
    if any(search.name == name and search.id != but for search in found):
        raise Conflict("A saved search with this name already exists.")
    if not but and len(found) >= MOST_SEARCHES:
        raise InvalidInput(f"You can save up to {MOST_SEARCHES} searches.", field="name")
    return name


class SavedSearchStore(Store):
    searches = reads(as_user).of(list_searches)
    search = reads(as_user).of(_one)

    @writes(as_user)
    def save(self, user_id: int, name: str, query: str) -> Script[SavedSearch]:
        query = _checked_query(query)
        name = yield from _checked(user_id, name)
        new = {"user_id": user_id, "name": name, "query": query, "created_at": NOW}
        [row] = yield insert("saved_searches", "RETURNING id, name, query", **new)
        return value_of(SavedSearch, row)

    @writes(as_user)
    def change(
        self, user_id: int, search_id: int, *, name: str, query: str | None = None
    ) -> Script[SavedSearch]:
        """Rename a search, and change its query if one is given."""
        old = yield from _one(user_id, search_id)
        query = old.query if query is None else _checked_query(query)
        name = yield from _checked(user_id, name, search_id)
        yield update("saved_searches", search_id, name=name, query=query)
        return (yield from _one(user_id, search_id))

    @writes(as_user)
    def delete(self, user_id: int, search_id: int) -> Script[None]:
        yield from _one(user_id, search_id)
        yield sql("DELETE FROM saved_searches WHERE id = :id", id=search_id)

    @reads(as_user)
    def unread(self, user_id: int) -> Script[dict[int, int]]:
        """Count the unread articles of each search, by its id, up to 999."""
        counts = {}
        for search in (yield from list_searches(user_id)):
            wanted = Wanted(text=search.query, unread=True, limit=999)
            counts[search.id] = len((yield from list_item_nos(user_id, wanted)))
        return counts


MOST_TOKENS = 100
"""How many active tokens a person may have."""
_COLUMNS = "id, user_id, label, view, created_at"


def _tokens(user_id: int) -> Script[list[ViewToken]]:
    text = f"SELECT {_COLUMNS} FROM view_tokens WHERE user_id = :user AND revoked_at IS NULL"
    rows = yield sql(f"{text} ORDER BY id", user=user_id)
    return [_token(row) for row in rows]


class ViewTokenStore(Store):
    @writes(as_user)
    def create(self, user_id: int, *, token_hash: str, label: str, view: View) -> Script[ViewToken]:
        """Store a token; raise ``NotFound`` for another person's folder, feed or story."""
        if view.kind is ViewKind.FOLDER:
            yield from own_folder(user_id, view.id)
        if view.kind is ViewKind.FEED:
            yield from one_subscription(user_id, view.id or 0)
        if view.kind is ViewKind.STORY:
            yield from find_story(user_id, view.id or 0)
        yield lock_users([user_id])
        if len((yield from _tokens(user_id))) >= MOST_TOKENS:
            raise InvalidInput(f"You can have at most {MOST_TOKENS} of these.")
        told = json.dumps(view.as_mapping())
        new = {"token_hash": token_hash, "user_id": user_id, "label": label, "view": told}
        [row] = yield insert("view_tokens", f"RETURNING {_COLUMNS}", created_at=NOW, **new)
        return _token(row)

    tokens = reads(as_user).of(_tokens)

    @writes(as_user)
    def revoke(self, user_id: int, token_id: int) -> Script[None]:
        text = """UPDATE view_tokens SET revoked_at = now_us() WHERE id = :id
            AND user_id = :user AND revoked_at IS NULL RETURNING id"""
        yield from one(sql(text, id=token_id, user=user_id), "Shared view not found.")

    @reads(lambda token_hash: Scope(credential=token_hash))
    def by_hash(self, token_hash: str) -> Script[ViewToken | None]:
        text = f"SELECT {_COLUMNS} FROM view_tokens WHERE token_hash = :hash AND revoked_at IS NULL"
        row = yield from first(sql(text, hash=token_hash))
        if row is None:
            return None
        yield SetUser(row["user_id"])
        living = "SELECT id FROM users WHERE id = :id AND disabled_at IS NULL"
        return _token(row) if (yield from exists(sql(living, id=row["user_id"]))) else None


def _token(row: Row) -> ViewToken:
    """Read a token; a view that cannot be read holds nothing."""
    told = read_object(row["view"]) or {}
    view = View(ViewKind.FEED, 0)
    if told.get("kind") in list(ViewKind):
        view = View(ViewKind(told["kind"]), told.get("id"), told.get("text", ""))
    return value_of(ViewToken, row, view=view)
