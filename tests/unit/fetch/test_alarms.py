import asyncio
from collections.abc import Callable

import pytest

from feedloom.fetch.alarms import Alarm


async def test_rings_once_for_each_in_the_order_of_their_times():
    rung: list[str] = []
    alarm: Alarm[str] = Alarm(rung.append)

    alarm.set("late", 0.06)
    alarm.set("early", 0.01)
    alarm.set("between", 0.03)
    await asyncio.sleep(0.2)

    assert rung == ["early", "between", "late"]


async def test_what_is_cleared_does_not_ring():
    rung: list[str] = []
    alarm: Alarm[str] = Alarm(rung.append)

    alarm.set("over", 0.01)
    alarm.set("not over", 0.02)
    alarm.clear("over")
    alarm.clear("never set")
    await asyncio.sleep(0.1)

    assert rung == ["not over"]


async def test_what_is_set_again_rings_at_its_new_time_alone():
    rung: list[str] = []
    alarm: Alarm[str] = Alarm(rung.append)

    alarm.set("moved", 0.01)
    alarm.set("moved", 0.15)
    await asyncio.sleep(0.05)
    early = list(rung)
    await asyncio.sleep(0.2)

    assert early == []
    assert rung == ["moved"]


async def test_one_timer_waits_for_all(monkeypatch: pytest.MonkeyPatch):
    alarm: Alarm[int] = Alarm(lambda _: None)
    loop = asyncio.get_running_loop()
    timers: list[float] = []
    call_at = loop.call_at

    def counted(when: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
        timers.append(when)
        return call_at(when, callback)

    monkeypatch.setattr(loop, "call_at", counted)

    for key in range(100):
        alarm.set(key, 30 + key)
        alarm.clear(key)

    assert len(timers) == 1


async def test_who_is_rung_for_may_set_and_clear():
    rung: list[str] = []

    def ring(key: str) -> None:
        rung.append(key)
        if key == "first":
            alarm.set("next", 0.01)
            alarm.clear("cleared")

    alarm: Alarm[str] = Alarm(ring)
    alarm.set("first", 0.01)
    alarm.set("cleared", 0.1)
    await asyncio.sleep(0.25)

    assert rung == ["first", "next"]


async def test_no_time_passes_for_what_is_paused():
    rung: list[str] = []
    alarm: Alarm[str] = Alarm(rung.append)

    alarm.set("paused", 0.05)
    alarm.set("over", 0.05)
    for key in ("paused", "over", "never set"):
        alarm.pause(key)
    alarm.clear("over")
    await asyncio.sleep(0.15)
    before = list(rung)
    for key in ("paused", "over", "never set"):
        alarm.resume(key)
    await asyncio.sleep(0.15)

    assert (before, rung) == ([], ["paused"])
