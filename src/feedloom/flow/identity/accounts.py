"""Accounts: register, sign in, passwords of people and of programs.

Secrets come in clear and go to the store hashed: people's with argon2id, random ones
with SHA-256. Whatever takes a password is throttled. Wrong and unknown look and take the same.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from ipaddress import IPv6Address, ip_address, ip_network
from typing import TYPE_CHECKING

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from feedloom.model.errors import InvalidInput, NotFound, NotSignedIn, Throttled
from feedloom.model.ports import Clock
from feedloom.model.reader import AppPassword, EndedAccess, Role, Session, User, password_mark

if TYPE_CHECKING:
    from feedloom.store import AccountStore

SESSION_LIFE = timedelta(days=30)
TOUCH_EVERY = timedelta(minutes=5)
"""How often a use is noted; more often would be a write per request."""
ROTATE_EVERY = timedelta(days=1)
"""How long a session keeps its token while it is used."""
_UNDER_WAY = timedelta(minutes=1)
"""How long requests may still bring the token before: they were sent before it changed."""
_SHORTEST_PASSWORD = 8
_LONGEST_PASSWORD = 1_000
_EMAIL = re.compile(r"[^@\s]{1,64}@[^@\s.]+(?:\.[^@\s.]+)*")
_LONGEST_EMAIL = 254
_HASHED_AT_ONCE = 2
_WRONG = "Invalid email or password"
SIGN_IN_BLOCKED = "sign_in_blocked"
"""The event that tells an owner of many wrong passwords."""
_HOUR_S = 3_600
_BLOCK_S = 30


@dataclass(frozen=True, slots=True)
class Limit:
    """A counter: after ``free`` failures within the window, one more per waiting time."""

    bucket: str
    free: int
    window_s: int = _HOUR_S


@dataclass(frozen=True, slots=True)
class Device:
    id: str
    people: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Throttle:
    """Counts wrong secrets, and slows down whoever brings too many.

    Sign-in, each sync protocol, the API and registration have counters of their own, so that
    failures in one never reach another. At the sign-in page a browser that signed in before
    (its device cookie) and an address the person signed in from are counted by themselves;
    everybody else also counts against their address and against the account. So guessing
    from elsewhere cannot keep the owner out, and all guesses together stay few.
    """

    store: AccountStore
    clock: Clock

    async def refuse(self, limits: Sequence[Limit]) -> None:
        for limit in limits:
            until = await self.store.blocked_until(limit.bucket)
            if until is not None:
                wait = until - self.clock.now()
                raise Throttled(retry_after_s=max(1, int(wait.total_seconds())))

    async def note(self, limits: Sequence[Limit]) -> bool:
        counts = [
            await self.store.note_failure(
                limit.bucket, free=limit.free, window_s=limit.window_s, block_s=_BLOCK_S
            )
            == limit.free
            for limit in limits
        ]
        return any(counts)


def hash_secret(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def fever_hash(email: str, secret: str) -> str:
    key = hashlib.md5(f"{email}:{secret}".encode(), usedforsecurity=False).hexdigest()
    return hash_secret(key)


@dataclass(frozen=True, slots=True)
class SignedIn:
    session: Session
    token: str


class Accounts:
    def __init__(
        self, store: AccountStore, clock: Clock, hasher: PasswordHasher | None = None
    ) -> None:
        self.store = store
        self.throttle = Throttle(store, clock)
        self._clock = clock
        self._hasher = hasher or PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
        # Hashing is slow and large on purpose: a flood of tries may not take all.
        self._hashing = asyncio.Semaphore(_HASHED_AT_ONCE)
        self._decoy = ""

    async def register(
        self,
        email: str,
        password: str,
        *,
        role: Role | None = None,
        only_first: bool = False,
        invitation: str | None = None,
    ) -> User:
        """Make an account; ``InvalidInput`` or ``Conflict`` say what is wrong.

        With ``only_first`` it must be the installation's first: ``NotAllowed`` else.
        The invitation with this hash is used up, or ``NotAllowed`` if it was already.
        """
        email = check_email(email)
        hashed = await self._hash(check_password(password))
        return await self.store.create(
            email,
            hashed,
            role=role,
            accepted_at=self._clock.now(),
            only_first=only_first,
            invitation=invitation,
        )

    async def verify(
        self, email: str, password: str, *, address: str, device: Device | None = None
    ) -> User:
        """Check a password; ``NotSignedIn`` for anything wrong, ``Throttled`` if often."""

        async def limits(user: User | None) -> list[Limit]:
            if user is not None and device is not None and user.id in device.people:
                return [Limit(f"sign-in device:{device.id} {user.id}", 5)]
            account, place = hash_secret(email.strip().casefold())[:32], address_bucket(address)
            here = Limit(f"sign-in account:{account} {place}", 5)
            if user is not None and await self.store.knows_address(user.id, place):
                return [here]
            everywhere = Limit(f"sign-in account:{account}", 50, 24 * _HOUR_S)
            return [here, Limit(f"sign-in {place}", 20), everywhere]

        return await self._check(email, password, limits, address=address)

    async def confirm(self, user: User, password: str, *, address: str) -> User:
        async def limits(_user: User | None) -> list[Limit]:
            return [Limit(f"confirm person:{user.id}", 5)]

        return await self._check(user.email, password, limits, address=address)

    async def _check(
        self,
        email: str,
        password: str,
        limits_of: Callable[[User | None], Awaitable[list[Limit]]],
        *,
        address: str,
    ) -> User:
        if not self._decoy:
            # Verified against when there is no such person, so that it takes as long.
            self._decoy = await self._hash(secrets.token_hex(16))
        async with self._hashing:
            # In here: of a hundred tries at once all but a few find it blocked.
            found = await self.store.by_email(email)
            limits = await limits_of(found[0] if found else None)
            await self.throttle.refuse(limits)
            hashed = found[1] if found and found[1] else self._decoy
            matches = await asyncio.to_thread(self._matches, hashed, password)
            if found is None or not matches or found[0].disabled_at is not None:
                is_blocked = await self.throttle.note(limits)
                if found is not None and is_blocked:
                    about = {"address": address}
                    await self.store.record_event(found[0].id, SIGN_IN_BLOCKED, about)
                raise NotSignedIn(_WRONG)
        # Only their own count: others' guesses at the account stay counted.
        await self.store.forget_failures(limits[0].bucket)
        if self._hasher.check_needs_rehash(hashed):
            user, _ = await self._replace_password(found[0], password, keep_programs=True)
            return user
        return found[0]

    async def sign_in(
        self,
        user: User,
        *,
        user_agent: str,
        address: str,
        old_token: str | None = None,
        is_new: bool = False,
    ) -> SignedIn:
        """Start a session with a new token; a session it replaces ends.

        ``is_new``: the account was just made, which is an event already.
        ``NotSignedIn`` when the password was changed since the person was looked up.
        """
        token = secrets.token_urlsafe(32)
        now = self._clock.now()
        session = Session(
            token_hash=hash_secret(token),
            user=user,
            csrf_secret=secrets.token_urlsafe(32),
            created_at=now,
            seen_at=now,
            expires_at=now + SESSION_LIFE,
            user_agent=user_agent[:300],
            address=address,
        )
        old = hash_secret(old_token) if old_token else None
        event = None if is_new else "user_login"
        await self.store.start_session(session, rotated_from=old, event=event)
        await self.store.note_address(user.id, address_bucket(address))
        return SignedIn(session, token)

    async def session(self, token: str) -> Session | None:
        """Return the session of a token, which is replaced while it is used.

        A new token takes over once its browser has sent it, so none is lost on the way.
        """
        shown = hash_secret(token)
        session = await self.store.session(shown)
        now = self._clock.now()
        if session is None or session.expires_at <= now:
            return None
        if shown == session.next_hash:
            await self.store.rotate_session(session, rotated_at=now)
            return replace(session, token_hash=shown, rotated_at=now)
        if shown != session.token_hash:
            is_under_way = session.rotated_at is not None and now - session.rotated_at < _UNDER_WAY
            return session if is_under_way else None
        if now - session.seen_at <= TOUCH_EVERY:
            return session
        is_old = now - (session.rotated_at or session.created_at) >= ROTATE_EVERY
        keep = secrets.token_urlsafe(32) if is_old else token
        is_ours = await self.store.touch_session(
            session,
            seen_at=now,
            expires_at=now + SESSION_LIFE,
            next_hash=hash_secret(keep) if is_old else None,
        )
        return replace(session, keep=keep) if is_ours else session

    async def change_password(
        self, user: User, old: str, new: str, *, address: str, keep_programs: bool
    ) -> tuple[User, EndedAccess]:
        """Change a person's own password; all their sessions end.

        App passwords, shared views and linked identities end as well unless their owner
        keeps them. The person returned may be signed in anew.
        """
        if user.has_password:
            try:
                user = await self.confirm(user, old, address=address)
            except NotSignedIn as error:
                raise InvalidInput("The current password is wrong", field="old") from error
        return await self._replace_password(user, check_password(new), keep_programs=keep_programs)

    async def reset_password(self, email: str, new: str) -> EndedAccess:
        found = await self.store.by_email(email)
        if found is None:
            raise NotFound("Person not found.")
        return await self.store.set_password(found[0].id, await self._hash(check_password(new)))

    async def add_app_password(
        self, user: User, label: str, *, scope: str = "full"
    ) -> tuple[AppPassword, str]:
        label = " ".join(label.split())[:100] or "App"
        secret = secrets.token_urlsafe(24)
        made = await self.store.add_app_password(
            user.id,
            label=label,
            secret_hash=hash_secret(secret),
            fever_hash=fever_hash(user.email, secret),
            scope=scope,
        )
        return made, secret

    async def by_app_password(
        self,
        secret: str,
        *,
        address: str,
        email: str | None = None,
        protocol: str = "api",
        counts: bool = True,
    ) -> tuple[User, AppPassword]:
        """Find who a program's password, Fever key or client token belongs to.

        Only wrong ones are slowed down, in each protocol apart: these secrets cannot be
        guessed, and one phone with an old password must not lock out a household.
        """
        found = await self.store.by_secret(hash_secret(secret)) if secret else None
        if found is None or (email is not None and found[0].email != email.strip().casefold()):
            limits = [Limit(f"{protocol} {address_bucket(address)}", 20)]
            await self.throttle.refuse(limits)
            if counts:
                await self.throttle.note(limits)
            raise NotSignedIn(_WRONG)
        password, now = found[1], self._clock.now()
        if password.last_used_at is None or now - password.last_used_at > TOUCH_EVERY:
            await self.store.touch_app_password(password.user_id, password.id)
        return found

    async def client_token(self, user: User, password: AppPassword, secret: str) -> str:
        """Make a token that lives as long as the app password it was asked with.

        The same one each time: many clients sign in at every start, and none of them
        ever signs out. It cannot be turned back into the password.
        """
        token = hash_secret(f"client token {secret}")[:48]
        await self.store.add_client_token(user.id, password.id, hash_secret(token))
        return token

    async def _replace_password(
        self, user: User, new: str, *, keep_programs: bool
    ) -> tuple[User, EndedAccess]:
        """Set a password, unless another one was set since the person was looked up."""
        hashed = await self._hash(new)
        ended = await self.store.set_password(
            user.id, hashed, keep_programs=keep_programs, mark=user.password_mark
        )
        mark = password_mark(hashed)
        return replace(user, has_password=True, password_mark=mark), ended

    async def _hash(self, password: str) -> str:
        async with self._hashing:
            return await asyncio.to_thread(self._hasher.hash, password)

    def _matches(self, hashed: str, password: str) -> bool:
        try:
            return self._hasher.verify(hashed, password)
        except (VerificationError, InvalidHashError):
            return False


def check_email(email: str) -> str:
    """Return an email address in the form it is stored; ``InvalidInput`` otherwise."""
    email = email.strip().casefold()
    if not email:
        raise InvalidInput("Email is required", field="email")
    if len(email) > _LONGEST_EMAIL or not _EMAIL.fullmatch(email) or "\x00" in email:
        raise InvalidInput("Invalid email format", field="email")
    return email


def check_password(password: str) -> str:
    """Return a password that may be used; ``InvalidInput`` otherwise."""
    if len(password) < _SHORTEST_PASSWORD:
        raise InvalidInput("Password must be at least 8 characters", field="password")
    if len(password) > _LONGEST_PASSWORD:
        raise InvalidInput("Password is too long", field="password")
    return password


def address_bucket(address: str) -> str:
    """Name what an address is counted under: for IPv6 its network, which is one home."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return f"address:{address[:100]}"
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is None:
        return f"address:{ip_network((parsed, 64), strict=False)}"
    return f"address:{parsed}"
