"""A session and the event of its sign-in are stored together, or neither is."""

from datetime import timedelta

import pytest

from feedloom.model.reader import Session
from tests.fakes import START
from tests.stores import Stores


async def test_a_sign_in_that_cannot_be_recorded_leaves_no_session(stores: Stores):
    ada = await stores.person()
    ends_at = START + timedelta(days=99_999)
    session = Session("hash", ada, "secret", START, START, ends_at)

    with pytest.raises(Exception):  # noqa: B017, PT011 - each engine has its own
        await stores.accounts.start_session(session, None, object())  # type: ignore[arg-type]  # cannot be stored

    assert await stores.accounts.sessions(ada.id) == []


async def test_a_sign_in_is_recorded_with_its_session(stores: Stores):
    ada = await stores.person()
    ends_at = START + timedelta(days=99_999)
    session = Session("hash", ada, "secret", START, START, ends_at)

    await stores.accounts.start_session(session, None, "user_login")

    rows = await stores.rows("SELECT event_type FROM events ORDER BY id")
    assert [row["event_type"] for row in rows] == ["user_registered", "user_login"]
    assert len(await stores.accounts.sessions(ada.id)) == 1
