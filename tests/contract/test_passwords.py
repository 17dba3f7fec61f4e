"""Passwords: what signing in costs, and what a new one ends."""

from typing import Literal

import pytest
from argon2 import PasswordHasher

from feedloom.flow.identity.accounts import Accounts, fever_hash, hash_secret
from feedloom.model.errors import FeedloomError, NotSignedIn
from feedloom.model.reading import EndedAccess, User
from feedloom.model.syncing import View, ViewKind
from feedloom.store import ViewTokenStore
from tests.fakes import FixedClock
from tests.stores import Stores

EMAIL = "ada@example.org"
PASSWORD = "correct horse battery"
ADDRESS = "192.0.2.1"


class CountingHasher(PasswordHasher):
    """A quick argon2id that writes down which slow work was done."""

    def __init__(self, time_cost: int = 1) -> None:
        super().__init__(time_cost=time_cost, memory_cost=8, parallelism=1)
        self.work: list[str] = []

    def hash(self, password: str | bytes, *, salt: bytes | None = None) -> str:
        self.work.append("hash")
        return super().hash(password, salt=salt)

    def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:  # noqa: A002 - the library's name
        self.work.append("verify")
        return super().verify(hash, password)


@pytest.fixture
def hasher() -> CountingHasher:
    return CountingHasher()


@pytest.fixture
async def accounts(stores: Stores, hasher: CountingHasher) -> Accounts:
    made = Accounts(stores.accounts, FixedClock(), hasher)
    await made.register(EMAIL, PASSWORD)
    disabled = await made.register("gone@example.org", PASSWORD)
    await stores.accounts.set_disabled(disabled.id, disabled=True)
    await stores.accounts.create("sso@example.org", None)
    return made


async def refusal(accounts: Accounts, email: str, password: str) -> FeedloomError:
    with pytest.raises(NotSignedIn) as caught:
        await accounts.verify(email, password, address=f"2001:db8::{len(email):x}")
    return caught.value


@pytest.mark.threat("A10")
async def test_known_and_unknown_names_take_the_same_work_and_the_same_words(
    accounts: Accounts, hasher: CountingHasher
):
    await refusal(accounts, "first@example.org", "x")
    tries = (
        (EMAIL, "wrong password"),
        ("nobody@example.org", "wrong password"),
        ("gone@example.org", PASSWORD),
        ("gone@example.org", "wrong password"),
        ("sso@example.org", "wrong password"),
        ("not an address", "wrong password"),
        (f"{EMAIL}\x00", "wrong password"),
    )
    seen = set()
    for email, password in tries:
        hasher.work.clear()
        error = await refusal(accounts, email, password)
        seen.add((tuple(hasher.work), str(error), error.key))

    assert seen == {(("verify",), "Invalid email or password", "not_signed_in")}


@pytest.mark.threat("A10")
async def test_signing_in_takes_the_same_work_as_failing(
    accounts: Accounts, hasher: CountingHasher
):
    await refusal(accounts, EMAIL, "wrong password")
    hasher.work.clear()

    await accounts.verify(EMAIL, PASSWORD, address=ADDRESS)

    assert hasher.work == ["verify"]


async def give_access(accounts: Accounts, stores: Stores, user: User) -> list[str]:
    """Give somebody two app passwords, a client's token and a shared view."""
    secrets = []
    for label in ("Phone", "Desktop"):
        made, secret = await accounts.add_app_password(user, label)
        secrets += [secret, await accounts.client_token(user, made, secret)]
    await ViewTokenStore(stores.front).create(
        user.id, token_hash="view", label="", view=View(ViewKind.ALL)
    )
    return secrets


async def alive(stores: Stores, secrets: list[str]) -> list[bool]:
    return [
        await stores.accounts.by_secret(hash_secret(secret)) is not None
        for secret in secrets
    ] + [await ViewTokenStore(stores.front).by_hash("view") is not None]


async def sign_in(accounts: Accounts) -> User:
    return await accounts.verify(EMAIL, PASSWORD, address=ADDRESS)


@pytest.mark.threat("A3")
async def test_a_new_password_ends_app_passwords_their_tokens_and_shared_views(
    accounts: Accounts, stores: Stores
):
    user = await sign_in(accounts)
    secrets = await give_access(accounts, stores, user)
    before = await alive(stores, secrets)

    ended = await accounts.change_password(
        user, PASSWORD, "another password", address=ADDRESS, keep_programs=False
    )

    key = fever_hash(EMAIL, secrets[0])
    assert before == [True] * 5
    assert ended == EndedAccess(app_passwords=2, shared_views=1)
    assert await alive(stores, secrets) == [False] * 5
    assert await stores.accounts.by_secret(key) is None
    assert await stores.accounts.app_passwords(user.id) == []


async def test_programs_stay_when_their_owner_keeps_them(
    accounts: Accounts, stores: Stores
):
    user = await sign_in(accounts)
    secrets = await give_access(accounts, stores, user)

    ended = await accounts.change_password(
        user, PASSWORD, "another password", address=ADDRESS, keep_programs=True
    )

    assert ended == EndedAccess()
    assert await alive(stores, secrets) == [True] * 5


@pytest.mark.threat("A3")
async def test_an_operators_reset_ends_everything_of_that_person_only(
    accounts: Accounts, stores: Stores
):
    user = await sign_in(accounts)
    secrets = await give_access(accounts, stores, user)
    bob = await accounts.register("bob@example.org", PASSWORD)
    _, of_bob = await accounts.add_app_password(bob, "Phone")

    ended = await accounts.reset_password(EMAIL, "another password")

    assert ended == EndedAccess(app_passwords=2, shared_views=1)
    assert await alive(stores, secrets) == [False] * 5
    assert await stores.accounts.by_secret(hash_secret(of_bob)) is not None


async def test_a_stronger_hash_of_the_same_password_ends_no_programs(
    accounts: Accounts, stores: Stores
):
    user = await sign_in(accounts)
    secrets = await give_access(accounts, stores, user)
    stronger = CountingHasher(time_cost=2)
    later = Accounts(stores.accounts, FixedClock(), stronger)

    await later.verify(EMAIL, PASSWORD, address=ADDRESS)

    assert stronger.work == ["hash", "verify", "hash"]
    assert await alive(stores, secrets) == [True] * 5
