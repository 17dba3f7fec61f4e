"""People and their credentials: accounts, sessions, app passwords, throttling.

Secrets never come in here: callers hash them first. What belongs to somebody unknown
yet is found by its hash, then the transaction goes on as that person.
"""

import json
from collections.abc import Mapping
from datetime import datetime

from feedloom.model.errors import Conflict, NotAllowed, NotFound
from feedloom.model.reading import AppPassword, Role, Session, User
from feedloom.store.engine.steps import Become, Database, Row, Scope, Steps, sql
from feedloom.store.times import from_us, maybe_time, to_us

_USER = "id, email, role, tenant_id, settings, password_hash, created_at, disabled_at"


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
        return await self._database.read(Scope(credential=email), _by_email, email)

    async def by_id(self, user_id: int) -> User | None:
        """Find a person."""
        return await self._database.read(Scope(user_id=user_id), _by_id, user_id)

    async def people(self) -> list[User]:
        """List everybody, for operators."""
        return await self._database.read(Scope(operator=True), _people)

    async def set_password(self, user_id: int, password_hash: str) -> None:
        """Change a password; every session ends and app passwords stay."""
        await self._database.write(
            Scope(user_id=user_id), _set_password, user_id, password_hash
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
        await self._database.write(scope, _start_session, session, rotated_from)

    async def session(self, token_hash: str) -> Session | None:
        """Find the living session of a token, with its person."""
        scope = Scope(credential=token_hash)
        return await self._database.read(scope, _session, token_hash)

    async def touch_session(
        self, session: Session, *, seen_at: datetime, expires_at: datetime
    ) -> None:
        """Note that a session is in use and move its end on."""
        scope = Scope(user_id=session.user.id)
        await self._database.write(
            scope, _touch_session, session.token_hash, to_us(seen_at), to_us(expires_at)
        )

    async def sessions(self, user_id: int) -> list[Session]:
        """List a person's living sessions, newest first."""
        return await self._database.read(Scope(user_id=user_id), _sessions, user_id)

    async def end_session(self, user_id: int, token_hash: str) -> None:
        """End one session."""
        await self._database.write(
            Scope(user_id=user_id), _end_session, user_id, token_hash
        )

    async def end_sessions(self, user_id: int, *, keep: str | None = None) -> None:
        """End all of a person's sessions but one."""
        await self._database.write(Scope(user_id=user_id), _end_sessions, user_id, keep)

    async def add_app_password(
        self, user_id: int, *, label: str, secret_hash: str, fever_hash: str, scope: str
    ) -> AppPassword:
        """Store a program's password by its hashes."""
        return await self._database.write(
            Scope(user_id=user_id),
            _add_app_password,
            user_id,
            label=label,
            secret_hash=secret_hash,
            fever_hash=fever_hash,
            access=scope,
        )

    async def app_passwords(self, user_id: int) -> list[AppPassword]:
        """List a person's living app passwords."""
        return await self._database.read(
            Scope(user_id=user_id), _app_passwords, user_id
        )

    async def revoke_app_password(self, user_id: int, password_id: int) -> None:
        """End an app password and every token made with it."""
        await self._database.write(
            Scope(user_id=user_id), _revoke_app_password, user_id, password_id
        )

    async def by_secret(self, secret_hash: str) -> tuple[User, AppPassword] | None:
        """Find the person of an app password, Fever key or client token by its hash."""
        return await self._database.read(
            Scope(credential=secret_hash), _by_secret, secret_hash
        )

    async def touch_app_password(self, user_id: int, password_id: int) -> None:
        """Note that an app password is in use."""
        await self._database.write(
            Scope(user_id=user_id), _touch_app_password, password_id
        )

    async def add_client_token(
        self, user_id: int, password_id: int, token_hash: str
    ) -> None:
        """Store a token that lives as long as the app password behind it."""
        await self._database.write(
            Scope(user_id=user_id), _add_client_token, user_id, password_id, token_hash
        )

    async def by_identity(self, provider: str, subject: str) -> User | None:
        """Find the person an outside provider vouches for."""
        scope = Scope(credential=f"{provider} {subject}")
        return await self._database.read(scope, _by_identity, provider, subject)

    async def link_identity(self, user_id: int, provider: str, subject: str) -> None:
        """Remember that a provider's subject is this person."""
        await self._database.write(
            Scope(user_id=user_id), _link_identity, user_id, provider, subject
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
        return await self._database.read(Scope(), _blocked_until, bucket)

    async def note_failure(
        self, bucket: str, *, free: int, window_s: int, block_s: int
    ) -> None:
        """Count a failed try; past ``free`` tries block for growing times."""
        await self._database.write(
            Scope(),
            _note_failure,
            bucket,
            free=free,
            window_s=window_s,
            block_s=block_s,
        )

    async def forget_failures(self, bucket: str) -> None:
        """Start counting anew after a success."""
        await self._database.write(Scope(), _forget_failures, bucket)


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
    found = yield sql(f"SELECT {_USER} FROM users WHERE id = :id", id=user_id)
    return _user(found[0])


def _has_any() -> Steps[bool]:
    rows = yield sql("SELECT 1 AS x FROM installation WHERE key = 'first_account'")
    return bool(rows)


def _by_email(email: str) -> Steps[tuple[User, str | None] | None]:
    rows = yield sql(f"SELECT {_USER} FROM users WHERE email = :email", email=email)
    return (_user(rows[0]), rows[0]["password_hash"]) if rows else None


def _by_id(user_id: int) -> Steps[User | None]:
    rows = yield sql(f"SELECT {_USER} FROM users WHERE id = :id", id=user_id)
    return _user(rows[0]) if rows else None


def _people() -> Steps[list[User]]:
    rows = yield sql(f"SELECT {_USER} FROM users ORDER BY id")
    return [_user(row) for row in rows]


def _set_password(user_id: int, password_hash: str) -> Steps[None]:
    yield sql(
        "UPDATE users SET password_hash = :hash WHERE id = :id",
        hash=password_hash,
        id=user_id,
    )
    yield from _end_sessions(user_id, None)


def _set_role(user_id: int, role: Role) -> Steps[None]:
    rows = yield sql(
        "UPDATE users SET role = :role WHERE id = :id RETURNING id",
        role=role.value,
        id=user_id,
    )
    if not rows:
        raise NotFound("There is no such person.")
    yield from _end_sessions(user_id, None)


def _set_disabled(user_id: int, disabled: bool) -> Steps[None]:  # noqa: FBT001 - internal
    rows = yield sql(
        "UPDATE users SET disabled_at = CASE WHEN :disabled THEN now_us() END"
        " WHERE id = :id RETURNING id",
        disabled=disabled,
        id=user_id,
    )
    if not rows:
        raise NotFound("There is no such person.")
    yield from _end_sessions(user_id, None)


def _save_settings(user_id: int, settings: Mapping[str, object]) -> Steps[None]:
    yield sql(
        "UPDATE users SET settings = :settings WHERE id = :id",
        settings=json.dumps(settings),
        id=user_id,
    )


def _delete(user_id: int) -> Steps[None]:
    # Subscriptions first: folders they lie in may not go before them.
    yield sql("DELETE FROM subscriptions WHERE user_id = :id", id=user_id)
    rows = yield sql("DELETE FROM users WHERE id = :id RETURNING id", id=user_id)
    if not rows:
        raise NotFound("There is no such person.")


def _start_session(session: Session, rotated_from: str | None) -> Steps[None]:
    if rotated_from is not None:
        yield from _end_session(session.user.id, rotated_from)
    yield sql(
        "INSERT INTO sessions (token_hash, user_id, csrf_secret, created_at, seen_at,"
        " expires_at, rotated_from, user_agent, address) VALUES (:token, :user, :csrf,"
        " :created, :created, :expires, :rotated, :agent, :address)",
        token=session.token_hash,
        user=session.user.id,
        csrf=session.csrf_secret,
        created=to_us(session.created_at),
        expires=to_us(session.expires_at),
        rotated=rotated_from,
        agent=session.user_agent,
        address=session.address,
    )


def _session(token_hash: str) -> Steps[Session | None]:
    rows = yield sql(
        "SELECT * FROM sessions WHERE token_hash = :token AND expires_at > now_us()",
        token=token_hash,
    )
    if not rows:
        return None
    yield Become(rows[0]["user_id"])
    user = yield from _by_id(rows[0]["user_id"])
    if user is None or user.disabled_at is not None:
        return None
    return _session_of(rows[0], user)


def _touch_session(token_hash: str, seen_at: int, expires_at: int) -> Steps[None]:
    yield sql(
        "UPDATE sessions SET seen_at = :seen, expires_at = :expires"
        " WHERE token_hash = :token",
        seen=seen_at,
        expires=expires_at,
        token=token_hash,
    )


def _sessions(user_id: int) -> Steps[list[Session]]:
    user = yield from _by_id(user_id)
    if user is None:
        return []
    rows = yield sql(
        "SELECT * FROM sessions WHERE user_id = :user AND expires_at > now_us()"
        " ORDER BY seen_at DESC",
        user=user_id,
    )
    return [_session_of(row, user) for row in rows]


def _end_session(user_id: int, token_hash: str) -> Steps[None]:
    yield sql(
        "DELETE FROM sessions WHERE user_id = :user AND token_hash = :token",
        user=user_id,
        token=token_hash,
    )


def _end_sessions(user_id: int, keep: str | None) -> Steps[None]:
    yield sql(
        "DELETE FROM sessions WHERE user_id = :user AND token_hash <> :keep",
        user=user_id,
        keep=keep or "",
    )


def _add_app_password(
    user_id: int, *, label: str, secret_hash: str, fever_hash: str, access: str
) -> Steps[AppPassword]:
    rows = yield sql(
        "INSERT INTO app_passwords (user_id, label, secret_hash, fever_key_hash, scope,"
        " created_at) VALUES (:user, :label, :secret, :fever, :scope, now_us())"
        " RETURNING *",
        user=user_id,
        label=label,
        secret=secret_hash,
        fever=fever_hash,
        scope=access,
    )
    return _app_password(rows[0])


def _app_passwords(user_id: int) -> Steps[list[AppPassword]]:
    rows = yield sql(
        "SELECT * FROM app_passwords WHERE user_id = :user AND revoked_at IS NULL"
        " ORDER BY id",
        user=user_id,
    )
    return [_app_password(row) for row in rows]


def _revoke_app_password(user_id: int, password_id: int) -> Steps[None]:
    rows = yield sql(
        "UPDATE app_passwords SET revoked_at = now_us() WHERE id = :id"
        " AND user_id = :user AND revoked_at IS NULL RETURNING id",
        id=password_id,
        user=user_id,
    )
    if not rows:
        raise NotFound("There is no such app password.")
    yield sql("DELETE FROM client_tokens WHERE app_password_id = :id", id=password_id)


def _by_secret(secret_hash: str) -> Steps[tuple[User, AppPassword] | None]:
    rows = yield sql(
        "SELECT * FROM app_passwords WHERE (secret_hash = :hash"
        " OR fever_key_hash = :hash) AND revoked_at IS NULL",
        hash=secret_hash,
    )
    if not rows:
        tokens = yield sql(
            "SELECT user_id, app_password_id FROM client_tokens WHERE token_hash = :hash",
            hash=secret_hash,
        )
        if not tokens:
            return None
        yield Become(tokens[0]["user_id"])
        rows = yield sql(
            "SELECT * FROM app_passwords WHERE id = :id AND revoked_at IS NULL",
            id=tokens[0]["app_password_id"],
        )
        if not rows:
            return None
    yield Become(rows[0]["user_id"])
    user = yield from _by_id(rows[0]["user_id"])
    if user is None or user.disabled_at is not None:
        return None
    return user, _app_password(rows[0])


def _touch_app_password(password_id: int) -> Steps[None]:
    yield sql(
        "UPDATE app_passwords SET last_used_at = now_us() WHERE id = :id",
        id=password_id,
    )


def _add_client_token(user_id: int, password_id: int, token_hash: str) -> Steps[None]:
    yield sql(
        "INSERT INTO client_tokens (token_hash, user_id, app_password_id, created_at)"
        " VALUES (:token, :user, :password, now_us()) ON CONFLICT DO NOTHING",
        token=token_hash,
        user=user_id,
        password=password_id,
    )


def _by_identity(provider: str, subject: str) -> Steps[User | None]:
    rows = yield sql(
        "SELECT user_id FROM oidc_identities WHERE provider = :provider"
        " AND subject = :subject",
        provider=provider,
        subject=subject,
    )
    if not rows:
        return None
    yield Become(rows[0]["user_id"])
    user = yield from _by_id(rows[0]["user_id"])
    return user


def _link_identity(user_id: int, provider: str, subject: str) -> Steps[None]:
    yield sql(
        "INSERT INTO oidc_identities (provider, subject, user_id, created_at)"
        " VALUES (:provider, :subject, :user, now_us()) ON CONFLICT DO NOTHING",
        provider=provider,
        subject=subject,
        user=user_id,
    )


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


def _blocked_until(bucket: str) -> Steps[datetime | None]:
    rows = yield sql(
        "SELECT blocked_until FROM throttle WHERE bucket = :bucket"
        " AND blocked_until > now_us()",
        bucket=bucket,
    )
    return from_us(rows[0]["blocked_until"]) if rows else None


def _note_failure(
    bucket: str, *, free: int, window_s: int, block_s: int
) -> Steps[None]:
    window, block = window_s * 1_000_000, block_s * 1_000_000
    rows = yield sql(
        "INSERT INTO throttle (bucket, failures, blocked_until, forget_at)"
        " VALUES (:bucket, 1, 0, now_us() + :window) ON CONFLICT (bucket) DO UPDATE SET"
        " failures = CASE WHEN throttle.forget_at < now_us() THEN 1"
        "   ELSE throttle.failures + 1 END, forget_at = now_us() + :window"
        " RETURNING failures",
        bucket=bucket,
        window=window,
    )
    failures: int = rows[0]["failures"]
    if failures >= free:
        yield sql(
            "UPDATE throttle SET blocked_until = now_us() + :block,"
            " forget_at = now_us() + :block + :window WHERE bucket = :bucket",
            block=min(block * 2 ** min(failures - free, 8), 3600 * 1_000_000),
            window=window,
            bucket=bucket,
        )


def _forget_failures(bucket: str) -> Steps[None]:
    yield sql("DELETE FROM throttle WHERE bucket = :bucket", bucket=bucket)


def _user(row: Row) -> User:
    return User(
        id=row["id"],
        email=row["email"],
        role=Role(row["role"]),
        tenant_id=row["tenant_id"],
        settings=json.loads(row["settings"]),
        has_password=row["password_hash"] is not None,
        created_at=from_us(row["created_at"]),
        disabled_at=maybe_time(row["disabled_at"]),
    )


def _session_of(row: Row, user: User) -> Session:
    return Session(
        token_hash=row["token_hash"],
        user=user,
        csrf_secret=row["csrf_secret"],
        created_at=from_us(row["created_at"]),
        seen_at=from_us(row["seen_at"]),
        expires_at=from_us(row["expires_at"]),
        user_agent=row["user_agent"],
        address=row["address"],
    )


def _app_password(row: Row) -> AppPassword:
    return AppPassword(
        id=row["id"],
        user_id=row["user_id"],
        label=row["label"],
        scope=row["scope"],
        created_at=from_us(row["created_at"]),
        last_used_at=maybe_time(row["last_used_at"]),
    )
