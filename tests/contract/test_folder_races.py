"""Folders changed from two devices at once: no error, no folder inside itself."""

import asyncio

import pytest

from feedloom.model.errors import FeedloomError, NotFound
from feedloom.store import SyncStore
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


async def test_a_folder_named_by_its_path_is_found_by_its_path(stores: Stores):
    ada = await stores.person()
    flat = await stores.folders.create(ada.id, "News/Tech")

    assert await stores.folders.ensure(ada.id, ("News", "Tech")) == flat.id
    below = await stores.folders.ensure(ada.id, ("News", "Tech", "Python"))

    paths = {one.id: one.path for one in await stores.folders.folders(ada.id)}
    assert paths[below] == "News/Tech/Python"
    assert len(paths) == 2


@pytest.mark.parametrize("flat", ["sync", "pages"])
async def test_a_folder_goes_whatever_the_names_within_it(stores: Stores, flat: str):
    ada = await stores.person()
    long = await stores.folders.create(ada.id, "A" * 200)
    await stores.folders.create(ada.id, "B" * 100, parent_id=long.id)
    news = await stores.folders.create(ada.id, "News")
    await stores.folders.create(ada.id, "Tech", parent_id=news.id)
    # As older versions could leave them: two folders of one path.
    await stores.execute(
        "INSERT INTO folders (user_id, parent_id, name)"
        " SELECT user_id, parent_id, 'News/Tech' FROM folders WHERE name = 'News'"
    )

    for folder in (long, news):
        if flat == "sync":
            await SyncStore(stores.front).delete_folder(ada.id, folder.id)
        else:
            await stores.folders.delete(ada.id, folder.id, alone=True)

    names = sorted(one.name for one in await stores.folders.folders(ada.id))
    assert names == [f"{'A' * 200}/{'B' * 54}", "News/Tech", "News/Tech 2"]


async def test_somebody_who_is_gone_gets_no_folder(stores: Stores):
    with pytest.raises(NotFound):
        await stores.folders.ensure(99, ("News",))
