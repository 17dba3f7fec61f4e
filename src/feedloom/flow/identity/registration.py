"""Registration: who may create an account, and what they must provide.

The installation's first account can always be made; afterwards the setting decides, or
where it is empty the operator's answer, and until there is one everybody may come. That
an address is taken may be told here (and only here), so tries are counted per address,
as are the accounts that are made.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from feedloom.flow.identity.accounts import (
    Accounts,
    Limit,
    address_bucket,
    check_email,
    hash_secret,
)
from feedloom.flow.identity.oidc import Identity
from feedloom.model.errors import Conflict, InvalidInput, NotAllowed, NotSignedIn
from feedloom.model.ports import Clock
from feedloom.model.reader import User
from feedloom.model.registration import MODES, RegistrationChoice

if TYPE_CHECKING:
    from feedloom.store import RegistrationStore

LONGEST_INVITATION_DAYS = 90
_LONGEST_CODE = 200
_TAKEN = (
    "User already registered. Sign in with your password, then link the provider under Settings."
)
_UNVERIFIED = (
    "The sign-in provider has not verified your email address. Verify it there, then try again."
)


@dataclass(frozen=True, slots=True)
class Application:
    email: str
    password: str
    confirmation: str
    accepts_privacy: bool
    code: str = ""
    invitation: str = ""


@dataclass(slots=True)
class Registration:
    accounts: Accounts
    store: RegistrationStore
    clock: Clock
    setting: str = ""
    """One of ``MODES``; empty when the operator's answer decides."""
    code: str = ""
    """The code of the setting."""
    may_be_possible: bool = True
    """Whether it was possible when it was last looked up."""
    _turn: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1))
    """One try at a time: of a thousand at once all but a few find it blocked."""

    async def rule(self) -> RegistrationChoice:
        if self.setting:
            return RegistrationChoice(self.setting, self.code)
        return await self.store.choice() or RegistrationChoice("open")

    async def is_unanswered(self) -> bool:
        return not self.setting and await self.store.choice() is None

    async def needs_code(self) -> bool:
        mode = (await self.rule()).mode
        return mode == "code" and await self.accounts.store.has_any()

    async def is_possible(self, invitation: str = "") -> bool:
        mode = (await self.rule()).mode
        may = mode in {"open", "code"} or not await self.accounts.store.has_any()
        self.may_be_possible = may
        if may or mode != "invite" or not invitation:
            return may
        return await self.store.is_invited(hash_secret(invitation))

    async def choose(self, mode: str, code: str = "") -> None:
        """Store the operator's answer; ``InvalidInput`` says what is wrong with it."""
        if self.setting:
            raise Conflict("FEEDLOOM_REGISTRATION sets who can create accounts.")
        if mode not in MODES:
            raise InvalidInput("Choose who can create accounts.", field="mode")
        code = code.strip() if mode == "code" else ""
        if mode == "code" and not code:
            raise InvalidInput("A code is required.", field="code")
        if len(code) > _LONGEST_CODE or "\x00" in code:
            raise InvalidInput("The code is too long.", field="code")
        await self.store.choose(RegistrationChoice(mode, code))

    async def invite(self, label: str = "", *, days: int = 7) -> tuple[str, datetime]:
        if (await self.rule()).mode != "invite":
            raise Conflict("Invitations are turned off.")
        if not 1 <= days <= LONGEST_INVITATION_DAYS:
            raise InvalidInput(
                f"An invitation is valid for 1 to {LONGEST_INVITATION_DAYS} days.", field="days"
            )
        token = secrets.token_urlsafe(24)
        expires_at = self.clock.now() + timedelta(days=days)
        label = " ".join(label.replace("\x00", "").split())[:100]
        await self.store.add_invitation(hash_secret(token), label, expires_at)
        return token, expires_at

    @staticmethod
    def link_of(base: str, token: str) -> str:
        return f"{base}/auth/register?invitation={token}"

    async def register(self, application: Application, *, address: str) -> User:
        """Make an account; ``InvalidInput``, ``Conflict`` or ``NotAllowed`` say why not."""
        throttle = self.accounts.throttle
        tries, made = [Limit(f"register {address_bucket(address)}", 20)], _made_limits(address)
        async with self._turn:
            await throttle.refuse([*tries, *made])
            try:
                user = await self._register(application)
            except (Conflict, _WrongCode, _NotInvited):
                await throttle.note(tries)
                raise
            await throttle.note(made)
            return user

    async def by_identity(self, identity: Identity, *, address: str) -> User:
        store = self.accounts.store
        found = await store.by_identity(identity.issuer, identity.subject)
        if found is not None:
            if found.disabled_at is not None:
                raise NotSignedIn("Invalid email or password")
            return found
        is_open = (await self.rule()).mode == "open"
        if not is_open and await store.has_any():
            raise NotAllowed("Registration is closed.")
        if not identity.email_verified:
            raise NotAllowed(_UNVERIFIED)
        # The address alone proves nothing about an account that exists here already.
        if await store.by_email(check_email(identity.email)) is not None:
            raise Conflict(_TAKEN)
        limits = _made_limits(address)
        async with self._turn:
            await self.accounts.throttle.refuse(limits)
            made = await store.create(check_email(identity.email), None, only_first=not is_open)
            await self.accounts.throttle.note(limits)
        await store.link_identity(made.id, identity.issuer, identity.subject)
        return made

    async def link(self, user: User, identity: Identity) -> None:
        store = self.accounts.store
        found = await store.by_identity(identity.issuer, identity.subject)
        if found is not None and found.id != user.id:
            raise Conflict("This sign-in is already linked to another account.")
        await store.link_identity(user.id, identity.issuer, identity.subject)
        await store.record_event(user.id, "identity_linked", {})

    async def _register(self, application: Application) -> User:
        rule = await self.rule()
        is_first = rule.mode != "open" and not await self.accounts.store.has_any()
        invitation = None if is_first else await self._require_let_in(rule, application)
        if application.password != application.confirmation:
            raise InvalidInput("Passwords do not match", field="password_confirmation")
        if not application.accepts_privacy:
            raise InvalidInput("You must accept the privacy policy", field="privacy")
        return await self.accounts.register(
            application.email, application.password, only_first=is_first, invitation=invitation
        )

    async def _require_let_in(
        self, rule: RegistrationChoice, application: Application
    ) -> str | None:
        """Refuse who may not come; return the hash of an invitation to be used up."""
        if rule.mode == "closed":
            raise NotAllowed("Registration is closed.")
        if rule.mode == "invite":
            token_hash = hash_secret(application.invitation)
            if not await self.store.is_invited(token_hash):
                raise _NotInvited("This invitation has already been used or has expired.")
            return token_hash
        if rule.mode == "code":
            given, wanted = application.code.strip().encode(), rule.code.encode()
            if not wanted or not hmac.compare_digest(given, wanted):
                raise _WrongCode("The registration code is wrong", field="code")
        return None


class _WrongCode(InvalidInput):
    """A guess at the code, which is counted."""


class _NotInvited(NotAllowed):
    """A guess at an invitation, which is counted."""


def _made_limits(address: str) -> list[Limit]:
    return [Limit(f"registered {address_bucket(address)}", 10), Limit("registered in all", 100)]
