"""Guessing passwords: slowed down per account and address, also all at once."""

import asyncio

import pytest
from argon2 import PasswordHasher

from feedloom.flow.identity.accounts import Accounts
from feedloom.model.errors import NotSignedIn, Throttled
from tests.fakes import FixedClock
from tests.stores import Stores

EMAIL = "ada@example.org"
PASSWORD = "correct horse battery"


@pytest.fixture
async def accounts(stores: Stores) -> Accounts:
    """Hand out accounts with Ada's in it, and a quick hash."""
    hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    made = Accounts(stores.accounts, FixedClock(), hasher)
    await made.register(EMAIL, PASSWORD)
    return made


@pytest.mark.threat("A11", "W3")
async def test_a_hundred_guesses_at_once_are_no_more_than_a_few(accounts: Accounts):
    guesses = (
        accounts.verify(EMAIL, f"guess {n}", address="192.0.2.1") for n in range(100)
    )

    results = await asyncio.gather(*guesses, return_exceptions=True)

    tried = [one for one in results if isinstance(one, NotSignedIn)]
    refused = [one for one in results if isinstance(one, Throttled)]
    assert len(tried) <= 7
    assert len(tried) + len(refused) == 100


async def test_an_old_app_password_does_not_lock_its_owner_out(accounts: Accounts):
    for _ in range(6):
        with pytest.raises((NotSignedIn, Throttled)):
            await accounts.by_app_password("old", address="192.0.2.1", email=EMAIL)

    user = await accounts.verify(EMAIL, PASSWORD, address="192.0.2.1")

    assert user.email == EMAIL


async def test_failures_are_forgotten_when_their_window_has_passed(stores: Stores):
    async def fail() -> None:
        await stores.accounts.note_failure("x", free=5, window_s=900, block_s=30)

    for _ in range(4):
        await fail()
        # Ten minutes pass between two tries.
        await stores.execute("UPDATE throttle SET forget_at = forget_at - 600000000")
    await fail()

    assert await stores.accounts.blocked_until("x") is None
