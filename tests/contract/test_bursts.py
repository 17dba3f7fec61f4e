"""Bursts of discovery: paid for afterwards, refused to hosts that were asked enough."""

import pytest

from feedloom.model.work import Politeness
from feedloom.store import HostGate
from tests.stores import Stores

pytestmark = pytest.mark.threat("S25")

HOST = "a.example"


async def test_a_burst_goes_at_once_until_the_account_is_overdrawn(stores: Stores):
    gate = HostGate(stores.front, Politeness(delay_s=3.0))

    waits = [await gate.enter(HOST, "", burst=True) for _ in range(60)]

    assert waits[:40] == [0.0] * 40
    assert all(wait > 0 for wait in waits[-10:])
    assert await gate.enter(HOST, "feed") > 60


async def test_a_host_that_asked_for_patience_is_spared_by_bursts_too(stores: Stores):
    gate = HostGate(stores.front, Politeness(delay_s=3.0))
    await gate.enter(HOST, "", burst=True)
    await stores.execute("UPDATE hosts SET cooldown_until = now_us() + 60000000")

    assert 50 < await gate.enter(HOST, "", burst=True) <= 60
