"""Operations: which scope each runs with, and that only the engine runs its script."""

import inspect
from collections.abc import Callable, Iterator
from typing import Any, cast

import pytest

import feedloom.store
from feedloom.store.engine.decorators import OPERATOR, Store, as_user, reads, writes
from feedloom.store.engine.scripts import Database, Scope, Script, sql

PERSON = 7


class Recorder:
    """A ``Database`` that notes scopes and runs nothing."""

    kind = "sqlite"

    def __init__(self) -> None:
        self.scopes: list[tuple[str, Scope]] = []

    async def read(self, scope: Scope, make: Callable[[], Script[Any]]) -> str:
        self.scopes.append(("read", scope))
        return inspect.getgeneratorstate(make())

    async def write(self, scope: Scope, make: Callable[[], Script[Any]]) -> str:
        self.scopes.append(("write", scope))
        return inspect.getgeneratorstate(make())


def shared(user_id: int, name: str = "none") -> Script[str]:
    yield sql("SELECT :user, :name", user=user_id, name=name)
    return name


class Example(Store):
    @reads(OPERATOR)
    def counted(self) -> Script[int]:
        rows = yield sql("SELECT 1 AS n")
        return len(rows)

    @writes(lambda email, *_, **__: Scope(credential=email))
    def created(self, email: str, *, name: str) -> Script[str]:
        yield sql("SELECT :email, :name", email=email, name=name)
        return name

    shared = writes(as_user).of(shared)


async def test_an_operation_runs_its_script_in_a_transaction_of_its_scope():
    database = Recorder()
    store = Example(cast("Database", database))

    states = [
        await store.counted(),
        await store.created("ada@example.org", name="Ada"),
        await store.shared(PERSON, name="x"),
        await store.shared(user_id=PERSON),
    ]

    assert set(states) == {inspect.GEN_CREATED}
    assert database.scopes == [
        ("read", Scope(operator=True)),
        ("write", Scope(credential="ada@example.org")),
        ("write", Scope(user_id=PERSON)),
        ("write", Scope(user_id=PERSON)),
    ]


def of_people() -> Iterator[tuple[type[Store], str]]:
    """Name each operation that says first whose it is."""
    for store in vars(feedloom.store).values():
        if not (inspect.isclass(store) and issubclass(store, Store)):
            continue
        for name, method in inspect.getmembers(store):
            if not name.startswith("_") and hasattr(method, "__wrapped__"):
                parameters = list(inspect.signature(method).parameters)
                if "user_id" in parameters[:2]:
                    yield store, name


@pytest.mark.parametrize(
    ("store", "name"), [pytest.param(*one, id=f"{one[0].__name__}.{one[1]}") for one in of_people()]
)
async def test_what_is_a_persons_is_done_as_that_person(store: type[Store], name: str):
    database = Recorder()
    made = store.__new__(store)
    made.database = cast("Database", database)
    method = getattr(made, name)
    needed = [
        parameter
        for parameter in inspect.signature(method).parameters.values()
        if parameter.name != "user_id" and parameter.default is parameter.empty
    ]

    await method(user_id=PERSON, **{parameter.name: None for parameter in needed})

    [(_, scope)] = database.scopes
    assert scope.user_id == PERSON or scope.operator
