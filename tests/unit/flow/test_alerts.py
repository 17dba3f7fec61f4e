"""Alerts: critical faults are posted, once each, without standing in the way."""

import asyncio
import json
from datetime import timedelta

import pytest

from feedloom.flow.worker.alerts import Alerts, hear_critical
from feedloom.model.errors import Unreachable
from feedloom.model.stages import FetchRequest, FetchResponse, Purpose
from tests.fakes import FixedClock

URL = "https://alerts.example/hook"


class Receiver:
    """A ``Fetcher`` that takes posts, after failing a few times."""

    def __init__(self, *, failures: int = 0) -> None:
        self.asked: list[FetchRequest] = []
        self.failures = failures
        self.taken = asyncio.Event()

    async def fetch(self, ask: FetchRequest) -> FetchResponse:
        self.asked.append(ask)
        if len(self.asked) <= self.failures:
            raise Unreachable
        self.taken.set()
        return FetchResponse(ask.url, 204, {}, b"")

    async def close(self) -> None:
        """Nothing is open."""

    @property
    def told(self) -> list[dict[str, str]]:
        return [json.loads(ask.body or b"{}") for ask in self.asked]


def critical(event: str, **more: object) -> None:
    line = {"event": event, **more}
    assert hear_critical(None, "critical", line) is line


async def test_a_critical_line_is_posted_with_its_sentence_and_nothing_else():
    receiver = Receiver()
    alerts = Alerts(receiver, URL, FixedClock(), "host:1")

    async with alerts.listening():
        critical("database_unavailable", why="The disk is full.", exc_info="secret")

    [ask] = receiver.asked
    [told] = receiver.told
    assert (ask.url, ask.sink, ask.method) == (URL, Purpose.ALERT, "POST")
    assert told["event"] == "database_unavailable"
    assert told["why"] == "The disk is full."
    assert "secret" not in (ask.body or b"").decode()


async def test_other_lines_are_not_posted():
    receiver = Receiver()
    alerts = Alerts(receiver, URL, FixedClock(), "host:1")

    async with alerts.listening():
        hear_critical(None, "warning", {"event": "task_failed"})

    assert receiver.asked == []


async def test_the_same_event_is_told_once_in_a_quarter_of_an_hour():
    receiver = Receiver()
    clock = FixedClock()
    alerts = Alerts(receiver, URL, clock, "host:1")

    async with alerts.listening():
        for _ in range(100):
            critical("job_crashed")
        critical("network_down")
        clock.advance(timedelta(minutes=16))
        critical("job_crashed")

    assert [told["event"] for told in receiver.told] == [
        "job_crashed",
        "network_down",
        "job_crashed",
    ]


@pytest.mark.threat("Q23")
async def test_a_post_that_fails_is_tried_again():
    receiver = Receiver(failures=2)
    alerts = Alerts(receiver, URL, FixedClock(), "host:1", retry_s=0)

    async with alerts.listening():
        critical("network_down")
        async with asyncio.timeout(5):
            await receiver.taken.wait()

    assert len(receiver.asked) == 3


async def test_nothing_is_heard_after_the_end():
    receiver = Receiver()
    alerts = Alerts(receiver, URL, FixedClock(), "host:1")
    async with alerts.listening():
        pass

    critical("database_unavailable")

    assert receiver.asked == []
