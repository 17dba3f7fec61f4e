"""Texts in, vectors out, over an OpenAI-compatible service: ``POST /embeddings``.

Budget and breaker are those of language models. Refused addresses, a spent
budget and bad responses raise our errors, which never contain texts or keys.
"""

import asyncio
import time
from collections.abc import Sequence
from typing import Any

from feedloom.distill.models.breaker import Breaker
from feedloom.distill.models.guarded import estimated_tokens
from feedloom.distill.models.wire import CallFailed, Endpoint, post
from feedloom.model.distilled.requests import (
    CallOutcome,
    CallRecord,
    ModelPurpose,
    PlannedCall,
    Spend,
)
from feedloom.model.errors import ModelUnavailable
from feedloom.model.ports import Fetcher

_MAX_BYTES = 8 * 1024 * 1024
_FEWEST, _MOST = 16, 4_096
_LARGEST = 1e100
_CALL_S = 60.0


class GuardedEmbedder:
    """An ``Embedder`` over one endpoint."""

    def __init__(
        self, fetcher: Fetcher, endpoint: Endpoint, spend: Spend, *, breaker: Breaker | None = None
    ) -> None:
        self._fetcher = fetcher
        self._endpoint = endpoint
        self._spend = spend
        self._breaker = breaker or Breaker()

    @property
    def name(self) -> str:
        return self._endpoint.model

    async def embed(self, texts: Sequence[str], *, user_id: int | None = None) -> list[list[float]]:
        self._breaker.admit()
        try:
            vectors = await self._paid(texts, user_id)
        except CallFailed as failure:
            self._breaker.failed()
            raise ModelUnavailable(detail=str(failure)) from failure
        except BaseException:
            self._breaker.released()
            raise
        self._breaker.succeeded()
        return vectors

    async def _paid(self, texts: Sequence[str], user_id: int | None) -> list[list[float]]:
        tokens = sum(map(estimated_tokens, texts))
        cost = -(-tokens * self._endpoint.micros_per_million_in // 1_000_000)
        purpose, model = ModelPurpose.EMBED, self._endpoint.model
        reservation = await self._spend.reserve(PlannedCall(purpose, user_id, model, tokens, cost))
        began, outcome = time.monotonic(), CallOutcome.OK
        try:
            async with asyncio.timeout(_CALL_S):
                return await self._ask(texts)
        except CallFailed as failure:
            outcome = failure.outcome
            if not failure.may_be_billed:
                tokens = cost = 0
            raise
        except TimeoutError as error:
            outcome = CallOutcome.TIMED_OUT
            raise CallFailed(outcome) from error
        finally:
            ms = round((time.monotonic() - began) * 1000)
            record = CallRecord(purpose, user_id, model, outcome, tokens, 0, cost, ms)
            await self._spend.record(reservation, record)

    async def _ask(self, texts: Sequence[str]) -> list[list[float]]:
        request = {"model": self._endpoint.model, "input": list(texts), "encoding_format": "float"}
        document = await post(
            self._fetcher,
            self._endpoint,
            "embeddings",
            request,
            max_bytes=_MAX_BYTES,
            timeout_s=_CALL_S,
        )
        try:
            return _read(document, len(texts))
        except (KeyError, OverflowError, TypeError, ValueError) as error:
            raise CallFailed(CallOutcome.UNREADABLE) from error


def _read(document: dict[str, Any], count: int) -> list[list[float]]:
    rows = sorted(document["data"], key=lambda row: int(row["index"]))
    vectors = [[float(number) for number in row["embedding"]] for row in rows]
    sizes = {len(vector) for vector in vectors}
    if len(vectors) != count or len(sizes) != 1 or not _FEWEST <= min(sizes) <= _MOST:
        raise ValueError
    if not all(any(v) and all(abs(number) < _LARGEST for number in v) for v in vectors):
        raise ValueError
    return vectors
