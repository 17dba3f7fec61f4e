"""Resizing: a publisher's picture in, a small picture or ``NotAPicture`` out."""

from feedloom.images.child import Asked, Rendered
from feedloom.model.errors import NotAPicture
from feedloom.model.stages import Picture
from feedloom.processes.pool import ChildFailed, ProcessPool

_DEADLINE_S = 15.0
_CHILDREN = 2


class ImageResizer:
    """Makes pictures smaller in processes of their own. ``close`` ends them."""

    def __init__(self) -> None:
        self._pool = ProcessPool("feedloom.images.child", size=_CHILDREN, deadline_s=_DEADLINE_S)

    async def render(self, body: bytes, *, width: int, accepts: str) -> Picture:
        try:
            found = await self._pool.ask(Asked(body, width, accepts), Rendered)
        except ChildFailed as error:
            raise NotAPicture(detail=str(error)) from error
        if found.problem:
            raise NotAPicture(detail=found.problem)
        return Picture(found.body, found.mime, found.width, found.height)

    async def close(self) -> None:
        await self._pool.close()
