"""Saved searches: their names, and the unread articles of each."""

from feedloom.model.errors import Conflict, InvalidInput, NotFound
from feedloom.model.reader import SavedSearch, Wanted
from feedloom.store.engine.decorators import Store, as_user, reads, writes
from feedloom.store.engine.scripts import Script, sql
from feedloom.store.locks import lock_users
from feedloom.store.queries import NOW, insert, update, values
from feedloom.store.reader.article_lists import list_item_nos
from feedloom.store.values import value_of

MOST_SEARCHES = 50
"""Per person."""
MOST_COUNTED = 999
"""Unread articles are counted up to this number."""
LONGEST_NAME, LONGEST_QUERY = 255, 300


def list_searches(user_id: int) -> Script[list[SavedSearch]]:
    query = sql("SELECT id, name, query FROM saved_searches WHERE user_id = :user", user=user_id)
    return sorted((yield from values(SavedSearch, query)), key=lambda s: s.name.casefold())


def _one(user_id: int, search_id: int) -> Script[SavedSearch]:
    found = yield from list_searches(user_id)
    for search in found:
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
    yield from lock_users([user_id])
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
        """Count the unread articles of each search, by its id."""
        found = yield from list_searches(user_id)
        counts = {}
        for search in found:
            wanted = Wanted(text=search.query, unread=True, limit=MOST_COUNTED)
            counts[search.id] = len((yield from list_item_nos(user_id, wanted)))
        return counts
