"""Folders changed from two devices at once: no error, no folder inside itself."""

import asyncio

import pytest

from feedloom.model.errors import FeedloomError
from tests.stores import Stores

pytestmark = pytest.mark.threat("D15")


async def test_the_same_path_made_at_once_is_one_folder(stores: Stores):
    ada = await stores.person()

    made = await asyncio.gather(
        *(stores.folders.ensure(ada.id, ("News", "World")) for _ in range(8))
    )

    assert len(set(made)) == 1
    assert len(await stores.folders.folders(ada.id)) == 2


async def test_two_folders_are_never_inside_each_other(stores: Stores):
    ada = await stores.person()
    for place in range(5):
        one = await stores.folders.create(ada.id, f"one{place}")
        two = await stores.folders.create(ada.id, f"two{place}")

        results = await asyncio.gather(
            stores.folders.move(ada.id, one.id, two.id),
            stores.folders.move(ada.id, two.id, one.id),
            return_exceptions=True,
        )

        refused = [each for each in results if isinstance(each, FeedloomError)]
        assert len(refused) == 1
    assert len(await stores.folders.folders(ada.id)) == 10
