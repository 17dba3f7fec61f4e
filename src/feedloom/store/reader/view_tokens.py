"""Secret addresses of views. Secrets never come in here: callers hash them first."""

import json

from feedloom.model.errors import InvalidInput
from feedloom.model.sync import View, ViewKind, ViewToken
from feedloom.store.engine.decorators import Store, as_user, reads, writes
from feedloom.store.engine.scripts import Row, Scope, Script, SetUser, sql
from feedloom.store.locks import lock_users
from feedloom.store.queries import NOW, exists, first, insert, one
from feedloom.store.reader.folders import own_folder
from feedloom.store.reader.stories import find_story
from feedloom.store.reader.subscription_rows import one_subscription
from feedloom.store.values import read_object, value_of

MOST_TOKENS = 100
"""How many active tokens a person may have."""
_COLUMNS = "id, user_id, label, view, created_at"


def _tokens(user_id: int) -> Script[list[ViewToken]]:
    rows = yield sql(
        f"SELECT {_COLUMNS} FROM view_tokens WHERE user_id = :user"
        " AND revoked_at IS NULL ORDER BY id",
        user=user_id,
    )
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
        yield from lock_users([user_id])
        living = yield from _tokens(user_id)
        if len(living) >= MOST_TOKENS:
            raise InvalidInput(f"You can have at most {MOST_TOKENS} of these.")
        [row] = yield insert(
            "view_tokens",
            f"RETURNING {_COLUMNS}",
            token_hash=token_hash,
            user_id=user_id,
            label=label,
            view=json.dumps(view.as_mapping()),
            created_at=NOW,
        )
        return _token(row)

    tokens = reads(as_user).of(_tokens)

    @writes(as_user)
    def revoke(self, user_id: int, token_id: int) -> Script[None]:
        revoked = sql(
            "UPDATE view_tokens SET revoked_at = now_us() WHERE id = :id"
            " AND user_id = :user AND revoked_at IS NULL RETURNING id",
            id=token_id,
            user=user_id,
        )
        yield from one(revoked, "Shared view not found.")

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
    return value_of(ViewToken, row, view=_view(row["view"]))


def _view(text: str) -> View:
    """Read a view; one that cannot be read holds nothing."""
    told = read_object(text) or {}
    if told.get("kind") not in list(ViewKind):
        return View(ViewKind.FEED, 0)
    return View(ViewKind(told["kind"]), told.get("id"), told.get("text", ""))
