"""Guessing passwords: few guesses in all, and no guess keeps the owner out."""

import asyncio

import pytest
from argon2 import PasswordHasher

from feedloom.flow.identity.accounts import SIGN_IN_BLOCKED, Accounts, Device
from feedloom.model.errors import NotSignedIn, Throttled
from tests.fakes import FixedClock
from tests.stores import Stores

EMAIL = "ada@example.org"
PASSWORD = "correct horse battery"
HOME, ELSEWHERE = "192.0.2.1", "203.0.113.7"
MINUTE = 60
A_DAY = [30, 60, 120, 240, 480, *[900] * 95]
"""Waits of somebody who guesses as soon as they may."""


@pytest.fixture
async def accounts(stores: Stores) -> Accounts:
    """Hand out accounts with Ada's in it, and a quick hash."""
    hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    made = Accounts(stores.accounts, FixedClock(), hasher)
    await made.register(EMAIL, PASSWORD)
    return made


@pytest.mark.threat("A11", "W3")
async def test_a_hundred_guesses_at_once_are_no_more_than_a_few(accounts: Accounts):
    guesses = (accounts.verify(EMAIL, f"guess {n}", address="192.0.2.1") for n in range(100))

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


async def guess(accounts: Accounts, *, address: str, email: str = EMAIL) -> bool:
    """Guess once; tell whether the guess was looked at."""
    try:
        await accounts.verify(email, "a guess", address=address)
    except NotSignedIn:
        return True
    except Throttled:
        return False
    raise AssertionError("The guess was right.")


async def guess_until_refused(accounts: Accounts, address: str) -> None:
    while await guess(accounts, address=address):
        pass


async def pass_time(stores: Stores, seconds: int) -> None:
    """Let the throttle's clock go on."""
    await stores.execute(
        "UPDATE throttle SET blocked_until = blocked_until"
        f" - {seconds}000000, forget_at = forget_at - {seconds}000000"
    )


@pytest.mark.threat("A11")
async def test_guesses_from_elsewhere_do_not_keep_the_owner_out(accounts: Accounts):
    await guess_until_refused(accounts, ELSEWHERE)

    # Not even where nobody has seen them before.
    user = await accounts.verify(EMAIL, PASSWORD, address=HOME)

    assert user.email == EMAIL


@pytest.mark.threat("A11")
@pytest.mark.parametrize("way", ["address", "device"])
async def test_guesses_from_everywhere_leave_known_places_alone(accounts: Accounts, way: str):
    user = await accounts.verify(EMAIL, PASSWORD, address=HOME)
    await accounts.sign_in(user, user_agent="", address=HOME)
    for number in range(60):
        await guess(accounts, address=f"203.0.113.{number}")
    strange = "198.51.100.1"
    with pytest.raises(Throttled):
        await accounts.verify(EMAIL, PASSWORD, address=strange)

    device = Device("x", (user.id,)) if way == "device" else None
    address = HOME if way == "address" else strange
    found = await accounts.verify(EMAIL, PASSWORD, address=address, device=device)

    assert found.id == user.id


@pytest.mark.threat("A11")
async def test_a_device_of_somebody_else_has_no_lane_here(accounts: Accounts):
    other = await accounts.register("bob@example.org", PASSWORD)
    device = Device("x", (other.id,))
    for _ in range(5):
        with pytest.raises(NotSignedIn):
            await accounts.verify(EMAIL, "guess", address=ELSEWHERE, device=device)

    with pytest.raises(Throttled):
        await accounts.verify(EMAIL, "guess", address=ELSEWHERE, device=device)


@pytest.mark.threat("A11")
async def test_a_known_device_is_slowed_down_too(accounts: Accounts):
    user = await accounts.verify(EMAIL, PASSWORD, address=HOME)
    device = Device("x", (user.id,))
    for _ in range(5):
        with pytest.raises(NotSignedIn):
            await accounts.verify(EMAIL, "guess", address=HOME, device=device)

    with pytest.raises(Throttled):
        await accounts.verify(EMAIL, PASSWORD, address=HOME, device=device)


@pytest.mark.threat("A11")
async def test_twenty_wrong_app_secrets_leave_sign_in_and_other_protocols_alone(accounts: Accounts):
    user = await accounts.verify(EMAIL, PASSWORD, address=HOME)
    _, secret = await accounts.add_app_password(user, "phone")
    for _ in range(30):
        with pytest.raises((NotSignedIn, Throttled)):
            await accounts.by_app_password("wrong", address=HOME, protocol="fever")

    with pytest.raises(Throttled):
        await accounts.by_app_password("wrong", address=HOME, protocol="fever")
    with pytest.raises(NotSignedIn):
        await accounts.by_app_password("wrong", address=HOME, protocol="miniflux")
    await accounts.by_app_password(secret, address=HOME, protocol="fever")
    await accounts.verify(EMAIL, PASSWORD, address=HOME)


@pytest.mark.threat("A11")
async def test_waiting_times_rise_to_minutes(accounts: Accounts, stores: Stores):
    await guess_until_refused(accounts, ELSEWHERE)
    waits = []
    for _ in range(8):
        wait = 0
        while not await guess(accounts, address=ELSEWHERE):
            await pass_time(stores, 30)
            wait += 30
        waits.append(wait)

    assert waits == [30, 60, 120, 240, 480, 900, 900, 900]


@pytest.mark.threat("A11")
async def test_one_address_makes_few_guesses_at_an_account_in_a_day(
    accounts: Accounts, stores: Stores
):
    made = 0
    for wait in A_DAY:
        while await guess(accounts, address=ELSEWHERE):
            made += 1
        await pass_time(stores, wait)

    assert made == 5 + 99


@pytest.mark.threat("A11")
async def test_one_address_makes_few_guesses_at_all_accounts_in_a_day(
    accounts: Accounts, stores: Stores
):
    made, names = 0, iter(range(100_000))
    for wait in A_DAY:
        while await guess(accounts, address=ELSEWHERE, email=f"p{next(names)}@example.org"):
            made += 1
        await pass_time(stores, wait)

    assert made == 20 + 99


@pytest.mark.threat("A11")
async def test_all_addresses_together_make_few_guesses_at_an_account_in_a_day(
    accounts: Accounts, stores: Stores
):
    made, places = 0, iter(range(100_000))
    for wait in A_DAY:
        while await guess(accounts, address=f"2001:db8:{next(places):x}::1"):
            made += 1
        await pass_time(stores, wait)

    assert made == 50 + 99


@pytest.mark.threat("A11")
async def test_keeping_below_the_limit_helps_no_guesser(accounts: Accounts, stores: Stores):
    """One try less than would be blocked, again whenever it is forgotten."""
    made = 0
    for _ in range(24):
        for _ in range(4):
            made += await guess(accounts, address=ELSEWHERE)
        await pass_time(stores, 61 * MINUTE)

    assert 50 <= made <= 96


@pytest.mark.threat("A11")
async def test_keeping_below_the_limit_at_many_accounts_gives_few_guesses(
    accounts: Accounts, stores: Stores
):
    made, names = 0, iter(range(100_000))
    for _ in range(24):
        for _ in range(19):
            email = f"p{next(names)}@example.org"
            made += await guess(accounts, address=ELSEWHERE, email=email)
        await pass_time(stores, 61 * MINUTE)

    assert made == 19 * 24


@pytest.mark.threat("A11")
async def test_the_owner_is_told_and_once_for_each_series(accounts: Accounts, stores: Stores):
    user = await accounts.verify(EMAIL, PASSWORD, address=HOME)
    await guess_until_refused(accounts, ELSEWHERE)
    await pass_time(stores, MINUTE)
    await guess_until_refused(accounts, ELSEWHERE)

    told = await stores.accounts.events_of(user.id, SIGN_IN_BLOCKED, limit=10)

    assert [one.about for one in told] == [{"address": ELSEWHERE}]


async def test_only_the_last_addresses_are_known(stores: Stores, accounts: Accounts):
    user = await accounts.verify(EMAIL, PASSWORD, address=HOME)
    for number in range(25):
        await stores.accounts.note_address(user.id, f"address:192.0.2.{number}")

    known = [
        number
        for number in range(25)
        if await stores.accounts.knows_address(user.id, f"address:192.0.2.{number}")
    ]

    assert known == list(range(5, 25))
