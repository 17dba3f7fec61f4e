"""Nobody has more than their share, however many ask at once."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from feedloom.model.errors import InvalidInput
from feedloom.model.rules import MOST_RULES, NewRule
from feedloom.model.sync import View, ViewKind
from feedloom.store import RuleStore, ViewTokenStore
from feedloom.store.engine.scripts import WORKER, Insert, Script
from feedloom.store.identity.credentials import MOST_APP_PASSWORDS
from feedloom.store.reader.article_states import MOST_TAGS
from feedloom.store.reader.folders import MOST_FOLDERS
from feedloom.store.reader.views import MOST_TOKENS
from tests.stores import Stores

pytestmark = pytest.mark.threat("W9")

AT_ONCE = 6
Making = Callable[[int], Awaitable[object]]


async def fill(
    stores: Stores, table: str, columns: tuple[str, ...], rows: list[tuple[object, ...]]
) -> None:
    def steps() -> Script[None]:
        yield Insert(table, columns, rows)

    await stores.work.write(WORKER, steps)


async def only_one(make: Making, words: str) -> None:
    """Check that of several at once one is made, and the others are told why not."""
    results = await asyncio.gather(
        *(make(number) for number in range(AT_ONCE)), return_exceptions=True
    )
    refused = [one for one in results if isinstance(one, InvalidInput)]

    assert len(refused) == AT_ONCE - 1, results
    assert all(words in str(one) for one in refused)
    with pytest.raises(InvalidInput):
        await make(AT_ONCE)


async def test_folders(stores: Stores):
    ada = await stores.person()
    root = await stores.folders.root(ada.id)
    rows: list[tuple[object, ...]] = [
        (ada.id, root, f"f{number}") for number in range(MOST_FOLDERS - 1)
    ]
    await fill(stores, "folders", ("user_id", "parent_id", "name"), rows)

    async def make(number: int) -> object:
        if number % 2:
            return await stores.folders.create(ada.id, f"new{number}")
        return await stores.folders.ensure(ada.id, (f"new{number}",))

    await only_one(make, f"{MOST_FOLDERS} folders")
    assert await stores.folders.ensure(ada.id, ("f1",)) > 0
    assert len(await stores.folders.folders(ada.id)) == MOST_FOLDERS


async def test_tags(stores: Stores):
    ada = await stores.person()
    rows: list[tuple[object, ...]] = [(ada.id, f"t{number}") for number in range(MOST_TAGS - 1)]
    await fill(stores, "tags", ("user_id", "name"), rows)

    await only_one(
        lambda number: stores.reading.tag(ada.id, [], f"new{number}"), f"{MOST_TAGS} tags"
    )
    await stores.reading.tag(ada.id, [], "t1")
    assert len(await stores.reading.tags(ada.id)) == MOST_TAGS


async def test_app_passwords(stores: Stores):
    ada = await stores.person()

    async def make(number: int) -> object:
        return await stores.accounts.add_app_password(
            ada.id,
            label="x",
            secret_hash=f"secret {number}",
            fever_hash=f"fever {number}",
            scope="full",
        )

    first = await make(1000)
    for number in range(MOST_APP_PASSWORDS - 2):
        await make(2000 + number)
    await only_one(make, f"{MOST_APP_PASSWORDS} app passwords")
    await stores.accounts.revoke_app_password(ada.id, getattr(first, "id", 0))
    assert await make(3000)


async def test_shared_views(stores: Stores):
    ada = await stores.person()
    store = ViewTokenStore(stores.front)

    async def make(number: int) -> object:
        return await store.create(
            ada.id, token_hash=f"hash {number}", label="", view=View(ViewKind.ALL)
        )

    for number in range(MOST_TOKENS - 1):
        await make(1000 + number)
    await only_one(make, f"{MOST_TOKENS}")


async def test_rules(stores: Stores):
    ada = await stores.person()
    store = RuleStore(stores.front)
    rule = NewRule(name="x", field="title", pattern="x", action="read")
    columns = ("user_id", "name", "field", "pattern", "action", "position")
    rows: list[tuple[object, ...]] = [
        (ada.id, "x", "title", "x", "read", number) for number in range(MOST_RULES - 1)
    ]
    await fill(stores, "rules", (*columns, "created_at"), [(*row, 0) for row in rows])

    await only_one(lambda _: store.add(ada.id, rule), f"{MOST_RULES} rules")
