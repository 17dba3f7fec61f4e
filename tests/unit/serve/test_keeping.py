"""What is kept of answers: one version, so many bytes, and for one person each."""

import asyncio

import pytest
from starlette.requests import Request

from feedloom.model.ports import Sight, watch
from feedloom.model.reading import Role, User
from feedloom.serve.auth import Actor
from feedloom.serve.wire.keeping import Kept, answer_kept
from feedloom.serve.wire.speaking import Written
from tests.unit.serve.requests_made import make_request

ANSWER = Written(b"x" * 1_000, '"x"', ())


def key(number: int, user_id: int = 1) -> tuple[int, str, bytes, None]:
    return user_id, "/list", b"%d" % number, None


def arriving(kept: Kept, version: str | None = "a") -> Request:
    """Make a request that has passed the gate, which saw a version of the store."""
    request = make_request(path="/list")
    request.app.kept = kept
    request.state.actor = Actor(User(1, "ada@example.org", Role.READER))
    request.state.sight = watch()
    request.state.sight.note(version)
    return request


def test_an_answer_is_found_while_the_version_is_the_same():
    kept = Kept()

    kept.keep("a", key(1), ANSWER)

    assert kept.find("a", key(1)) is ANSWER
    assert kept.find("b", key(1)) is None
    assert kept.find(None, key(1)) is None
    assert kept.find("a", key(1, user_id=2)) is None


def test_another_version_lets_everything_go():
    kept = Kept()
    kept.keep("a", key(1), ANSWER)
    size = kept.size

    kept.keep("b", key(2), ANSWER)

    assert kept.find("b", key(1)) is None
    assert kept.size == size


def test_what_was_not_asked_for_lately_goes_first_when_there_is_too_much():
    kept = Kept(most_bytes=5_000)
    for number in (1, 2, 3):
        kept.keep("a", key(number), ANSWER)
    kept.find("a", key(1))

    kept.keep("a", key(4), ANSWER)

    assert [kept.find("a", key(n)) is not None for n in (1, 2, 3, 4)] == [
        *(True, False, True, True)
    ]
    assert kept.size <= 5_000


def test_an_endless_row_of_questions_takes_no_more_memory():
    kept = Kept(most_bytes=50_000)

    for number in range(1_000):
        kept.keep("a", key(number), ANSWER)
        kept.keep("a", key(number), ANSWER)
    kept.keep("a", key(0), Written(b"x" * 60_000, '"y"', ()))

    assert 0 <= kept.size <= 50_000
    assert kept.find("a", key(0)) is None


@pytest.mark.parametrize(
    ("versions", "times_found"),
    [
        (("a", "a", "a", "a"), 1),
        (("a", "a", "b", "b"), 2),
        (("a", "b", "b", "b"), 2),
        (("a", None, "a", "a"), 2),
        ((None, None, None, None), 2),
    ],
)
async def test_only_what_was_read_of_one_version_is_kept(versions, times_found):
    """Of each pair the first is what the gate saw, the second what the rows were of."""
    found: list[Sight] = []
    kept = Kept()
    for gate, rows in (versions[:2], versions[2:]):
        request = arriving(kept, gate)
        sight = request.state.sight

        async def find(_: object, sight: Sight = sight, rows: str | None = rows):
            sight.note(rows)
            found.append(sight)
            return ["found"]

        answer = await answer_kept(request, find)

        assert answer.body == b'["found"]'

    assert len(found) == times_found


async def test_of_many_who_ask_at_once_one_reads():
    kept = Kept()
    found: list[int] = []

    async def ask(number: int) -> bytes | memoryview:
        async def find(_: Request) -> list[str]:
            found.append(number)
            await asyncio.sleep(0.02)
            return ["found"]

        return (await answer_kept(arriving(kept), find)).body

    answers = await asyncio.gather(*(ask(number) for number in range(20)))

    assert answers == [b'["found"]'] * 20
    assert found == [0]


async def test_where_one_fails_or_goes_away_the_next_reads():
    kept = Kept()
    found: list[int] = []

    async def ask(number: int) -> bytes | memoryview:
        async def find(_: Request) -> list[str]:
            found.append(number)
            await asyncio.sleep(0.02)
            if number == 1:
                raise ConnectionResetError
            return ["found"]

        return (await answer_kept(arriving(kept), find)).body

    gone, failing, *others = [asyncio.create_task(ask(number)) for number in range(5)]
    await asyncio.sleep(0.01)
    gone.cancel()
    answers = await asyncio.gather(*others)

    assert answers == [b'["found"]'] * 3
    assert found == [0, 1, 2]
    with pytest.raises(ConnectionResetError):
        await failing


async def test_nobody_waits_where_nothing_can_be_kept():
    kept = Kept()
    under_way = asyncio.Barrier(5)

    async def find(_: Request) -> list[str]:
        await under_way.wait()
        return ["found"]

    async with asyncio.timeout(5):
        await asyncio.gather(
            *(answer_kept(arriving(kept, None), find) for _ in range(5))
        )


async def test_turns_are_not_remembered():
    kept = Kept()

    for number in range(100):
        async with kept.turn(key(number)):
            pass

    assert kept.turn(key(1)) is kept.turn(key(1))
    assert len(kept._turns) <= 1
