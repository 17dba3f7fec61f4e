"""What is deleted between two reads of one request is not found; it is no error of ours."""

from types import SimpleNamespace
from typing import Any

import pytest

from feedloom.model.errors import NotFound
from feedloom.model.reader import Folder
from feedloom.serve.sync.feedbin.subscriptions import create_tagging
from feedloom.serve.sync.miniflux.feeds import shown_feed, update_category


async def _nothing(*_given: object, **_named: object) -> None: ...


async def _folders() -> list[Folder]:
    return [Folder(7, "News", None)]


async def _none() -> dict[int, object]:
    return {}


def _call(**more: object) -> Any:
    given = SimpleNamespace(
        says=lambda _name: False, flag_if_said=lambda _name: None, text=lambda _name: "7"
    )
    return SimpleNamespace(
        id=lambda: 7, user_id=1, given=given, folders=_folders, categories=_none, **more
    )


async def _rules(_user_id: int) -> list[object]:
    return []


async def test_a_category_that_is_deleted_while_it_is_changed():
    with pytest.raises(NotFound):
        await update_category(_call())


async def test_a_feed_whose_category_is_deleted_while_it_is_shown():
    services = SimpleNamespace(rules=SimpleNamespace(store=SimpleNamespace(rules=_rules)))
    feed: Any = SimpleNamespace(id=3, folder_id=7)

    with pytest.raises(NotFound):
        await shown_feed(_call(services=services), feed)


async def test_a_tagging_whose_feed_is_left_while_it_is_made():
    async def no_feeds() -> list[object]:
        return []

    subscriptions = SimpleNamespace(subscription=_nothing, change=_nothing)
    services = SimpleNamespace(
        subscriptions=subscriptions, folders=SimpleNamespace(ensure=_nothing)
    )

    with pytest.raises(NotFound):
        await create_tagging(_call(services=services, feeds=no_feeds))
