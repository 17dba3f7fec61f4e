"""Growing: large answers come in soon, those that never end keep nobody waiting."""

import asyncio
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feedloom.flow.worker.growing import Growing

SIZE = 16
OLDEST = 2
"""How many heavy answers go on beside each other."""


def growing(busy: float = 0.0) -> Growing:
    return Growing(SIZE, lambda: busy)


def tokens(number: int, name: str = "answer") -> list[str]:
    return [f"{name} {place}" for place in range(number)]


def heavy(grown: Growing, number: int) -> list[str]:
    """Let so many grow until they are heavy; each waits for another step."""
    made = tokens(number, "heavy")
    for token in made:
        for _ in range(2):
            assert grown.ask(token) is None
        grown.ask(token)
    return made


def waits(grown: Growing, token: str) -> bool:
    return token in grown._waiting


async def test_an_answer_grows_at_once_while_there_is_time():
    grown = growing()

    assert [grown.ask("large") for _ in range(2)] == [None] * 2
    further = grown.ask("large")
    assert further is not None
    await asyncio.wait_for(further, 1)


async def test_so_many_are_read_at_once_as_there_are_slots():
    grown = growing()

    turns = [grown.ask(token) for token in tokens(SIZE + 2)]

    assert turns[:SIZE] == [None] * SIZE
    first, second = turns[SIZE:]
    assert first is not None
    assert second is not None
    assert grown.unread == 2
    grown.leave("answer 3")
    await asyncio.wait_for(first, 1)
    assert not second.done()
    assert grown.ask("answer 4") is None  # it came first, so it goes on first
    await asyncio.sleep(0.05)
    assert not second.done()
    grown.leave("answer 4")
    await asyncio.wait_for(second, 1)


@pytest.mark.threat("W1")
async def test_who_came_first_goes_first():
    grown = growing()
    order: list[str] = []
    names = tokens(3 * SIZE)

    def ask(token: str) -> None:
        if (turn := grown.ask(token)) is None:
            order.append(token)
        else:
            turn.add_done_callback(lambda _: order.append(token))

    for token in names:
        ask(token)
    async with asyncio.timeout(5):
        while len(order) < len(names):
            grown.leave(order[-1])
            await asyncio.sleep(0.001)

    assert order == names


@pytest.mark.threat("W1")
async def test_those_that_never_end_keep_no_other_waiting():
    grown = growing()
    heavy(grown, 4 * SIZE)

    for token in tokens(SIZE - OLDEST):
        assert [grown.ask(token) for _ in range(2)] == [None, None]
        grown.leave(token)


@pytest.mark.threat("W1")
async def test_only_the_oldest_few_of_the_heavy_ones_go_on():
    grown = growing()
    made = heavy(grown, 10)
    steps = dict.fromkeys(made, 0)

    for _ in range(200):
        await asyncio.sleep(0.0005)
        for token in made:
            if not waits(grown, token):
                steps[token] += 1
                grown.ask(token)

    assert steps[made[0]]
    assert not any(steps[token] for token in made[OLDEST:])
    assert not grown.unread


@pytest.mark.threat("W1")
async def test_when_a_heavy_one_ends_the_next_goes_on():
    grown = growing()
    made = heavy(grown, 4)
    await asyncio.sleep(0.05)
    assert [waits(grown, token) for token in made] == [False, False, True, True]

    grown.leave(made[0])
    await asyncio.sleep(0.05)

    assert [waits(grown, token) for token in made[1:]] == [False, False, True]


@pytest.mark.threat("W1")
async def test_no_more_begin_to_grow_than_memory_is_for():
    grown = growing()
    made = heavy(grown, 8 * SIZE)

    turn = grown.ask("one more")

    assert turn is not None
    assert grown.unread == 1
    grown.leave(made[-1])
    await asyncio.wait_for(turn, 1)


@pytest.mark.threat("W1")
@pytest.mark.parametrize(
    ("busy", "light_s", "heavy_s"),
    [(0.0, 0.001, 0.002), (0.5, 0.0075, 0.025), (1.0, 0.03, 0.1)],
)
async def test_the_shorter_time_is_the_seldomer_a_step_is_given(busy, light_s, heavy_s):
    share = 0.0
    grown = Growing(SIZE, lambda: share)
    (token,) = heavy(grown, 1)
    share = busy
    grown.ask("new")

    assert grown._pace_s("new") == pytest.approx(light_s)
    assert grown._pace_s(token) == pytest.approx(heavy_s)
    async with asyncio.timeout(5):
        while grown._waiting:  # noqa: ASYNC110 - a state, no event
            await asyncio.sleep(0.001)


@pytest.mark.threat("W1")
async def test_a_light_answer_does_not_wait_until_a_heavy_one_may_go_on():
    share = 0.0
    grown = Growing(SIZE, lambda: share)
    (token,) = heavy(grown, 1)
    while waits(grown, token):  # noqa: ASYNC110 - a state, no event
        await asyncio.sleep(0.001)
    share = 50.0  # a heavy one waits for minutes now
    grown.ask(token)
    heavy_at = grown._due_at

    share = 0.5
    light = grown.ask("new")

    assert light is not None
    await asyncio.wait_for(light, 5)
    assert grown._due_at < heavy_at


async def test_who_leaves_waits_no_longer():
    grown = growing(busy=1.0)
    turn = grown.ask("large")
    assert turn is not None

    grown.leave("large")
    grown.leave("large")
    await asyncio.sleep(0.05)

    assert turn.cancelled()
    assert len(grown) == 0
    assert "large" not in grown
    assert grown.since("large") is None


@given(
    st.lists(st.integers(1, 12), min_size=1, max_size=60),
    st.integers(1, 5),
    st.integers(0, 1_000),
)
@settings(max_examples=40, deadline=None)
def test_everybody_comes_to_an_end(sizes, slots, seed):
    """Answers of so many steps, whose hosts take their time, all grow to their end."""
    chance = random.Random(seed)

    async def main() -> None:
        grown = Growing(slots, lambda: 0.0)

        async def read(place: int, steps: int) -> None:
            for _ in range(steps):
                if (turn := grown.ask(f"{place}")) is not None:
                    await turn
                for _ in range(chance.randrange(3)):
                    await asyncio.sleep(0)
            grown.leave(f"{place}")

        async with asyncio.timeout(20), asyncio.TaskGroup() as tasks:
            for place, steps in enumerate(sizes):
                tasks.create_task(read(place, steps))
        assert (len(grown), grown.unread, grown._waiting) == (0, 0, {})

    asyncio.run(main())
