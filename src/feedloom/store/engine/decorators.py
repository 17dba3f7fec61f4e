"""Public operations of stores: each is one method that holds its script.

``@reads`` and ``@writes`` run the script in one transaction of the store's database::

    class FolderStore(Store):
        @writes(as_user)
        def rename(self, user_id: int, folder_id: int, name: str) -> Script[None]:
            yield sql("UPDATE folders SET …", …)

    await FolderStore(database).rename(user_id, folder_id, name)

The scope says whose rows the transaction may see: a ``Scope``, or a function that makes
one of the operation's own arguments.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from feedloom.store.engine.scripts import Database, Scope, Script


class Store:
    def __init__(self, database: Database) -> None:
        self.database = database


P = ParamSpec("P")
T = TypeVar("T")
S = TypeVar("S", bound=Store)

OPERATOR = Scope(operator=True)


def as_user(user_id: int, *_: object, **__: object) -> Scope:
    return Scope(user_id=user_id)


class _Decorator(ABC):
    def __init__(self, scope: Scope | Callable[..., Scope]) -> None:
        self.scope = scope

    @abstractmethod
    async def run(self, database: Database, scope: Scope, make: Callable[[], Script[T]]) -> T: ...

    def __call__(
        self, script: Callable[Concatenate[S, P], Script[T]]
    ) -> Callable[Concatenate[S, P], Coroutine[Any, Any, T]]:
        @wraps(script)
        async def operation(store: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
            scope = self.scope
            return await self.run(
                store.database,
                scope if isinstance(scope, Scope) else scope(*args, **kwargs),
                lambda: script(store, *args, **kwargs),
            )

        return operation

    def of(
        self, script: Callable[P, Script[T]]
    ) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, T]]:
        @wraps(script)
        def method(_: Store, /, *args: P.args, **kwargs: P.kwargs) -> Script[T]:
            return script(*args, **kwargs)

        return self(method)


class reads(_Decorator):  # noqa: N801 - a decorator
    async def run(self, database: Database, scope: Scope, make: Callable[[], Script[T]]) -> T:
        return await database.read(scope, make)


class writes(_Decorator):  # noqa: N801 - a decorator
    async def run(self, database: Database, scope: Scope, make: Callable[[], Script[T]]) -> T:
        return await database.write(scope, make)
