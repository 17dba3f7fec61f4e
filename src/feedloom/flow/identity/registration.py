"""Registration: who may make an account for themselves, and what they must say.

The installation's first account can always be made; afterwards the mode decides. That an
address is taken may be told here (and only here), so tries are counted per address.
"""

import asyncio
import hmac
from dataclasses import dataclass, field

from feedloom.flow.identity.accounts import Accounts, address_bucket, check_email
from feedloom.flow.identity.oidc import Identity
from feedloom.model.errors import Conflict, InvalidInput, NotAllowed, NotSignedIn
from feedloom.model.reading import User

_TAKEN = (
    "User already registered. Sign in with your password, then link the provider under"
    " Settings."
)


@dataclass(frozen=True, slots=True)
class Application:
    """What somebody filled in to get an account."""

    email: str
    password: str
    confirmation: str
    accepts_privacy: bool
    code: str = ""


@dataclass(frozen=True, slots=True)
class Registration:
    """Makes accounts for people who ask for one."""

    accounts: Accounts
    mode: str = "open"
    """``open``, ``code`` or ``closed``."""
    code: str = ""
    _turn: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1))
    """One try at a time: of a thousand at once all but a few find it blocked."""

    @property
    def needs_code(self) -> bool:
        """True when people are asked for the code."""
        return self.mode == "code"

    async def is_possible(self) -> bool:
        """Tell whether somebody new may come at all."""
        return self.mode != "closed" or not await self.accounts.store.has_any()

    async def register(self, application: Application, *, address: str) -> User:
        """Make an account; ``InvalidInput``, ``Conflict`` or ``NotAllowed`` say why not."""
        bucket = {"address": f"register {address_bucket(address)}"}
        async with self._turn:
            await self.accounts.refuse_throttled(bucket)
            try:
                return await self._register(application)
            except (Conflict, _WrongCode):
                await self.accounts.note_failure(bucket)
                raise

    async def by_identity(self, identity: Identity) -> User:
        """Find or make the account of somebody a provider vouches for."""
        store = self.accounts.store
        found = await store.by_identity(identity.issuer, identity.subject)
        if found is not None:
            if found.disabled_at is not None:
                raise NotSignedIn("Invalid email or password")
            return found
        if self.mode != "open" and await store.has_any():
            raise NotAllowed("Registration is closed.")
        # The address alone proves nothing about an account that exists here already.
        if await store.by_email(check_email(identity.email)) is not None:
            raise Conflict(_TAKEN)
        made = await store.create(
            check_email(identity.email), None, only_first=self.mode != "open"
        )
        await store.link_identity(made.id, identity.issuer, identity.subject)
        return made

    async def link(self, user: User, identity: Identity) -> None:
        """Let somebody who is signed in use a provider from now on."""
        store = self.accounts.store
        found = await store.by_identity(identity.issuer, identity.subject)
        if found is not None and found.id != user.id:
            raise Conflict("This sign-in belongs to another account already.")
        await store.link_identity(user.id, identity.issuer, identity.subject)
        await store.record_event(user.id, "identity_linked", {})

    async def _register(self, application: Application) -> User:
        only_first = await self._only_first(application)
        _check(application)
        return await self.accounts.register(
            application.email, application.password, only_first=only_first
        )

    async def _only_first(self, application: Application) -> bool:
        """Tell whether only the first account may be made with what was given."""
        if self.mode == "open":
            return False
        if not await self.accounts.store.has_any():
            return True
        if self.mode == "closed":
            raise NotAllowed("Registration is closed.")
        given, wanted = application.code.strip().encode(), self.code.encode()
        if not wanted or not hmac.compare_digest(given, wanted):
            raise _WrongCode("The registration code is wrong", field="code")
        return False


class _WrongCode(InvalidInput):
    """A guess at the code, which is counted."""


def _check(application: Application) -> None:
    if application.password != application.confirmation:
        raise InvalidInput("Passwords do not match", field="password_confirmation")
    if not application.accepts_privacy:
        raise InvalidInput("You must accept the privacy policy", field="privacy")
