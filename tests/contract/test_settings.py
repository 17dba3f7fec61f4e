"""A person's settings: each change is one of its own, whatever else is changed meanwhile."""

import asyncio

from tests.stores import Stores


async def settings_of(stores: Stores, user_id: int) -> dict[str, object]:
    person = await stores.accounts.by_id(user_id)
    assert person is not None
    return dict(person.settings)


async def test_a_change_leaves_other_settings_alone(stores: Stores):
    ada = await stores.person("ada@example.org")

    await stores.accounts.save_settings(ada.id, {"size": "large", "calm_titles": True})
    await stores.accounts.save_settings(ada.id, {"size": "small"})

    assert await settings_of(stores, ada.id) == {"size": "small", "calm_titles": True}


async def test_changes_at_the_same_time_are_all_kept(stores: Stores):
    ada = await stores.person("ada@example.org")
    changes = {f"setting {number}": number for number in range(8)}

    await asyncio.gather(
        *(stores.accounts.save_settings(ada.id, {name: n}) for name, n in changes.items())
    )

    assert await settings_of(stores, ada.id) == changes


async def test_who_is_gone_has_no_settings_to_change(stores: Stores):
    ada = await stores.person("ada@example.org")

    await stores.accounts.save_settings(ada.id + 1, {"size": "large"})

    assert await settings_of(stores, ada.id) == {}
