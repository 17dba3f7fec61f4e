"""Stand-ins for this room's ports, and valid inputs and answers to start from."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

from feedloom.distill import AISettings, AIType, Breaker, Engine, build_engine
from feedloom.model.distilled.requests import (
    DIMENSIONS,
    ArticleToAnalyse,
    CallRecord,
    DigestArticle,
    FeedToClassify,
    PageToSummarise,
    PlannedCall,
)
from feedloom.model.errors import BudgetSpent
from feedloom.model.ports import Fetcher
from feedloom.model.stages import FetchRequest, FetchResponse

KEY = "sk-canary-0123456789"
NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


class MemorySpend:
    """A ``Spend`` in memory, with a budget in tokens and in money."""

    def __init__(self, *, tokens: int = 10**9, cost_micros: int = 10**12) -> None:
        self._tokens = tokens
        self._cost_micros = cost_micros
        self.planned: list[PlannedCall] = []
        self.records: dict[int, CallRecord] = {}

    async def reserve(self, call: PlannedCall) -> int:
        if self.tokens >= self._tokens or self.cost_micros >= self._cost_micros:
            raise BudgetSpent
        self.planned.append(call)
        return len(self.planned) - 1

    async def record(self, reservation: int, call: CallRecord) -> None:
        assert reservation not in self.records
        self.records[reservation] = call

    @property
    def tokens(self) -> int:
        """What counts against the budget: settled calls, and those still open."""
        return sum(
            r.tokens_in + r.tokens_out if (r := self.records.get(n)) else self.planned[n].tokens
            for n in range(len(self.planned))
        )

    @property
    def cost_micros(self) -> int:
        return sum(
            r.cost_micros if (r := self.records.get(n)) else self.planned[n].cost_micros
            for n in range(len(self.planned))
        )

    @property
    def outcomes(self) -> list[str]:
        return [self.records[n].outcome.value for n in sorted(self.records)]


class TalkingFetcher:
    """A ``Fetcher`` that answers model requests from a function, without a network."""

    def __init__(self, talk: Callable[[dict[str, object]], object]) -> None:
        self._talk = talk
        self.asks: list[FetchRequest] = []

    async def fetch(self, ask: FetchRequest) -> FetchResponse:
        self.asks.append(ask)
        assert ask.body is not None
        told = self._talk(json.loads(ask.body))
        text = told if isinstance(told, str) else json.dumps(told)
        message = {"role": "assistant", "content": text}
        document = {"choices": [{"message": message, "finish_reason": "stop"}]}
        return FetchResponse(ask.url, 200, {}, json.dumps(document).encode())

    async def close(self) -> None:
        """Nothing is open."""


class Naps:
    """A sleep that only remembers how long it was asked to take."""

    def __init__(self) -> None:
        self.taken: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.taken.append(seconds)
        await asyncio.sleep(0)


def engine(
    fetcher: Fetcher,
    spend: MemorySpend | None = None,
    *,
    base_url: str = "http://127.0.0.1:9/v1",
    call_s: float = 0.4,
    breaker: Breaker | None = None,
    sleep: Callable[[float], Awaitable[None]] | None = None,
) -> Engine:
    settings = AISettings(
        type=AIType.COMPATIBLE,
        key=KEY,
        base_url=base_url,
        call_s=call_s,
        dollars_per_million_in=1.0,
        dollars_per_million_out=2.0,
    )
    return build_engine(
        settings, fetcher, spend or MemorySpend(), breaker=breaker, sleep=sleep or Naps()
    )


ARTICLE = ArticleToAnalyse(
    title="SHOCK as minister quits!",
    description="The minister left after three days.",
    text="The minister resigned on Monday after three days in office.",
    language="en",
)


def day_articles(count: int = 6) -> list[DigestArticle]:
    return [
        DigestArticle(
            id=100 + n,
            title=f"Headline {n}",
            source=f"Source {n}",
            published_at=NOON - timedelta(minutes=n),
            excerpt=f"Sentence number {n} says something of its own. {SAID}",
            url=f"https://example.org/{n}",
        )
        for n in range(count)
    ]


PAGE = PageToSummarise(
    title="SQLite in production",
    text="SQLite is a database. It lives in one file. Many sites run on it.",
    language="en",
    tags=("own tag",),
)
FEED = FeedToClassify(title="Kernel notes", description="Linux and more")
VOCABULARY = ("news", "technology", "science")

VALID_ANALYSIS: dict[str, object] = {
    "title_corrected": "Minister resigns after three days",
    "title_correction_reason": "took out the shouting",
    "description_corrected": "The minister resigned on Monday.",
    "description_correction_reason": "nothing to change",
    **dict.fromkeys(DIMENSIONS, 0.2),
    **{f"{name}_reason": "a reason" for name in DIMENSIONS},
    "overall_reason": "The title shouts.",
    "category": "politics",
}
SAID = "So it is. And so it was. That is that."
"""What articles have to say for ``VALID_DIGEST`` to be true."""
VALID_DIGEST: dict[str, object] = {
    "paragraphs": ["So it is [1][2]. And so it was [3].", "So it is [4].", "That is that [5][6]."]
}
VALID_SUMMARY: dict[str, object] = {
    "summary": "SQLite keeps a database in one file. Sites run on it.",
    "tags": ["databases", "own tag"],
}
VALID_TOPIC: dict[str, object] = {"topic": "technology", "confidence": 0.8}


async def analyse(built: Engine) -> object:
    return await built.analyzer.analyse(ARTICLE)


async def digest(built: Engine) -> object:
    return await built.digester.digest(day_articles(), "en", user_id=7)


async def summarise(built: Engine) -> object:
    return await built.summariser.summarise(PAGE, user_id=7)


async def classify(built: Engine) -> object:
    return await built.topics.classify(FEED, VOCABULARY)


FEATURES = {
    "deframe": (analyse, VALID_ANALYSIS),
    "digest": (digest, VALID_DIGEST),
    "bookmark": (summarise, VALID_SUMMARY),
    "topic": (classify, VALID_TOPIC),
}
