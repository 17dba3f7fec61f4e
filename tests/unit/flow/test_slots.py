"""Slots: who waits for a stranger holds none for long, and memory stays bounded."""

import asyncio
import heapq
import random
from dataclasses import dataclass, field
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feedloom.flow.worker.slots import Slots, most_waiting

SIZE, MOST = 8, 256


@dataclass
class Clock:
    now: float = 100.0

    def __call__(self) -> float:
        return self.now


def slots_at(clock: Clock, size: int = SIZE, most: int = MOST) -> Slots:
    return Slots(size, most, clock)


NUMBERS = count()


def started(slots: Slots, number: int) -> list[str]:
    tokens = [f"job {next(NUMBERS)}" for _ in range(number)]
    for token in tokens:
        slots.start(token)
    return tokens


def answered(slots: Slots, clock: Clock, number: int, after_s: float) -> None:
    """Let so many start and end, one after the other."""
    for _ in range(number):
        (token,) = started(slots, 1)
        clock.now += after_s
        slots.hold(token)
        slots.leave(token)
        slots.free()


@dataclass
class World:
    """Jobs of which some hang, in a time of its own."""

    hang: float
    answer_s: float
    size: int
    clock: Clock = field(default_factory=Clock)

    def took_s(self, wanted: int) -> float:
        """Return how long it took until so many were answered."""
        chance = random.Random(7)
        slots = slots_at(self.clock, self.size, most_waiting(self.size, 65_536))
        began, ends = self.clock.now, list[tuple[float, str, bool]]()
        while wanted:
            for token in started(slots, max(0, slots.free())):
                hangs = chance.random() < self.hang
                takes_s = 30.0 if hangs else self.answer_s * chance.uniform(0.5, 2.0)
                heapq.heappush(ends, (self.clock.now + takes_s, token, hangs))
            next_slow_at = self.clock.now + max(slots.next_slow_s(), 0.001)
            if ends[0][0] > next_slow_at:
                self.clock.now = next_slow_at
                continue
            self.clock.now, token, hangs = heapq.heappop(ends)
            slots.hold(token)
            slots.leave(token)
            wanted -= not hangs
        return self.clock.now - began


@pytest.mark.threat("W1")
@pytest.mark.parametrize("size", [4, 32, 128])
@pytest.mark.parametrize("answer_s", [0.05, 0.3, 1.0])
@pytest.mark.parametrize("hang", [0.05, 0.25, 0.4])
def test_those_that_hang_cost_the_others_next_to_nothing(size, answer_s, hang):
    wanted = 36 * size

    alone_s = World(0.0, answer_s, size).took_s(wanted)
    beside_s = World(hang, answer_s, size).took_s(wanted)

    assert beside_s < alone_s / 0.9


@pytest.mark.parametrize("answer_s", [0.001, 0.3, 3.0])
def test_while_all_answer_as_usual_no_more_are_asked_than_there_are_slots(answer_s):
    clock = Clock()
    slots = slots_at(clock)
    answered(slots, clock, 100, answer_s)
    clock.now += 10
    waiting: list[str] = []

    for _ in range(500):
        waiting += started(slots, slots.free())
        assert len(waiting) == SIZE
        clock.now += answer_s / SIZE
        slots.hold(waiting[0])
        slots.leave(waiting.pop(0))


def test_who_is_slow_takes_no_slot_any_more():
    clock = Clock()
    slots = slots_at(clock)
    tokens = started(slots, SIZE)
    assert (slots.free(), slots.lively) == (0, SIZE)

    clock.now += slots.next_slow_s()

    assert (slots.free(), slots.lively) == (SIZE, 0)
    assert slots.slow == set(tokens)


@pytest.mark.parametrize(
    ("usual_s", "slow_s"), [(1e-5, 0.04), (0.02, 0.1), (0.5, 2.5), (20.0, 5.0)]
)
def test_what_is_slow_is_told_by_what_is_usual(usual_s, slow_s):
    clock = Clock()
    slots = slots_at(clock)
    answered(slots, clock, 300, usual_s)
    clock.now += 10
    slots.free()
    started(slots, 1)

    assert slots.next_slow_s() == pytest.approx(slow_s, rel=0.3)


def test_a_line_of_our_own_that_is_slow_is_not_crowded():
    clock = Clock()
    slots = slots_at(clock)

    for _ in range(100):
        started(slots, max(0, slots.free()))
        clock.now += 1

    assert len(slots.slow) + len(slots.waiting) == 4 * SIZE


def test_no_more_wait_than_may():
    clock = Clock()
    slots = slots_at(clock)

    for _ in range(2 * MOST):
        answered(slots, clock, 3, 0.01)
        started(slots, min(1, max(0, slots.free())))
        clock.now += 1

    assert len(slots.slow) + len(slots.waiting) == MOST
    assert slots.free() == 0


def test_jobs_that_wait_for_nobody_hold_their_slots():
    slots = Slots(4)
    started(slots, 3)

    assert (slots.free(), slots.lively, slots.next_slow_s()) == (1, 3, float("inf"))


def test_so_many_may_wait_as_files_may_be_open():
    assert most_waiting(32, 65_536) == 1_024
    assert most_waiting(32, 1_024) == 512
    assert most_waiting(600, 1_024) == 600


async def test_who_holds_a_slot_waits_for_no_turn():
    slots = Slots(1)
    (token,) = started(slots, 1)

    assert slots.turn(token, whole=False) is None
    assert slots.turn(token, whole=True) is None
    assert slots.holding == {token}


async def test_answers_have_room_as_long_as_there_are_slots():
    slots = Slots(4, 100)
    tokens = started(slots, 6)

    turns = [slots.turn(token, whole=True) for token in tokens]

    assert turns[:4] == [None] * 4
    fifth, sixth = turns[4:]
    assert fifth is not None
    assert sixth is not None
    slots.leave(tokens[0])
    assert (fifth.done(), sixth.done()) == (True, False)
    assert slots.holding == set(tokens[1:5])


async def test_what_grows_has_room_of_its_own():
    slots = Slots(2, 100)
    tokens = started(slots, 5)

    growing = [slots.turn(token, whole=False) for token in tokens[:3]]
    whole = [slots.turn(token, whole=True) for token in tokens[3:]]

    assert (whole, growing[:2]) == ([None, None], [None, None])
    third = growing[2]
    assert third is not None
    for token in tokens[3:]:
        slots.leave(token)
    slots.hold(tokens[0])
    await asyncio.wait_for(third, 1)
    assert len(slots.growing) == 2
    assert slots.holding == {tokens[0]}


async def test_nothing_starts_while_many_answers_lie_unread():
    clock = Clock()
    slots = slots_at(clock)

    for _ in range(20):
        for token in started(slots, max(0, slots.free())):
            slots.turn(token, whole=False)
        clock.now += 1

    assert slots.growing.unread == 8 * SIZE
    assert slots.under_way == SIZE + 8 * SIZE
    assert slots.free() == 0


async def test_no_more_are_asked_than_can_be_read_while_all_of_them_are_large():
    clock = Clock()
    slots = slots_at(clock)
    most = 0

    for step in range(1_000):
        for token in started(slots, max(0, slots.free())):
            slots.turn(token, whole=False)
        most = max(most, slots.under_way) if step > 100 else 0
        clock.now += 0.02
        grown = next(iter(slots.growing._parts))
        slots.hold(grown)
        slots.leave(grown)
        slots.growing._step()

    assert most <= 2 * SIZE + 1


async def test_answers_that_are_refused_did_not_come_in_well():
    clock = Clock()
    slots = slots_at(clock)
    tokens = started(slots, SIZE + 2)
    for token in tokens:
        slots.turn(token, whole=False)

    unread = slots.growing.unread
    assert unread == 2
    for came, free in ((False, SIZE - 1), (True, SIZE - 2 - unread)):
        slots.hold(tokens.pop(0), came=came)

        assert slots.free() == free


@pytest.mark.threat("W1")
@pytest.mark.parametrize("held", [0, 3, SIZE])
async def test_how_soon_answers_grow_is_told_by_the_slots_that_are_held(held):
    slots = Slots(SIZE, MOST)
    for token in started(slots, held):
        slots.turn(token, whole=True)

    assert slots.growing.busy() == held / SIZE


async def test_time_that_is_spent_waiting_for_a_step_is_not_our_hosts_doing():
    clock = Clock()
    slots = slots_at(clock)
    (token,) = started(slots, 1)
    slots.turn(token, whole=False)
    clock.now += 10
    slots.turn(token, whole=False)
    clock.now += 0.5
    for other in started(slots, SIZE + 3):
        slots.turn(other, whole=False)

    slots.hold(token)

    unread = slots.growing.unread
    assert unread > 0
    assert slots.free() == SIZE - 1 - unread


async def test_what_grows_takes_no_slot_from_what_may_start():
    clock = Clock()
    slots = slots_at(clock)
    for token in started(slots, SIZE):
        assert slots.turn(token, whole=False) is None

    assert slots.free() == SIZE


async def test_who_leaves_waits_for_no_turn():
    slots = Slots(1, 100)
    zeroth, first, second, third = started(slots, 4)
    assert slots.turn(first, whole=False) is None
    assert slots.turn(zeroth, whole=True) is None
    whole, large = slots.turn(second, whole=True), slots.turn(third, whole=False)
    assert whole is not None
    assert large is not None

    for token in (second, third, first, zeroth):
        slots.leave(token)

    assert whole.cancelled()
    assert large.cancelled()
    assert slots.under_way == 0


ACTS = st.lists(
    st.tuples(
        st.sampled_from(["start", "whole", "large", "hold", "leave", "wait"]),
        st.integers(0, 9),
    ),
    max_size=80,
)


@given(ACTS)
@settings(max_examples=200)
def test_nothing_is_counted_twice_or_forgotten(acts):
    async def check() -> None:
        clock = Clock()
        slots = slots_at(clock, 3, 12)
        under_way: set[str] = set()
        names: dict[int, str] = {}
        turns: dict[str, asyncio.Future[None] | None] = {}
        for act, number in acts:
            token = names.get(number, "")
            match act:
                case "start" if token not in under_way:
                    (token,) = started(slots, 1)
                    names[number] = token
                    under_way.add(token)
                case "whole" | "large" if token in under_way and token not in turns:
                    turns[token] = slots.turn(token, whole=act == "whole")
                case "large" if token in slots.growing:
                    slots.turn(token, whole=False)
                case "hold" if token in under_way and turns.get(token) is None:
                    slots.hold(token)
                    turns[token] = None
                case "leave":
                    slots.leave(token)
                    under_way.discard(token)
                    turns.pop(token, None)
                case "wait":
                    clock.now += number / 4
                case _:
                    continue
            slots.free()
            silent = [set(slots.waiting), slots.slow, set(slots.growing._parts)]
            parts = [*silent, slots.holding, set(slots._whole)]
            assert set().union(*parts) == under_way
            assert sum(map(len, parts)) == slots.under_way == len(under_way)
        for token in list(under_way):
            slots.leave(token)
        assert (slots.under_way, slots.growing.unread) == (0, 0)

    asyncio.run(check())
