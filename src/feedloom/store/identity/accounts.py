"""Accounts: creating, changing and deleting people, who may register, and their tenants."""

import json
import re
from collections.abc import Mapping
from datetime import datetime

from feedloom.model.errors import Conflict, InvalidInput, NotAllowed
from feedloom.model.reader import EndedAccess, OwnEvent, Role, User
from feedloom.model.registration import Invitation, RegistrationChoice
from feedloom.model.tenants import Tenant
from feedloom.store.engine.decorators import OPERATOR, Store, as_user, reads, writes
from feedloom.store.engine.scripts import WORKER, Scope, Script, SetUser, sql
from feedloom.store.identity.credentials import (
    USER_COLUMNS,
    CredentialStore,
    end_programs,
    end_sessions,
    find_person,
    read_user,
    record_event,
    require_unchanged,
)
from feedloom.store.ingest.rules import queue_wanted
from feedloom.store.queries import NOW, exists, first, insert, one, update, upsert, values
from feedloom.store.values import maybe_us, read_object, to_us, value_of

_NO_ACCOUNT = "Account not found."


def _folded(email: str) -> str:
    return email.strip().casefold()


class AccountStore(CredentialStore):
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
        if (yield from exists(sql("SELECT id FROM users WHERE email = :email", email=email))):
            raise Conflict("User already registered")
        unclaimed = "ON CONFLICT DO NOTHING RETURNING key"
        claim = insert("installation", unclaimed, key="first_account", value=email)
        is_first = yield from exists(claim)
        if only_first and not is_first:
            raise NotAllowed("Registration is closed.")
        if invitation is not None:
            yield from _use_invitation(invitation)
        # The row is found again by its email, which is the transaction's credential.
        rows = yield insert(
            "users",
            "ON CONFLICT (email) DO NOTHING RETURNING id",
            email=email,
            password_hash=password_hash,
            role=(role or (Role.OPERATOR if is_first else Role.READER)).value,
            privacy_accepted_at=maybe_us(accepted_at),
            created_at=NOW,
        )
        if not rows:
            raise Conflict("User already registered")
        user_id: int = rows[0]["id"]
        yield SetUser(user_id)
        yield insert("folders", user_id=user_id, name="", is_root=True)
        yield record_event(user_id, "user_registered", {})
        [row] = yield sql(f"SELECT {USER_COLUMNS} FROM users WHERE id = :id", id=user_id)
        return read_user(row)

    @reads(Scope())
    def has_any(self) -> Script[bool]:
        return (yield from exists(sql("SELECT 1 FROM installation WHERE key = 'first_account'")))

    async def by_email(self, email: str) -> tuple[User, str | None] | None:
        email = _folded(email)
        # No address has this one, and PostgreSQL would not even compare it.
        return None if "\x00" in email else await self._by_email(email)

    @reads(lambda email: Scope(credential=email))
    def _by_email(self, email: str) -> Script[tuple[User, str | None] | None]:
        text = f"SELECT {USER_COLUMNS} FROM users WHERE email = :email"
        row = yield from first(sql(text, email=email))
        return (read_user(row), row["password_hash"]) if row else None

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
            yield from require_unchanged(user_id, mark)
        yield update("users", user_id, password_hash=password_hash)
        yield from end_sessions(user_id)
        return EndedAccess() if keep_programs else (yield from end_programs(user_id))

    @writes(OPERATOR)
    def set_role(self, user_id: int, role: Role) -> Script[None]:
        """Change what a person may do; their sessions end. ``Conflict`` for the last operator."""
        if role is not Role.OPERATOR:
            yield from _keep_an_operator(user_id)
        text = "UPDATE users SET role = :role WHERE id = :id RETURNING id"
        yield from one(sql(text, role=role.value, id=user_id), _NO_ACCOUNT)
        yield from end_sessions(user_id)

    @writes(lambda user_id, *_, **__: Scope(user_id=user_id, operator=True))
    def set_disabled(self, user_id: int, *, disabled: bool) -> Script[None]:
        if disabled:
            yield from _keep_an_operator(user_id)
        text = "UPDATE users SET disabled_at = CASE WHEN :disabled THEN now_us() END"
        changed = sql(f"{text} WHERE id = :id RETURNING id", disabled=disabled, id=user_id)
        yield from one(changed, _NO_ACCOUNT)
        yield from end_sessions(user_id)

    @writes(as_user)
    def save_settings(self, user_id: int, changes: Mapping[str, object]) -> Script[None]:
        """Change some of a person's settings; the others stay, whoever changes them meanwhile."""
        text = "SELECT settings FROM users WHERE id = :id FOR UPDATE"
        row = yield from first(sql(text, id=user_id))
        settings = {**((row and read_object(row["settings"])) or {}), **changes}
        is_calm = settings.get("calm_titles") is True
        yield update("users", user_id, settings=json.dumps(settings), calm_titles=is_calm)
        yield from queue_wanted(user_id)

    @writes(lambda user_id: Scope(user_id=user_id, operator=True))
    def delete(self, user_id: int) -> Script[None]:
        # It takes their turn, too: nothing may arrive for them meanwhile.
        yield from _keep_an_operator(user_id)
        # Subscriptions first: folders they lie in may not go before them.
        yield sql("DELETE FROM subscriptions WHERE user_id = :id", id=user_id)
        yield from one(
            sql("DELETE FROM users WHERE id = :id RETURNING id", id=user_id), _NO_ACCOUNT
        )

    @writes(as_user)
    def record_event(
        self, user_id: int, event_type: str, metadata: Mapping[str, object]
    ) -> Script[None]:
        yield record_event(user_id, event_type, metadata)

    @reads(as_user)
    def events_of(self, user_id: int, event_type: str, *, limit: int) -> Script[list[OwnEvent]]:
        text = """SELECT created_at AS at, metadata AS about FROM events WHERE user_id = :user
            AND event_type = :type ORDER BY id DESC LIMIT :limit"""
        return (yield from values(OwnEvent, sql(text, user=user_id, type=event_type, limit=limit)))


def _keep_an_operator(user_id: int) -> Script[None]:
    """Refuse to lose the last operator; of two who lock out each other one remains."""
    text = """SELECT id, role, disabled_at FROM users WHERE id = :id
        OR (role = 'operator' AND disabled_at IS NULL) ORDER BY id FOR NO KEY UPDATE"""
    rows = yield sql(text, id=user_id)
    operators = [r["id"] for r in rows if r["role"] == Role.OPERATOR and r["disabled_at"] is None]
    if operators == [user_id]:
        raise Conflict("This is the last operator. Make someone else an operator first.")


_OPEN = "used_at IS NULL AND expires_at > now_us()"


class RegistrationStore(Store):
    """Who may create accounts: the operator's choice, and invitations."""

    @reads(Scope())
    def choice(self) -> Script[RegistrationChoice | None]:
        rows = yield sql("SELECT key, value FROM installation WHERE key LIKE 'registration%'")
        found = {row["key"]: row["value"] for row in rows}
        mode = found.get("registration")
        return mode and RegistrationChoice(mode, found.get("registration_code", ""))

    @writes(OPERATOR)
    def choose(self, choice: RegistrationChoice) -> Script[None]:
        yield upsert("installation", "key", key="registration", value=choice.mode)
        yield upsert("installation", "key", key="registration_code", value=choice.code)

    @writes(OPERATOR)
    def add_invitation(self, token_hash: str, label: str, expires_at: datetime) -> Script[None]:
        yield sql("DELETE FROM invitations WHERE expires_at <= now_us()")
        new = {"token_hash": token_hash, "label": label, "expires_at": to_us(expires_at)}
        yield insert("invitations", created_at=NOW, **new)

    @reads(OPERATOR)
    def invitations(self) -> Script[list[Invitation]]:
        text = f"SELECT * FROM invitations WHERE {_OPEN} ORDER BY id DESC"
        return (yield from values(Invitation, sql(text)))

    @reads(Scope())
    def is_invited(self, token_hash: str) -> Script[bool]:
        text = f"SELECT 1 FROM invitations WHERE token_hash = :token AND {_OPEN}"
        return (yield from exists(sql(text, token=token_hash)))

    @writes(OPERATOR)
    def revoke_invitation(self, invitation_id: int) -> Script[None]:
        """Withdraw an invitation; ``NotFound`` when it cannot be used any more."""
        text = f"DELETE FROM invitations WHERE id = :id AND {_OPEN} RETURNING id"
        yield from one(sql(text, id=invitation_id), "Invitation not found.")


def _use_invitation(token_hash: str) -> Script[None]:
    """Use an invitation up; ``NotAllowed`` if it is void."""
    text = f"UPDATE invitations SET used_at = now_us() WHERE token_hash = :token AND {_OPEN}"
    if not (yield from exists(sql(f"{text} RETURNING id", token=token_hash))):
        raise NotAllowed("This invitation has already been used or has expired.")


_SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_TENANTS = """SELECT t.id, t.slug, t.name,
      (SELECT count(*) FROM users u WHERE u.tenant_id = t.id) AS people,
      (SELECT count(*) FROM feeds f WHERE f.tenant_id = t.id) AS feeds
    FROM tenants t"""


class TenantStore(Store):
    @writes(OPERATOR)
    def add(self, slug: str, name: str) -> Script[Tenant]:
        """Add a tenant; ``Conflict`` when the short name is taken."""
        slug, name = slug.strip().lower(), " ".join(name.split())
        if not _SLUG.fullmatch(slug):
            raise InvalidInput(
                "Use lower-case letters, digits and dashes for the short name.", field="slug"
            )
        unless_taken = "ON CONFLICT (slug) DO NOTHING RETURNING id"
        new = {"slug": slug, "name": name, "created_at": NOW}
        row = yield from first(insert("tenants", unless_taken, **new))
        if row is None:
            raise Conflict(f"A tenant called {slug} already exists.")
        return Tenant(row["id"], slug, name)

    @reads(WORKER)
    def all(self) -> Script[list[Tenant]]:
        return (yield from values(Tenant, sql(f"{_TENANTS} ORDER BY t.slug")))

    @reads(WORKER)
    def find(self, slug: str) -> Script[Tenant]:
        """Find one by its short name; ``NotFound`` when there is none."""
        query = sql(f"{_TENANTS} WHERE t.slug = :slug", slug=slug.strip().lower())
        return value_of(Tenant, (yield from one(query, f"There is no tenant {slug}.")))

    @writes(OPERATOR)
    def assign(self, user_id: int, tenant_id: int) -> Script[None]:
        """Put a person who has no feeds yet into a tenant; else ``Conflict``."""
        text = """UPDATE users SET tenant_id = :tenant WHERE id = :user AND NOT EXISTS
            (SELECT 1 FROM subscriptions s WHERE s.user_id = :user) RETURNING id"""
        if not (yield from exists(sql(text, tenant=tenant_id, user=user_id))):
            raise Conflict("This person already has feeds.")
