"""Public operations of stores: each is one method that holds its script.

``@reads`` and ``@writes`` run it in one transaction. Whose rows that may see is a ``Scope``, or
a function that makes one of the operation's own arguments::

    class FolderStore(Store):
        @writes(as_user)
        def rename(self, user_id: int, folder_id: int, name: str) -> Script[None]:
            yield sql("UPDATE folders SET …", …)
"""

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar

from feedloom.store.engine.scripts import Database, Scope, Script

P = ParamSpec("P")
T = TypeVar("T")


class Store:
    def __init__(self, database: Database) -> None:
        self.database = database


S = TypeVar("S", bound=Store)
OPERATOR = Scope(operator=True)


def as_user(user_id: int, *_: object, **__: object) -> Scope:
    return Scope(user_id=user_id)


class _Decorator:
    way: Literal["read", "write"]

    def __init__(self, scope: Scope | Callable[..., Scope]) -> None:
        self.scope = scope

    def __call__(
        self, script: Callable[Concatenate[S, P], Script[T]]
    ) -> Callable[Concatenate[S, P], Coroutine[Any, Any, T]]:
        @wraps(script)
        async def operation(store: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
            run = store.database.read if self.way == "read" else store.database.write
            scope = self.scope if isinstance(self.scope, Scope) else self.scope(*args, **kwargs)
            return await run(scope, lambda: script(store, *args, **kwargs))

        return operation

    def of(
        self, script: Callable[P, Script[T]]
    ) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, T]]:
        """Make an operation of a function that other scripts use as well."""

        @wraps(script)
        def method(_: Store, /, *args: P.args, **kwargs: P.kwargs) -> Script[T]:
            return script(*args, **kwargs)

        return self(method)


class reads(_Decorator):  # noqa: N801 - a decorator
    way = "read"


class writes(_Decorator):  # noqa: N801 - a decorator
    way = "write"
