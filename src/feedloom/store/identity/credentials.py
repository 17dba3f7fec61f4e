"""Credentials: sessions, app passwords, client tokens, identities.

Secrets come in hashed. What belongs to somebody unknown yet is found by its hash, then
the transaction goes on as that person. Scripts for ``AccountStore``.
"""

from feedloom.model.errors import Conflict, InvalidInput, NotFound, NotSignedIn
from feedloom.model.reader import AppPassword, EndedAccess, LinkedIdentity, Session, User
from feedloom.store.engine.scripts import Row, Script, SetUser, sql
from feedloom.store.identity.people import find_person, record_event
from feedloom.store.locks import lock_users
from feedloom.store.times import from_us, to_us
from feedloom.store.values import value_of

MOST_APP_PASSWORDS = 50
"""Living ones of one person."""


def start_session(
    session: Session, rotated_from: str | None, event: str | None = None
) -> Script[None]:
    """Store a new session and its event, or neither; the one it replaces ends.

    ``NotSignedIn`` when its person was disabled or got another password since.
    """
    yield from require_unchanged(session.user.id, session.user.password_mark)
    if rotated_from is not None:
        yield from end_session(session.user.id, rotated_from)
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
    if event is not None:
        yield from record_event(session.user.id, event, {})


def require_unchanged(user_id: int, mark: str) -> Script[None]:
    """Refuse what was proved with a password that was changed meanwhile.

    Until this transaction ends nobody changes it either.
    """
    yield from lock_users([user_id])
    user = yield from find_person(user_id)
    if user is None or user.disabled_at is not None or user.password_mark != mark:
        raise NotSignedIn("The account has changed in the meantime. Please sign in again.")


def find_session(token_hash: str) -> Script[Session | None]:
    rows = yield sql(
        "SELECT * FROM sessions WHERE token_hash = :token OR next_hash = :token"
        " OR rotated_from = :token",
        token=token_hash,
    )
    if not rows:
        return None
    user = yield from _become(rows[0]["user_id"])
    return _session_of(rows[0], user) if user else None


def touch_session(
    session: Session, seen_at: int, expires_at: int, next_hash: str | None
) -> Script[bool]:
    """Note a use, and the token that follows; False when another request did just now."""
    rows = yield sql(
        "UPDATE sessions SET seen_at = :seen, expires_at = :expires,"
        " next_hash = coalesce(:next, next_hash)"
        " WHERE token_hash = :token AND seen_at = :before RETURNING user_id",
        seen=seen_at,
        expires=expires_at,
        next=next_hash,
        token=session.token_hash,
        before=to_us(session.seen_at),
    )
    return bool(rows)


def rotate_session(session: Session, rotated_at: int) -> Script[None]:
    """Go on with the token that followed, since its browser uses it."""
    yield sql(
        "UPDATE sessions SET token_hash = next_hash, rotated_from = token_hash,"
        " rotated_at = :at, next_hash = NULL WHERE token_hash = :token AND next_hash = :next",
        at=rotated_at,
        token=session.token_hash,
        next=session.next_hash,
    )


def list_sessions(user_id: int) -> Script[list[Session]]:
    user = yield from find_person(user_id)
    if user is None:
        return []
    rows = yield sql(
        "SELECT * FROM sessions WHERE user_id = :user AND expires_at > now_us()"
        " ORDER BY seen_at DESC",
        user=user_id,
    )
    return [_session_of(row, user) for row in rows]


def end_session(user_id: int, token_hash: str) -> Script[None]:
    yield sql(
        "DELETE FROM sessions WHERE user_id = :user AND token_hash = :token",
        user=user_id,
        token=token_hash,
    )


def end_sessions(user_id: int, keep: str | None) -> Script[None]:
    yield sql(
        "DELETE FROM sessions WHERE user_id = :user AND token_hash <> :keep",
        user=user_id,
        keep=keep or "",
    )


def end_programs(user_id: int) -> Script[EndedAccess]:
    apps = yield sql(
        "UPDATE app_passwords SET revoked_at = now_us() WHERE user_id = :user"
        " AND revoked_at IS NULL RETURNING id",
        user=user_id,
    )
    yield sql("DELETE FROM client_tokens WHERE user_id = :user", user=user_id)
    views = yield sql(
        "UPDATE view_tokens SET revoked_at = now_us() WHERE user_id = :user"
        " AND revoked_at IS NULL RETURNING id",
        user=user_id,
    )
    identities = yield sql(
        "DELETE FROM oidc_identities WHERE user_id = :user RETURNING subject", user=user_id
    )
    return EndedAccess(len(apps), len(views), len(identities))


def add_app_password(
    user_id: int, *, label: str, secret_hash: str, fever_hash: str, access: str
) -> Script[AppPassword]:
    """Store a program's password by its hashes, unless there are too many."""
    yield from lock_users([user_id])
    held = yield from list_app_passwords(user_id)
    if len(held) >= MOST_APP_PASSWORDS:
        raise InvalidInput(
            f"You have {MOST_APP_PASSWORDS} app passwords, which is the maximum. Revoke one first.",
            field="label",
        )
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


def list_app_passwords(user_id: int) -> Script[list[AppPassword]]:
    rows = yield sql(
        "SELECT * FROM app_passwords WHERE user_id = :user AND revoked_at IS NULL ORDER BY id",
        user=user_id,
    )
    return [_app_password(row) for row in rows]


def revoke_app_password(user_id: int, password_id: int) -> Script[None]:
    rows = yield sql(
        "UPDATE app_passwords SET revoked_at = now_us() WHERE id = :id"
        " AND user_id = :user AND revoked_at IS NULL RETURNING id",
        id=password_id,
        user=user_id,
    )
    if not rows:
        raise NotFound("App password not found.")
    yield sql("DELETE FROM client_tokens WHERE app_password_id = :id", id=password_id)


def find_by_secret(secret_hash: str) -> Script[tuple[User, AppPassword] | None]:
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
        yield SetUser(tokens[0]["user_id"])
        rows = yield sql(
            "SELECT * FROM app_passwords WHERE id = :id AND revoked_at IS NULL",
            id=tokens[0]["app_password_id"],
        )
        if not rows:
            return None
    user = yield from _become(rows[0]["user_id"])
    return (user, _app_password(rows[0])) if user else None


def _become(user_id: int) -> Script[User | None]:
    """Go on as this person, unless they were disabled."""
    yield SetUser(user_id)
    user = yield from find_person(user_id)
    return user if user is not None and user.disabled_at is None else None


def touch_app_password(user_id: int, password_id: int) -> Script[None]:
    yield sql(
        "UPDATE app_passwords SET last_used_at = now_us() WHERE id = :id AND user_id = :user",
        id=password_id,
        user=user_id,
    )


def add_client_token(user_id: int, password_id: int, token_hash: str) -> Script[None]:
    yield sql(
        "INSERT INTO client_tokens (token_hash, user_id, app_password_id, created_at)"
        " VALUES (:token, :user, :password, now_us()) ON CONFLICT DO NOTHING",
        token=token_hash,
        user=user_id,
        password=password_id,
    )


def find_by_identity(provider: str, subject: str) -> Script[User | None]:
    rows = yield sql(
        "SELECT user_id FROM oidc_identities WHERE provider = :provider AND subject = :subject",
        provider=provider,
        subject=subject,
    )
    if not rows:
        return None
    yield SetUser(rows[0]["user_id"])
    user = yield from find_person(rows[0]["user_id"])
    return user


def link_identity(user_id: int, provider: str, subject: str) -> Script[None]:
    yield sql(
        "INSERT INTO oidc_identities (provider, subject, user_id, created_at)"
        " VALUES (:provider, :subject, :user, now_us()) ON CONFLICT DO NOTHING",
        provider=provider,
        subject=subject,
        user=user_id,
    )


def list_identities(user_id: int) -> Script[list[LinkedIdentity]]:
    rows = yield sql(
        "SELECT provider, subject, created_at FROM oidc_identities"
        " WHERE user_id = :user ORDER BY created_at, provider, subject",
        user=user_id,
    )
    return [
        LinkedIdentity(row["provider"], row["subject"], from_us(row["created_at"])) for row in rows
    ]


def unlink_identity(user_id: int, key: str) -> Script[None]:
    """Forget an identity, unless nothing else lets the person in."""
    yield from lock_users([user_id])
    user = yield from find_person(user_id)
    held = yield from list_identities(user_id)
    chosen = next((each for each in held if each.key == key), None)
    if user is None or chosen is None:
        raise NotFound("Linked sign-in not found.")
    if len(held) == 1 and not user.has_password:
        raise Conflict("This is your only way to sign in. Set a password first.")
    yield sql(
        "DELETE FROM oidc_identities WHERE user_id = :user AND provider = :provider"
        " AND subject = :subject",
        user=user_id,
        provider=chosen.provider,
        subject=chosen.subject,
    )


def _session_of(row: Row, user: User) -> Session:
    return value_of(Session, row, user=user)


def _app_password(row: Row) -> AppPassword:
    return value_of(AppPassword, row)
