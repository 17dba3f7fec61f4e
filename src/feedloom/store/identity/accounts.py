"""People and their credentials: accounts, sessions, app passwords, throttling.

Secrets never come in here: callers hash them first. What belongs to somebody unknown
yet is found by its hash, then the transaction goes on as that person.
"""

import json
from collections.abc import Mapping
from datetime import datetime

from feedloom.model.errors import Conflict, NotAllowed, NotFound
from feedloom.model.reading import (
    AppPassword,
    EndedAccess,
    LinkedIdentity,
    Role,
    Session,
    User,
)
from feedloom.store.engine.steps import Become, Database, Scope, Steps, sql
from feedloom.store.identity import credentials, throttling
from feedloom.store.identity.people import USER_COLUMNS, find_person, read_user
from feedloom.store.times import to_us


class AccountStore:
    """Accounts as rows. Implements the port of the same name."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(
        self,
        email: str,
        password_hash: str | None,
        *,
        role: Role | None = None,
        accepted_at: datetime | None = None,
        only_first: bool = False,
    ) -> User:
        """Add a person; the very first becomes operator. ``Conflict`` when taken.

        With ``only_first`` anybody but the very first is ``NotAllowed``.
        """
        email = email.strip().casefold()
        return await self._database.write(
            Scope(credential=email),
            _create,
            email,
            password_hash,
            role=role,
            accepted_at=accepted_at,
            only_first=only_first,
        )

    async def has_any(self) -> bool:
        """Tell whether the first account was made."""
        return await self._database.read(Scope(), _has_any)

    async def by_email(self, email: str) -> tuple[User, str | None] | None:
        """Find a person and the password's hash."""
        email = email.strip().casefold()
        if "\x00" in email:
            return None  # No address has one, and PostgreSQL would not even compare it.
        return await self._database.read(Scope(credential=email), _by_email, email)

    async def by_id(self, user_id: int) -> User | None:
        """Find a person."""
        return await self._database.read(Scope(user_id=user_id), find_person, user_id)

    async def people(self) -> list[User]:
        """List everybody, for operators."""
        return await self._database.read(Scope(operator=True), _people)

    async def set_password(
        self,
        user_id: int,
        password_hash: str,
        *,
        keep_programs: bool = False,
        mark: str | None = None,
    ) -> EndedAccess:
        """Change a password; every session ends, other access unless it is kept."""
        return await self._database.write(
            Scope(user_id=user_id),
            _set_password,
            user_id,
            password_hash,
            keep_programs=keep_programs,
            mark=mark,
        )

    async def set_role(self, user_id: int, role: Role) -> None:
        """Change what a person may do; their sessions end."""
        await self._database.write(Scope(operator=True), _set_role, user_id, role)

    async def set_disabled(self, user_id: int, *, disabled: bool) -> None:
        """Lock a person out of every door, or let them in again."""
        await self._database.write(
            Scope(user_id=user_id, operator=True), _set_disabled, user_id, disabled
        )

    async def save_settings(self, user_id: int, settings: Mapping[str, object]) -> None:
        """Replace a person's settings."""
        await self._database.write(
            Scope(user_id=user_id), _save_settings, user_id, settings
        )

    async def delete(self, user_id: int) -> None:
        """Delete a person and all that is theirs."""
        await self._database.write(
            Scope(user_id=user_id, operator=True), _delete, user_id
        )

    async def start_session(
        self, session: Session, *, rotated_from: str | None
    ) -> None:
        """Store a new session; the one it replaces ends."""
        scope = Scope(user_id=session.user.id)
        await self._database.write(
            scope, credentials.start_session, session, rotated_from
        )

    async def session(self, token_hash: str) -> Session | None:
        """Find the session of a token, with its person, even if its time is over."""
        scope = Scope(credential=token_hash)
        return await self._database.glance(scope, credentials.find_session, token_hash)

    async def touch_session(
        self, session: Session, *, seen_at: datetime, expires_at: datetime
    ) -> None:
        """Note that a session is in use and move its end on."""
        scope = Scope(user_id=session.user.id)
        await self._database.write(
            scope,
            credentials.touch_session,
            session.token_hash,
            to_us(seen_at),
            to_us(expires_at),
        )

    async def sessions(self, user_id: int) -> list[Session]:
        """List a person's living sessions, newest first."""
        return await self._database.read(
            Scope(user_id=user_id), credentials.list_sessions, user_id
        )

    async def end_session(self, user_id: int, token_hash: str) -> None:
        """End one session."""
        await self._database.write(
            Scope(user_id=user_id), credentials.end_session, user_id, token_hash
        )

    async def end_sessions(self, user_id: int, *, keep: str | None = None) -> None:
        """End all of a person's sessions but one."""
        await self._database.write(
            Scope(user_id=user_id), credentials.end_sessions, user_id, keep
        )

    async def add_app_password(
        self, user_id: int, *, label: str, secret_hash: str, fever_hash: str, scope: str
    ) -> AppPassword:
        """Store a program's password by its hashes."""
        return await self._database.write(
            Scope(user_id=user_id),
            credentials.add_app_password,
            user_id,
            label=label,
            secret_hash=secret_hash,
            fever_hash=fever_hash,
            access=scope,
        )

    async def app_passwords(self, user_id: int) -> list[AppPassword]:
        """List a person's living app passwords."""
        return await self._database.read(
            Scope(user_id=user_id), credentials.list_app_passwords, user_id
        )

    async def revoke_app_password(self, user_id: int, password_id: int) -> None:
        """End an app password and every token made with it."""
        await self._database.write(
            Scope(user_id=user_id),
            credentials.revoke_app_password,
            user_id,
            password_id,
        )

    async def by_secret(self, secret_hash: str) -> tuple[User, AppPassword] | None:
        """Find the person of an app password, Fever key or client token by its hash."""
        return await self._database.glance(
            Scope(credential=secret_hash), credentials.find_by_secret, secret_hash
        )

    async def touch_app_password(self, user_id: int, password_id: int) -> None:
        """Note that an app password is in use."""
        await self._database.write(
            Scope(user_id=user_id), credentials.touch_app_password, password_id
        )

    async def add_client_token(
        self, user_id: int, password_id: int, token_hash: str
    ) -> None:
        """Store a token that lives as long as the app password behind it."""
        await self._database.write(
            Scope(user_id=user_id),
            credentials.add_client_token,
            user_id,
            password_id,
            token_hash,
        )

    async def by_identity(self, provider: str, subject: str) -> User | None:
        """Find the person an outside provider vouches for."""
        scope = Scope(credential=f"{provider} {subject}")
        return await self._database.read(
            scope, credentials.find_by_identity, provider, subject
        )

    async def link_identity(self, user_id: int, provider: str, subject: str) -> None:
        """Remember that a provider's subject is this person."""
        await self._database.write(
            Scope(user_id=user_id),
            credentials.link_identity,
            user_id,
            provider,
            subject,
        )

    async def identities(self, user_id: int) -> list[LinkedIdentity]:
        """List whom providers take a person for, oldest first."""
        return await self._database.read(
            Scope(user_id=user_id), credentials.list_identities, user_id
        )

    async def unlink_identity(self, user_id: int, key: str) -> None:
        """Forget an identity; ``Conflict`` when it is the person's last way in."""
        await self._database.write(
            Scope(user_id=user_id), credentials.unlink_identity, user_id, key
        )

    async def record_event(
        self, user_id: int, event_type: str, metadata: Mapping[str, object]
    ) -> None:
        """Write an event of a person's."""
        await self._database.write(
            Scope(user_id=user_id), record_event, user_id, event_type, metadata
        )

    async def blocked_until(self, bucket: str) -> datetime | None:
        """Tell until when a throttled bucket is blocked."""
        return await self._database.read(Scope(), throttling.blocked_until, bucket)

    async def note_failure(
        self, bucket: str, *, free: int, window_s: int, block_s: int
    ) -> None:
        """Count a failed try; past ``free`` tries block for growing times."""
        await self._database.write(
            Scope(),
            throttling.note_failure,
            bucket,
            free=free,
            window_s=window_s,
            block_s=block_s,
        )

    async def forget_failures(self, bucket: str) -> None:
        """Start counting anew after a success."""
        await self._database.write(Scope(), throttling.forget_failures, bucket)


def _create(
    email: str,
    password_hash: str | None,
    *,
    role: Role | None,
    accepted_at: datetime | None,
    only_first: bool,
) -> Steps[User]:
    taken = yield sql("SELECT id FROM users WHERE email = :email", email=email)
    if taken:
        raise Conflict("User already registered")
    first = yield sql(
        "INSERT INTO installation (key, value) VALUES ('first_account', :email)"
        " ON CONFLICT DO NOTHING RETURNING key",
        email=email,
    )
    if only_first and not first:
        raise NotAllowed("Registration is closed.")
    chosen = role or (Role.OPERATOR if first else Role.READER)
    # The row is found again by its email, which is the transaction's credential.
    rows = yield sql(
        "INSERT INTO users (email, password_hash, role, privacy_accepted_at, created_at)"
        " VALUES (:email, :hash, :role, :accepted, now_us())"
        " ON CONFLICT (email) DO NOTHING RETURNING id",
        email=email,
        hash=password_hash,
        role=chosen.value,
        accepted=None if accepted_at is None else to_us(accepted_at),
    )
    if not rows:
        raise Conflict("User already registered")
    user_id: int = rows[0]["id"]
    yield Become(user_id)
    yield sql(
        "INSERT INTO folders (user_id, name, is_root) VALUES (:user, '', true)",
        user=user_id,
    )
    yield from record_event(user_id, "user_registered", {})
    found = yield sql(f"SELECT {USER_COLUMNS} FROM users WHERE id = :id", id=user_id)
    return read_user(found[0])


def _has_any() -> Steps[bool]:
    rows = yield sql("SELECT 1 AS x FROM installation WHERE key = 'first_account'")
    return bool(rows)


def _by_email(email: str) -> Steps[tuple[User, str | None] | None]:
    rows = yield sql(
        f"SELECT {USER_COLUMNS} FROM users WHERE email = :email", email=email
    )
    return (read_user(rows[0]), rows[0]["password_hash"]) if rows else None


def _people() -> Steps[list[User]]:
    rows = yield sql(f"SELECT {USER_COLUMNS} FROM users ORDER BY id")
    return [read_user(row) for row in rows]


def _set_password(
    user_id: int, password_hash: str, *, keep_programs: bool, mark: str | None
) -> Steps[EndedAccess]:
    if mark is not None:
        yield from credentials.require_unchanged(user_id, mark)
    yield sql(
        "UPDATE users SET password_hash = :hash WHERE id = :id",
        hash=password_hash,
        id=user_id,
    )
    yield from credentials.end_sessions(user_id, None)
    if keep_programs:
        return EndedAccess()
    ended = yield from credentials.end_programs(user_id)
    return ended


def _set_role(user_id: int, role: Role) -> Steps[None]:
    if role is not Role.OPERATOR:
        yield from _keep_an_operator(user_id)
    rows = yield sql(
        "UPDATE users SET role = :role WHERE id = :id RETURNING id",
        role=role.value,
        id=user_id,
    )
    if not rows:
        raise NotFound("There is no such person.")
    yield from credentials.end_sessions(user_id, None)


def _set_disabled(user_id: int, disabled: bool) -> Steps[None]:  # noqa: FBT001 - internal
    if disabled:
        yield from _keep_an_operator(user_id)
    rows = yield sql(
        "UPDATE users SET disabled_at = CASE WHEN :disabled THEN now_us() END"
        " WHERE id = :id RETURNING id",
        disabled=disabled,
        id=user_id,
    )
    if not rows:
        raise NotFound("There is no such person.")
    yield from credentials.end_sessions(user_id, None)


def _keep_an_operator(user_id: int) -> Steps[None]:
    """Refuse to lose the last operator; of two who lock out each other one remains.

    All rows are locked at once, in order of their ids as ``take_turn`` does.
    """
    rows = yield sql(
        "SELECT id, role, disabled_at FROM users WHERE id = :id"
        " OR (role = 'operator' AND disabled_at IS NULL)"
        " ORDER BY id FOR NO KEY UPDATE",
        id=user_id,
    )
    operators = [
        row["id"]
        for row in rows
        if row["role"] == Role.OPERATOR and row["disabled_at"] is None
    ]
    if operators == [user_id]:
        raise Conflict("This is the last operator. Make somebody else operator first.")


def _save_settings(user_id: int, settings: Mapping[str, object]) -> Steps[None]:
    yield sql(
        "UPDATE users SET settings = :settings WHERE id = :id",
        settings=json.dumps(settings),
        id=user_id,
    )


def _delete(user_id: int) -> Steps[None]:
    # It takes their turn, too: nothing may arrive for them meanwhile.
    yield from _keep_an_operator(user_id)
    # Subscriptions first: folders they lie in may not go before them.
    yield sql("DELETE FROM subscriptions WHERE user_id = :id", id=user_id)
    rows = yield sql("DELETE FROM users WHERE id = :id RETURNING id", id=user_id)
    if not rows:
        raise NotFound("There is no such person.")


def record_event(
    user_id: int, event_type: str, metadata: Mapping[str, object]
) -> Steps[None]:
    """Write an event inside a caller's transaction."""
    yield sql(
        "INSERT INTO events (user_id, event_type, metadata, created_at)"
        " VALUES (:user, :type, :metadata, now_us())",
        user=user_id,
        type=event_type,
        metadata=json.dumps(metadata),
    )
