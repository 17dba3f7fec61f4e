"""A model for development: waits a little and fills any schema with dummy text.

Deterministic, costs nothing, reaches nothing. What it writes says that it is a mock.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import cast

from feedloom.model.distilled.requests import Answer, ModelPurpose, Task

_ARTICLE = re.compile(r"\[(\d+)\]: (.*?) \|")


class MockModel:
    """A ``LanguageModel`` that answers everything with dummy text."""

    name = "mock"

    def __init__(
        self, *, latency_s: float = 0.2, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        self._latency_s = latency_s
        self._sleep = sleep

    async def complete(self, task: Task) -> Answer:
        await self._sleep(self._latency_s)
        filler = "A mock text."
        if task.purpose is ModelPurpose.DIGEST:
            found = _ARTICLE.findall(task.messages[-1].content)[:2]
            # A sentence that its article does not support would be dropped.
            filler = " ".join(f"{title} [{number}]." for number, title in found)
        value = cast("Mapping[str, object]", _fill(task.schema, filler))
        return Answer(value=value, model=self.name)


def _fill(schema: Mapping[str, object], filler: str) -> object:
    match schema["type"]:
        case "object":
            parts = cast("Mapping[str, Mapping[str, object]]", schema["properties"])
            return {name: _fill(part, filler) for name, part in parts.items()}
        case "array":
            items = cast("Mapping[str, object]", schema["items"])
            return [_fill(items, filler)] * cast("int", schema.get("minItems", 1))
        case "number":
            return 0.5
        case _:
            return cast("list[str]", schema.get("enum", [filler]))[0]
