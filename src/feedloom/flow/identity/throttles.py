"""Throttling: which counters a wrong secret is held against, and how they slow it down.

Sign-in, each sync protocol, the API and registration have counters of their own, so that
failures in one never reach another. At the sign-in page a browser that signed in before
(its device cookie) and an address the person signed in from are counted by themselves;
everybody else also counts against their address and against the account. So guessing
from elsewhere cannot keep the owner out, and all guesses together stay few.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network
from typing import TYPE_CHECKING

from feedloom.model.errors import Throttled
from feedloom.model.ports import Clock

if TYPE_CHECKING:
    from feedloom.store import AccountStore

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
    store: AccountStore
    clock: Clock

    async def refuse(self, limits: Sequence[Limit]) -> None:
        """Raise ``Throttled`` while one of the limits is reached."""
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


def device_limits(device: Device, user_id: int) -> list[Limit]:
    return [Limit(f"sign-in device:{device.id} {user_id}", 5)]


def sign_in_limits(account: str, address: str, *, is_known: bool) -> list[Limit]:
    place = address_bucket(address)
    here = Limit(f"sign-in account:{account} {place}", 5)
    if is_known:
        return [here]
    return [
        here,
        Limit(f"sign-in {place}", 20),
        Limit(f"sign-in account:{account}", 50, 24 * _HOUR_S),
    ]


def confirmation_limits(user_id: int) -> list[Limit]:
    return [Limit(f"confirm person:{user_id}", 5)]


def program_limits(protocol: str, address: str) -> list[Limit]:
    """Limit wrong app secrets: they cannot be guessed, so only to spare the server."""
    return [Limit(f"{protocol} {address_bucket(address)}", 20)]


def application_limits(address: str) -> list[Limit]:
    return [Limit(f"register {address_bucket(address)}", 20)]


def new_account_limits(address: str) -> list[Limit]:
    return [Limit(f"registered {address_bucket(address)}", 10), Limit("registered in all", 100)]


def address_bucket(address: str) -> str:
    """Name what an address is counted under: for IPv6 its network, which is one home."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return f"address:{address[:100]}"
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is None:
        return f"address:{ip_network((parsed, 64), strict=False)}"
    return f"address:{parsed}"
