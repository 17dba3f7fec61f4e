"""Pages in; the fields of their articles out of a child process, or ``DistillError``."""

from feedloom.distill.extraction.child import Page
from feedloom.model.errors import DistillError
from feedloom.processes.pool import ChildFailed, ProcessPool


class ChildPool(ProcessPool):
    def __init__(self, *, size: int = 1, deadline_s: float = 20.0) -> None:
        super().__init__("feedloom.distill.extraction.child", size=size, deadline_s=deadline_s)

    async def read(
        self, url: str, charset: str, body: bytes, *, selector: str = ""
    ) -> dict[str, str]:
        """Extract one page's article within the deadline; raise ``DistillError``."""
        try:
            return await self.ask(Page(url, charset, body, selector), dict[str, str])
        except ChildFailed as error:
            raise DistillError("The page could not be read.", detail=str(error)) from error
