"""Secret addresses of views. Secrets never come in here: callers hash them first."""

import json

from feedloom.model.errors import InvalidInput, NotFound
from feedloom.model.syncing import View, ViewKind, ViewToken
from feedloom.store.engine.steps import Become, Database, Row, Scope, Steps, sql
from feedloom.store.ingest.arrivals import take_turn
from feedloom.store.reading.folders import own_folder
from feedloom.store.reading.subscription_rows import one_subscription
from feedloom.store.times import from_us

MOST_TOKENS = 100
"""How many living tokens a person may have."""
_COLUMNS = "id, user_id, label, view, created_at"


class ViewTokenStore:
    """View tokens as rows. Implements the port of the same name."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(
        self, user_id: int, *, token_hash: str, label: str, view: View
    ) -> ViewToken:
        """Store a token; ``NotFound`` for another person's folder or feed."""
        return await self._database.write(
            Scope(user_id=user_id), _create, user_id, token_hash, label=label, view=view
        )

    async def tokens(self, user_id: int) -> list[ViewToken]:
        """List a person's living tokens."""
        return await self._database.read(Scope(user_id=user_id), _tokens, user_id)

    async def revoke(self, user_id: int, token_id: int) -> None:
        """End a token."""
        await self._database.write(Scope(user_id=user_id), _revoke, user_id, token_id)

    async def by_hash(self, token_hash: str) -> ViewToken | None:
        """Find a living token whose person is not locked out."""
        return await self._database.read(
            Scope(credential=token_hash), _by_hash, token_hash
        )


def _create(
    user_id: int, token_hash: str, *, label: str, view: View
) -> Steps[ViewToken]:
    if view.kind is ViewKind.FOLDER:
        yield from own_folder(user_id, view.id)
    if view.kind is ViewKind.FEED:
        yield from one_subscription(user_id, view.id or 0)
    yield from take_turn([user_id])
    living = yield from _tokens(user_id)
    if len(living) >= MOST_TOKENS:
        raise InvalidInput(f"There may be at most {MOST_TOKENS} of these.")
    rows = yield sql(
        "INSERT INTO view_tokens (token_hash, user_id, label, view, created_at)"
        f" VALUES (:hash, :user, :label, :view, now_us()) RETURNING {_COLUMNS}",
        hash=token_hash,
        user=user_id,
        label=label,
        view=json.dumps(view.as_mapping()),
    )
    return _token(rows[0])


def _tokens(user_id: int) -> Steps[list[ViewToken]]:
    rows = yield sql(
        f"SELECT {_COLUMNS} FROM view_tokens WHERE user_id = :user"
        " AND revoked_at IS NULL ORDER BY id",
        user=user_id,
    )
    return [_token(row) for row in rows]


def _revoke(user_id: int, token_id: int) -> Steps[None]:
    rows = yield sql(
        "UPDATE view_tokens SET revoked_at = now_us() WHERE id = :id"
        " AND user_id = :user AND revoked_at IS NULL RETURNING id",
        id=token_id,
        user=user_id,
    )
    if not rows:
        raise NotFound("There is no such feed address.")


def _by_hash(token_hash: str) -> Steps[ViewToken | None]:
    rows = yield sql(
        f"SELECT {_COLUMNS} FROM view_tokens WHERE token_hash = :hash"
        " AND revoked_at IS NULL",
        hash=token_hash,
    )
    if not rows:
        return None
    yield Become(rows[0]["user_id"])
    living = yield sql(
        "SELECT id FROM users WHERE id = :id AND disabled_at IS NULL",
        id=rows[0]["user_id"],
    )
    return _token(rows[0]) if living else None


def _token(row: Row) -> ViewToken:
    view = json.loads(row["view"])
    return ViewToken(
        id=row["id"],
        user_id=row["user_id"],
        label=row["label"],
        view=View(ViewKind(view["kind"]), view["id"], view["text"]),
        created_at=from_us(row["created_at"]),
    )
