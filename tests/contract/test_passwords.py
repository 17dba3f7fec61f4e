"""Passwords: what signing in costs, and what a new one ends."""

import asyncio
from contextlib import suppress
from typing import Literal

import pytest
from argon2 import PasswordHasher

from feedloom.flow.identity.accounts import Accounts, fever_hash, hash_secret
from feedloom.model.errors import Conflict, FeedloomError, NotFound, NotSignedIn
from feedloom.model.reader import EndedAccess, Role, User
from feedloom.model.sync import View, ViewKind
from feedloom.store import ViewTokenStore
from tests.fakes import FixedClock
from tests.stores import Stores

EMAIL = "ada@example.org"
PASSWORD = "correct horse battery"
ADDRESS = "192.0.2.1"
NEW = "another password"
ISSUER = "https://id.example.org"


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
    """Give somebody two app passwords, clients' tokens, a shared view, an identity."""
    secrets = []
    for label in ("Phone", "Desktop"):
        made, secret = await accounts.add_app_password(user, label)
        secrets += [secret, await accounts.client_token(user, made, secret)]
    await ViewTokenStore(stores.front).create(
        user.id, token_hash="view", label="", view=View(ViewKind.ALL)
    )
    await stores.accounts.link_identity(user.id, ISSUER, "ada")
    return secrets


async def alive(stores: Stores, secrets: list[str]) -> list[bool]:
    return [
        await stores.accounts.by_secret(hash_secret(secret)) is not None for secret in secrets
    ] + [
        await ViewTokenStore(stores.front).by_hash("view") is not None,
        await stores.accounts.by_identity(ISSUER, "ada") is not None,
    ]


async def sign_in(accounts: Accounts) -> User:
    return await accounts.verify(EMAIL, PASSWORD, address=ADDRESS)


@pytest.mark.threat("A3")
async def test_a_new_password_ends_programs_shared_views_and_identities(
    accounts: Accounts, stores: Stores
):
    user = await sign_in(accounts)
    secrets = await give_access(accounts, stores, user)
    before = await alive(stores, secrets)

    _, ended = await accounts.change_password(
        user, PASSWORD, "another password", address=ADDRESS, keep_programs=False
    )

    key = fever_hash(EMAIL, secrets[0])
    assert before == [True] * 6
    assert ended == EndedAccess(2, 1, identities=1)
    assert await alive(stores, secrets) == [False] * 6
    assert await stores.accounts.by_secret(key) is None
    assert await stores.accounts.app_passwords(user.id) == []


async def test_programs_stay_when_their_owner_keeps_them(accounts: Accounts, stores: Stores):
    user = await sign_in(accounts)
    secrets = await give_access(accounts, stores, user)

    _, ended = await accounts.change_password(
        user, PASSWORD, "another password", address=ADDRESS, keep_programs=True
    )

    assert ended == EndedAccess()
    assert await alive(stores, secrets) == [True] * 6


@pytest.mark.threat("A3")
async def test_an_operators_reset_ends_everything_of_that_person_only(
    accounts: Accounts, stores: Stores
):
    user = await sign_in(accounts)
    secrets = await give_access(accounts, stores, user)
    bob = await accounts.register("bob@example.org", PASSWORD)
    _, of_bob = await accounts.add_app_password(bob, "Phone")
    await stores.accounts.link_identity(bob.id, ISSUER, "bob")

    ended = await accounts.reset_password(EMAIL, "another password")

    assert ended == EndedAccess(2, 1, identities=1)
    assert await alive(stores, secrets) == [False] * 6
    assert await stores.accounts.by_secret(hash_secret(of_bob)) is not None
    assert await stores.accounts.by_identity(ISSUER, "bob") is not None


async def test_a_stronger_hash_of_the_same_password_ends_no_programs(
    accounts: Accounts, stores: Stores
):
    user = await sign_in(accounts)
    secrets = await give_access(accounts, stores, user)
    stronger = CountingHasher(time_cost=2)
    later = Accounts(stores.accounts, FixedClock(), stronger)

    await later.verify(EMAIL, PASSWORD, address=ADDRESS)

    assert stronger.work == ["hash", "verify", "hash"]
    assert await alive(stores, secrets) == [True] * 6


async def change(accounts: Accounts, user: User, new: str = NEW) -> User:
    changed, _ = await accounts.change_password(
        user, PASSWORD, new, address=ADDRESS, keep_programs=False
    )
    return changed


@pytest.mark.threat("A3")
async def test_what_the_old_password_proved_starts_no_session_any_more(
    accounts: Accounts, stores: Stores
):
    proved = await sign_in(accounts)
    await stores.accounts.link_identity(proved.id, ISSUER, "ada")
    vouched = await stores.accounts.by_identity(ISSUER, "ada")
    assert vouched

    changed = await change(accounts, proved)

    for before in (proved, vouched):
        with pytest.raises(NotSignedIn, match="changed in the meantime"):
            await accounts.sign_in(before, user_agent="", address=ADDRESS)
    came = await accounts.sign_in(changed, user_agent="", address=ADDRESS)
    assert await accounts.session(came.token)


@pytest.mark.threat("A3")
async def test_sign_ins_that_overlap_a_change_keep_no_session(accounts: Accounts):
    user = await sign_in(accounts)
    tokens = []

    async def come_in() -> None:
        with suppress(NotSignedIn):
            proved = await sign_in(accounts)
            came = await accounts.sign_in(proved, user_agent="", address=ADDRESS)
            tokens.append(came.token)

    await asyncio.gather(change(accounts, user), *(come_in() for _ in range(4)))

    assert [await accounts.session(token) for token in tokens] == [None] * len(tokens)


@pytest.mark.threat("A3")
async def test_of_two_changes_at_once_the_second_is_refused(accounts: Accounts, stores: Stores):
    user = await sign_in(accounts)
    await stores.accounts.set_password(user.id, "first", mark=user.password_mark)

    with pytest.raises(NotSignedIn, match="changed in the meantime"):
        await stores.accounts.set_password(user.id, "second", mark=user.password_mark)

    found = await stores.accounts.by_email(EMAIL)
    assert found
    assert found[1] == "first"


@pytest.mark.threat("A3")
async def test_an_identity_is_unlinked_unless_it_is_the_last_way_in(stores: Stores):
    user = await stores.accounts.create("sso@example.org", None)
    stranger = await stores.accounts.create("bob@example.org", None)
    for subject in ("one", "two"):
        await stores.accounts.link_identity(user.id, ISSUER, subject)
    one, two = await stores.accounts.identities(user.id)

    with pytest.raises(NotFound):
        await stores.accounts.unlink_identity(stranger.id, one.key)
    await stores.accounts.unlink_identity(user.id, one.key)
    with pytest.raises(Conflict, match="only way"):
        await stores.accounts.unlink_identity(user.id, two.key)
    left = await stores.accounts.identities(user.id)
    await stores.accounts.set_password(user.id, "hash", keep_programs=True)
    await stores.accounts.unlink_identity(user.id, two.key)

    assert left == [two]
    assert await stores.accounts.by_identity(ISSUER, "two") is None


@pytest.mark.threat("A3")
@pytest.mark.parametrize("way", ["role", "disabled", "deleted"])
async def test_of_two_operators_who_lock_out_each_other_one_remains(
    accounts: Accounts, stores: Stores, way: str
):
    store = stores.accounts
    one = await sign_in(accounts)
    two = await accounts.register("two@example.org", PASSWORD, role=Role.OPERATOR)
    ways = {
        "role": lambda who: store.set_role(who.id, Role.READER),
        "disabled": lambda who: store.set_disabled(who.id, disabled=True),
        "deleted": lambda who: store.delete(who.id),
    }

    results = await asyncio.gather(ways[way](one), ways[way](two), return_exceptions=True)

    left = [
        person
        for person in await store.people()
        if person.is_operator and person.disabled_at is None
    ]
    assert [type(result) for result in results if result] == [Conflict]
    assert len(left) == 1
