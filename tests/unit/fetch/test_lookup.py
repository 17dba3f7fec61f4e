import asyncio
import socket
import threading

import pytest

from feedloom.fetch.connections import LookupThreads


async def test_address_is_its_own_answer():
    threads = LookupThreads(2)

    found = await threads("127.0.0.1")
    threads.close()

    assert found == ["127.0.0.1"]


@pytest.mark.threat("S5")
@pytest.mark.parametrize("name", ["a..b", "x" * 64 + ".example", "."])
async def test_name_that_cannot_be_spelled_does_not_exist(name):
    threads = LookupThreads(2)

    with pytest.raises(socket.gaierror):
        await threads(name)
    threads.close()


async def test_failure_of_the_system_is_handed_on():
    def fail(host: str) -> list[str]:
        raise socket.gaierror(socket.EAI_AGAIN, "busy")

    threads = LookupThreads(2, fail)

    with pytest.raises(socket.gaierror):
        await threads("feeds.example")
    threads.close()


class Slow:
    """A resolver that answers no name starting with ``slow`` until it is let go."""

    def __init__(self) -> None:
        self.let_go = threading.Event()
        self.asked: list[str] = []
        self.at_once = 0
        self.most_at_once = 0
        self._lock = threading.Lock()

    def __call__(self, host: str) -> list[str]:
        with self._lock:
            self.asked.append(host)
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        if host.startswith("slow"):
            self.let_go.wait(10)
        with self._lock:
            self.at_once -= 1
        return ["192.0.2.1"]


@pytest.mark.threat("S18")
async def test_names_that_hang_do_not_hold_up_others():
    slow = Slow()
    threads = LookupThreads(20, slow)
    hanging = [asyncio.create_task(threads(f"slow-{n}")) for n in range(15)]
    await asyncio.sleep(0)

    found = await asyncio.wait_for(threads("quick"), 5)

    assert found == ["192.0.2.1"]
    slow.let_go.set()
    await asyncio.gather(*hanging)
    threads.close()


async def test_no_more_lookups_at_once_than_allowed():
    slow = Slow()
    threads = LookupThreads(3, slow)
    slow.let_go.set()

    await asyncio.gather(*(threads(f"slow-{n}") for n in range(50)))

    assert slow.most_at_once <= 3
    assert len(slow.asked) == 50
    threads.close()


async def test_lookup_nobody_waits_for_is_not_made():
    slow = Slow()
    threads = LookupThreads(1, slow)
    first = asyncio.create_task(threads("slow-1"))
    second = asyncio.create_task(threads("slow-2"))
    await asyncio.sleep(0)

    second.cancel()
    slow.let_go.set()
    await first
    await threads("last")

    assert slow.asked == ["slow-1", "last"]
    threads.close()


async def test_threads_never_keep_the_program_alive():
    threads = LookupThreads(2)
    await threads("127.0.0.1")

    ours = [t for t in threading.enumerate() if t.name.startswith("lookup-")]
    threads.close()

    assert ours
    assert all(thread.daemon for thread in ours)
