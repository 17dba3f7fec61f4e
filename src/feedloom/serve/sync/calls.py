"""One request of a sync client: its sender and its parameters."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import NotAllowed
from feedloom.model.reader import User
from feedloom.serve.auth import Actor
from feedloom.serve.auth import services as services_of
from feedloom.serve.middleware.turns import take_turn_of
from feedloom.serve.routes import STRANGER_BODY, Endpoint
from feedloom.serve.services import Services
from feedloom.serve.sync.parameters import Given, read_given, row_id
from feedloom.serve.sync.routes import SYNC_BODY, SyncRoute

BASIC = {"WWW-Authenticate": 'Basic realm="Feedloom", charset="UTF-8"'}
READ_ONLY = "This app password is read-only."


@dataclass(frozen=True, slots=True)
class Call:
    request: Request
    given: Given
    actor: Actor

    @property
    def user(self) -> User:
        return self.actor.user

    @property
    def services(self) -> Services:
        return services_of(self.request)

    def id(self, name: str = "id") -> int:
        return row_id(self.request.path_params[name])


C = TypeVar("C", bound=Call)
Handler = Callable[[C], Awaitable[Response]]
Table = Iterable[tuple[tuple[str, ...], str, Handler[C]]]


@dataclass(frozen=True, slots=True)
class Endpoints(Generic[C]):
    """Makes endpoints of a protocol's handlers: they sign in before anything else."""

    make_call: Callable[[Request, Given, Actor], C]
    authenticate: Callable[[Request], Awaitable[Actor]]

    def reading(self, handler: Handler[C]) -> Endpoint:
        return partial(self._answer, handler, writes=False)

    def writing(self, handler: Handler[C]) -> Endpoint:
        return partial(self._answer, handler, writes=True)

    def reads(self, table: Table[C]) -> tuple[SyncRoute, ...]:
        return tuple(SyncRoute(m, path, self.reading(h), reads=True) for m, path, h in table)

    def writes(
        self, table: Table[C], *, body_limit: int = SYNC_BODY, stranger_limit: int = STRANGER_BODY
    ) -> tuple[SyncRoute, ...]:
        return tuple(
            SyncRoute(
                methods,
                path,
                self.writing(handler),
                body_limit=body_limit,
                stranger_limit=stranger_limit,
            )
            for methods, path, handler in table
        )

    async def _answer(self, handler: Handler[C], request: Request, *, writes: bool) -> Response:
        actor = await self.authenticate(request)
        if writes and not actor.may_write:
            raise NotAllowed(READ_ONLY)
        given = await read_given(request)
        if not writes:
            await take_turn_of(request, actor)
        return await handler(self.make_call(request, given, actor))
