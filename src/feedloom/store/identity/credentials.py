"""People, and what lets them in: sessions, app passwords, client tokens, identities; throttling.

Callers hash secrets first. What belongs to somebody unknown yet is found by its hash, then the
transaction goes on as that person.
"""

import json
from collections.abc import Mapping
from datetime import datetime

from feedloom.model.errors import Conflict, InvalidInput, NotFound, NotSignedIn
from feedloom.model.reader import (
    AppPassword,
    EndedAccess,
    LinkedIdentity,
    Session,
    User,
    password_mark,
)
from feedloom.store.engine.decorators import Store, as_user, reads, writes
from feedloom.store.engine.scripts import Query, Row, Scope, Script, SetUser, sql
from feedloom.store.locks import lock_users
from feedloom.store.queries import NOW, exists, first, insert, number, one, upsert, values
from feedloom.store.values import DAY_US, SECOND, from_us, to_us, value_of

USER_COLUMNS = (
    "id, email, role, tenant_id, settings, password_hash, created_at, disabled_at, learns"
)
MOST_APP_PASSWORDS = 50
"""Living ones of one person."""
LONGEST_BLOCK_S = 900
_ADDRESSES_KEPT = 20
_ADDRESS_LIFE_US = 90 * DAY_US


def read_user(row: Row) -> User:
    password = row["password_hash"]
    return value_of(
        User, row, has_password=password is not None, password_mark=password_mark(password)
    )


def find_person(user_id: int) -> Script[User | None]:
    row = yield from first(sql(f"SELECT {USER_COLUMNS} FROM users WHERE id = :id", id=user_id))
    return read_user(row) if row else None


def record_event(user_id: int, event_type: str, metadata: Mapping[str, object]) -> Query:
    told = json.dumps(metadata)
    return insert("events", user_id=user_id, event_type=event_type, metadata=told, created_at=NOW)


def require_unchanged(user_id: int, mark: str) -> Script[None]:
    """Refuse what was proved with a password that was changed; nobody changes it until the end."""
    yield lock_users([user_id])
    user = yield from find_person(user_id)
    if user is None or user.disabled_at is not None or user.password_mark != mark:
        raise NotSignedIn("The account has changed in the meantime. Please sign in again.")


def end_sessions(user_id: int, *, keep: str | None = None) -> Script[None]:
    text = "DELETE FROM sessions WHERE user_id = :user AND token_hash <> :keep"
    yield sql(text, user=user_id, keep=keep or "")


def end_session(user_id: int, token_hash: str) -> Script[None]:
    text = "DELETE FROM sessions WHERE user_id = :user AND token_hash = :token"
    yield sql(text, user=user_id, token=token_hash)


def end_programs(user_id: int) -> Script[EndedAccess]:
    revoked = "SET revoked_at = now_us() WHERE user_id = :user AND revoked_at IS NULL RETURNING id"
    apps = yield sql(f"UPDATE app_passwords {revoked}", user=user_id)
    yield sql("DELETE FROM client_tokens WHERE user_id = :user", user=user_id)
    views = yield sql(f"UPDATE view_tokens {revoked}", user=user_id)
    text = "DELETE FROM oidc_identities WHERE user_id = :user RETURNING subject"
    identities = yield sql(text, user=user_id)
    return EndedAccess(len(apps), len(views), len(identities))


def _app_passwords(user_id: int) -> Script[list[AppPassword]]:
    text = "SELECT * FROM app_passwords WHERE user_id = :user AND revoked_at IS NULL ORDER BY id"
    return (yield from values(AppPassword, sql(text, user=user_id)))


def _identities(user_id: int) -> Script[list[LinkedIdentity]]:
    text = "SELECT * FROM oidc_identities WHERE user_id = :user"
    ordered = sql(f"{text} ORDER BY created_at, provider, subject", user=user_id)
    return (yield from values(LinkedIdentity, ordered))


def _become(user_id: int) -> Script[User | None]:
    """Go on as this person, unless they were disabled."""
    yield SetUser(user_id)
    user = yield from find_person(user_id)
    return user if user is not None and user.disabled_at is None else None


class CredentialStore(Store):
    """What an ``AccountStore`` does with credentials."""

    @writes(lambda session, *_, **__: Scope(user_id=session.user.id))
    def start_session(
        self, session: Session, rotated_from: str | None, event: str | None = None
    ) -> Script[None]:
        """Store a new session and its event, or neither; ``NotSignedIn`` if the account changed."""
        user_id = session.user.id
        yield from require_unchanged(user_id, session.user.password_mark)
        if rotated_from is not None:
            yield from end_session(user_id, rotated_from)
        names = ("token_hash", "csrf_secret", "user_agent", "address")
        yield insert(
            "sessions",
            user_id=user_id,
            created_at=to_us(session.created_at),
            seen_at=to_us(session.created_at),
            expires_at=to_us(session.expires_at),
            rotated_from=rotated_from,
            **{name: getattr(session, name) for name in names},
        )
        if event is not None:
            yield record_event(user_id, event, {})

    @reads(lambda token_hash: Scope(credential=token_hash))
    def session(self, token_hash: str) -> Script[Session | None]:
        text = """SELECT * FROM sessions WHERE token_hash = :token OR next_hash = :token
            OR rotated_from = :token"""
        row = yield from first(sql(text, token=token_hash))
        user = (yield from _become(row["user_id"])) if row else None
        return value_of(Session, row, user=user) if row and user else None

    @writes(lambda session, *_, **__: Scope(user_id=session.user.id))
    def touch_session(
        self, session: Session, *, seen_at: datetime, expires_at: datetime, next_hash: str | None
    ) -> Script[bool]:
        """Note a use, and the token that follows; False when another request did just now."""
        text = """UPDATE sessions SET seen_at = :seen, expires_at = :expires,
            next_hash = coalesce(:next, next_hash)
            WHERE token_hash = :token AND seen_at = :before RETURNING user_id"""
        new = {"seen": to_us(seen_at), "expires": to_us(expires_at), "next": next_hash}
        old = {"token": session.token_hash, "before": to_us(session.seen_at)}
        return (yield from exists(sql(text, **new, **old)))

    @writes(lambda session, *_, **__: Scope(user_id=session.user.id))
    def rotate_session(self, session: Session, *, rotated_at: datetime) -> Script[None]:
        """Go on with the token that followed, since its browser uses it."""
        text = """UPDATE sessions SET token_hash = next_hash, rotated_from = token_hash,
            rotated_at = :at, next_hash = NULL WHERE token_hash = :token AND next_hash = :next"""
        yield sql(text, at=to_us(rotated_at), token=session.token_hash, next=session.next_hash)

    @reads(as_user)
    def sessions(self, user_id: int) -> Script[list[Session]]:
        user = yield from find_person(user_id)
        text = "SELECT * FROM sessions WHERE user_id = :user AND expires_at > now_us()"
        rows = yield sql(f"{text} ORDER BY seen_at DESC", user=user_id)
        return [value_of(Session, row, user=user) for row in rows] if user else []

    end_session = writes(as_user).of(end_session)
    end_sessions = writes(as_user).of(end_sessions)

    @writes(as_user)
    def add_app_password(
        self, user_id: int, *, label: str, secret_hash: str, fever_hash: str, scope: str
    ) -> Script[AppPassword]:
        """Store a program's password by its hashes; ``InvalidInput`` past the quota."""
        yield lock_users([user_id])
        if len((yield from _app_passwords(user_id))) >= MOST_APP_PASSWORDS:
            most = f"You have {MOST_APP_PASSWORDS} app passwords, which is the maximum."
            raise InvalidInput(f"{most} Revoke one first.", field="label")
        [row] = yield insert(
            "app_passwords",
            "RETURNING *",
            user_id=user_id,
            label=label,
            secret_hash=secret_hash,
            fever_key_hash=fever_hash,
            scope=scope,
            created_at=NOW,
        )
        return value_of(AppPassword, row)

    app_passwords = reads(as_user).of(_app_passwords)

    @writes(as_user)
    def revoke_app_password(self, user_id: int, password_id: int) -> Script[None]:
        text = """UPDATE app_passwords SET revoked_at = now_us() WHERE id = :id
            AND user_id = :user AND revoked_at IS NULL RETURNING id"""
        yield from one(sql(text, id=password_id, user=user_id), "App password not found.")
        yield sql("DELETE FROM client_tokens WHERE app_password_id = :id", id=password_id)

    @reads(lambda secret_hash: Scope(credential=secret_hash))
    def by_secret(self, secret_hash: str) -> Script[tuple[User, AppPassword] | None]:
        text = """SELECT * FROM app_passwords WHERE (secret_hash = :hash
            OR fever_key_hash = :hash) AND revoked_at IS NULL"""
        row = yield from first(sql(text, hash=secret_hash))
        if row is None:
            text = "SELECT user_id, app_password_id FROM client_tokens WHERE token_hash = :hash"
            token = yield from first(sql(text, hash=secret_hash))
            if token is None:
                return None
            yield SetUser(token["user_id"])
            text = "SELECT * FROM app_passwords WHERE id = :id AND revoked_at IS NULL"
            row = yield from first(sql(text, id=token["app_password_id"]))
            if row is None:
                return None
        user = yield from _become(row["user_id"])
        return (user, value_of(AppPassword, row)) if user else None

    @writes(as_user)
    def touch_app_password(self, user_id: int, password_id: int) -> Script[None]:
        text = "UPDATE app_passwords SET last_used_at = now_us() WHERE id = :id AND user_id = :user"
        yield sql(text, id=password_id, user=user_id)

    @writes(as_user)
    def add_client_token(self, user_id: int, password_id: int, token_hash: str) -> Script[None]:
        new = {"token_hash": token_hash, "user_id": user_id, "app_password_id": password_id}
        yield insert("client_tokens", "ON CONFLICT DO NOTHING", **new, created_at=NOW)

    @reads(lambda provider, subject: Scope(credential=f"{provider} {subject}"))
    def by_identity(self, provider: str, subject: str) -> Script[User | None]:
        text = "SELECT user_id FROM oidc_identities WHERE provider = :provider"
        query = sql(f"{text} AND subject = :subject", provider=provider, subject=subject)
        row = yield from first(query)
        if row is None:
            return None
        yield SetUser(row["user_id"])
        return (yield from find_person(row["user_id"]))

    @writes(as_user)
    def link_identity(self, user_id: int, provider: str, subject: str) -> Script[None]:
        new = {"provider": provider, "subject": subject, "user_id": user_id}
        yield insert("oidc_identities", "ON CONFLICT DO NOTHING", **new, created_at=NOW)

    identities = reads(as_user).of(_identities)

    @writes(as_user)
    def unlink_identity(self, user_id: int, key: str) -> Script[None]:
        """Forget an identity, unless nothing else lets the person in."""
        yield lock_users([user_id])
        user = yield from find_person(user_id)
        held = yield from _identities(user_id)
        chosen = next((each for each in held if each.key == key), None)
        if user is None or chosen is None:
            raise NotFound("Linked sign-in not found.")
        if len(held) == 1 and not user.has_password:
            raise Conflict("This is your only way to sign in. Set a password first.")
        text = """DELETE FROM oidc_identities WHERE user_id = :user AND provider = :provider
            AND subject = :subject"""
        yield sql(text, user=user_id, provider=chosen.provider, subject=chosen.subject)

    @reads(Scope())
    def blocked_until(self, bucket: str) -> Script[datetime | None]:
        text = "SELECT blocked_until FROM throttle WHERE bucket = :bucket"
        row = yield from first(sql(f"{text} AND blocked_until > now_us()", bucket=bucket))
        return from_us(row["blocked_until"]) if row else None

    @writes(Scope())
    def note_failure(self, bucket: str, *, free: int, window_s: int, block_s: int) -> Script[int]:
        """Count a failure in a bucket, which the caller names; block it after ``free`` ones."""
        window = window_s * SECOND
        # The window is fixed: a program with an old password, trying now and then for
        # ever, must not keep its owner out.
        text = """INSERT INTO throttle (bucket, failures, blocked_until, forget_at)
            VALUES (:bucket, 1, 0, now_us() + :window) ON CONFLICT (bucket) DO UPDATE SET
            failures = CASE WHEN throttle.forget_at < now_us() THEN 1
              ELSE throttle.failures + 1 END,
            forget_at = CASE WHEN throttle.forget_at < now_us() THEN now_us() + :window
              ELSE throttle.forget_at END RETURNING failures"""
        failures = yield from number(sql(text, bucket=bucket, window=window))
        if failures >= free:
            block = min(block_s * 2 ** min(failures - free, 8), LONGEST_BLOCK_S) * SECOND
            text = """UPDATE throttle SET blocked_until = now_us() + :block,
                forget_at = now_us() + :block + :window WHERE bucket = :bucket"""
            yield sql(text, block=block, window=window, bucket=bucket)
        return failures

    @writes(Scope())
    def forget_failures(self, bucket: str) -> Script[None]:
        yield sql("DELETE FROM throttle WHERE bucket = :bucket", bucket=bucket)

    @reads(as_user)
    def knows_address(self, user_id: int, address: str) -> Script[bool]:
        text = f"""SELECT 1 FROM known_addresses WHERE user_id = :user
            AND address = :address AND seen_at > now_us() - {_ADDRESS_LIFE_US}"""
        return (yield from exists(sql(text, user=user_id, address=address)))

    @writes(as_user)
    def note_address(self, user_id: int, address: str) -> Script[None]:
        """Remember where somebody signed in from; only the last few are kept."""
        key = {"user_id": user_id, "address": address}
        yield upsert("known_addresses", ", ".join(key), **key, seen_at=NOW)
        text = f"""DELETE FROM known_addresses WHERE user_id = :user AND
            (seen_at <= now_us() - {_ADDRESS_LIFE_US} OR address NOT IN
              (SELECT address FROM known_addresses WHERE user_id = :user
              ORDER BY seen_at DESC, address LIMIT {_ADDRESSES_KEPT}))"""
        yield sql(text, user=user_id)
