"""People and their credentials: accounts, sessions, app passwords, throttling.

Secrets never come in here: callers hash them first. What belongs to somebody unknown
yet is found by its hash, then the transaction goes on as that person.
"""

import json
from collections.abc import Mapping
from datetime import datetime

from feedloom.model.errors import Conflict, NotAllowed, NotFound
from feedloom.model.reader import AppPassword, EndedAccess, OwnEvent, Role, Session, User
from feedloom.store.engine.decorators import OPERATOR, Store, as_user, reads, writes
from feedloom.store.engine.scripts import Scope, Script, SetUser, sql
from feedloom.store.identity import credentials, throttles
from feedloom.store.identity.people import USER_COLUMNS, find_person, read_user, record_event
from feedloom.store.identity.registration import use_invitation
from feedloom.store.ingest.wanted import queue_wanted
from feedloom.store.times import from_us, to_us
from feedloom.store.values import read_object


def _folded(email: str) -> str:
    return email.strip().casefold()


class AccountStore(Store):
    @writes(lambda email, *_, **__: Scope(credential=_folded(email)))
    def create(
        self,
        email: str,
        password_hash: str | None,
        *,
        role: Role | None = None,
        accepted_at: datetime | None = None,
        only_first: bool = False,
        invitation: str | None = None,
    ) -> Script[User]:
        """Add a person; the very first becomes operator. ``Conflict`` when taken.

        With ``only_first`` anybody but the very first is ``NotAllowed``, and so is a
        used ``invitation``.
        """
        email = _folded(email)
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
        if invitation is not None:
            yield from use_invitation(invitation)
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
        yield SetUser(user_id)
        yield sql(
            "INSERT INTO folders (user_id, name, is_root) VALUES (:user, '', true)", user=user_id
        )
        yield from record_event(user_id, "user_registered", {})
        found = yield sql(f"SELECT {USER_COLUMNS} FROM users WHERE id = :id", id=user_id)
        return read_user(found[0])

    @reads(Scope())
    def has_any(self) -> Script[bool]:
        rows = yield sql("SELECT 1 AS x FROM installation WHERE key = 'first_account'")
        return bool(rows)

    async def by_email(self, email: str) -> tuple[User, str | None] | None:
        email = _folded(email)
        if "\x00" in email:
            return None  # No address has one, and PostgreSQL would not even compare it.
        return await self._by_email(email)

    @reads(lambda email: Scope(credential=email))
    def _by_email(self, email: str) -> Script[tuple[User, str | None] | None]:
        rows = yield sql(f"SELECT {USER_COLUMNS} FROM users WHERE email = :email", email=email)
        return (read_user(rows[0]), rows[0]["password_hash"]) if rows else None

    by_id = reads(as_user).of(find_person)

    @reads(OPERATOR)
    def people(self) -> Script[list[User]]:
        rows = yield sql(f"SELECT {USER_COLUMNS} FROM users ORDER BY id")
        return [read_user(row) for row in rows]

    @writes(as_user)
    def set_password(
        self,
        user_id: int,
        password_hash: str,
        *,
        keep_programs: bool = False,
        mark: str | None = None,
    ) -> Script[EndedAccess]:
        """Change a password; every session ends.

        App passwords, secret addresses of views and linked identities end, too, unless
        they are kept: whoever knew the old password may have made some. With ``mark``,
        the old password must still be the one it was made of: ``NotSignedIn`` else.
        """
        if mark is not None:
            yield from credentials.require_unchanged(user_id, mark)
        yield sql(
            "UPDATE users SET password_hash = :hash WHERE id = :id", hash=password_hash, id=user_id
        )
        yield from credentials.end_sessions(user_id, None)
        if keep_programs:
            return EndedAccess()
        ended = yield from credentials.end_programs(user_id)
        return ended

    @writes(OPERATOR)
    def set_role(self, user_id: int, role: Role) -> Script[None]:
        """Change what a person may do; their sessions end.

        ``Conflict`` when no operator would be left who can sign in; so do disabling and
        deleting somebody.
        """
        if role is not Role.OPERATOR:
            yield from _keep_an_operator(user_id)
        rows = yield sql(
            "UPDATE users SET role = :role WHERE id = :id RETURNING id", role=role.value, id=user_id
        )
        if not rows:
            raise NotFound("Account not found.")
        yield from credentials.end_sessions(user_id, None)

    @writes(lambda user_id, *_, **__: Scope(user_id=user_id, operator=True))
    def set_disabled(self, user_id: int, *, disabled: bool) -> Script[None]:
        if disabled:
            yield from _keep_an_operator(user_id)
        rows = yield sql(
            "UPDATE users SET disabled_at = CASE WHEN :disabled THEN now_us() END"
            " WHERE id = :id RETURNING id",
            disabled=disabled,
            id=user_id,
        )
        if not rows:
            raise NotFound("Account not found.")
        yield from credentials.end_sessions(user_id, None)

    @writes(as_user)
    def save_settings(self, user_id: int, changes: Mapping[str, object]) -> Script[None]:
        """Change some of a person's settings; the others stay, whoever changes them meanwhile."""
        rows = yield sql("SELECT settings FROM users WHERE id = :id FOR UPDATE", id=user_id)
        settings = {**((read_object(rows[0]["settings"]) or {}) if rows else {}), **changes}
        yield sql(
            "UPDATE users SET settings = :settings, calm_titles = :calm WHERE id = :id",
            settings=json.dumps(settings),
            calm=settings.get("calm_titles") is True,
            id=user_id,
        )
        yield from queue_wanted(user_id)

    @writes(lambda user_id: Scope(user_id=user_id, operator=True))
    def delete(self, user_id: int) -> Script[None]:
        # It takes their turn, too: nothing may arrive for them meanwhile.
        yield from _keep_an_operator(user_id)
        # Subscriptions first: folders they lie in may not go before them.
        yield sql("DELETE FROM subscriptions WHERE user_id = :id", id=user_id)
        rows = yield sql("DELETE FROM users WHERE id = :id RETURNING id", id=user_id)
        if not rows:
            raise NotFound("Account not found.")

    start_session = writes(lambda session, *_, **__: Scope(user_id=session.user.id)).of(
        credentials.start_session
    )

    async def session(self, token_hash: str) -> Session | None:
        scope = Scope(credential=token_hash)
        return await self.database.read(scope, credentials.find_session, token_hash)

    @writes(lambda session, *_, **__: Scope(user_id=session.user.id))
    def touch_session(
        self, session: Session, *, seen_at: datetime, expires_at: datetime, next_hash: str | None
    ) -> Script[bool]:
        return (
            yield from credentials.touch_session(
                session, to_us(seen_at), to_us(expires_at), next_hash
            )
        )

    @writes(lambda session, *_, **__: Scope(user_id=session.user.id))
    def rotate_session(self, session: Session, *, rotated_at: datetime) -> Script[None]:
        yield from credentials.rotate_session(session, to_us(rotated_at))

    sessions = reads(as_user).of(credentials.list_sessions)
    end_session = writes(as_user).of(credentials.end_session)

    @writes(as_user)
    def end_sessions(self, user_id: int, *, keep: str | None = None) -> Script[None]:
        yield from credentials.end_sessions(user_id, keep)

    @writes(as_user)
    def add_app_password(
        self, user_id: int, *, label: str, secret_hash: str, fever_hash: str, scope: str
    ) -> Script[AppPassword]:
        """Store a program's password by its hashes; ``InvalidInput`` past the quota."""
        return (
            yield from credentials.add_app_password(
                user_id, label=label, secret_hash=secret_hash, fever_hash=fever_hash, access=scope
            )
        )

    app_passwords = reads(as_user).of(credentials.list_app_passwords)
    revoke_app_password = writes(as_user).of(credentials.revoke_app_password)

    async def by_secret(self, secret_hash: str) -> tuple[User, AppPassword] | None:
        return await self.database.read(
            Scope(credential=secret_hash), credentials.find_by_secret, secret_hash
        )

    touch_app_password = writes(as_user).of(credentials.touch_app_password)
    add_client_token = writes(as_user).of(credentials.add_client_token)

    by_identity = reads(lambda provider, subject: Scope(credential=f"{provider} {subject}")).of(
        credentials.find_by_identity
    )

    link_identity = writes(as_user).of(credentials.link_identity)
    identities = reads(as_user).of(credentials.list_identities)
    unlink_identity = writes(as_user).of(credentials.unlink_identity)
    record_event = writes(as_user).of(record_event)
    blocked_until = reads(Scope()).of(throttles.blocked_until)
    note_failure = writes(Scope()).of(throttles.note_failure)
    forget_failures = writes(Scope()).of(throttles.forget_failures)
    knows_address = reads(as_user).of(throttles.knows_address)
    note_address = writes(as_user).of(throttles.note_address)

    @reads(as_user)
    def events_of(self, user_id: int, event_type: str, *, limit: int) -> Script[list[OwnEvent]]:
        rows = yield sql(
            "SELECT created_at, metadata FROM events WHERE user_id = :user"
            " AND event_type = :type ORDER BY id DESC LIMIT :limit",
            user=user_id,
            type=event_type,
            limit=limit,
        )
        return [
            OwnEvent(from_us(row["created_at"]), read_object(row["metadata"]) or {}) for row in rows
        ]


def _keep_an_operator(user_id: int) -> Script[None]:
    """Refuse to lose the last operator; of two who lock out each other one remains.

    All rows are locked at once, in order of their ids as ``lock_users`` does.
    """
    rows = yield sql(
        "SELECT id, role, disabled_at FROM users WHERE id = :id"
        " OR (role = 'operator' AND disabled_at IS NULL)"
        " ORDER BY id FOR NO KEY UPDATE",
        id=user_id,
    )
    operators = [
        row["id"] for row in rows if row["role"] == Role.OPERATOR and row["disabled_at"] is None
    ]
    if operators == [user_id]:
        raise Conflict("This is the last operator. Make someone else an operator first.")
