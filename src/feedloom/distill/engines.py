"""Settings in; the engine that is set up out: every distilling port in one value."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from feedloom.distill.bookmarks import ModelSummariser
from feedloom.distill.deframing import CATEGORIES, ModelAnalyzer
from feedloom.distill.digests import ModelDigester
from feedloom.distill.models.breaker import Breaker
from feedloom.distill.models.embeddings import GuardedEmbedder
from feedloom.distill.models.guarded import GuardedModel, Patience
from feedloom.distill.models.mock import MockModel
from feedloom.distill.models.preflight import check_model
from feedloom.distill.models.providers import AISettings, AIType, endpoint_for
from feedloom.distill.models.wire import Endpoint
from feedloom.distill.offline.distiller import OfflineEngine
from feedloom.distill.prompt_files import Prompts
from feedloom.distill.topics import ModelTopics
from feedloom.model.distilled.requests import (
    Analyzer,
    Digester,
    Embedder,
    LanguageModel,
    Preflight,
    Spend,
    Summariser,
    TopicClassifier,
)
from feedloom.model.ports import Fetcher


@dataclass(frozen=True, slots=True)
class Engine:
    """What the flow is given; all parts are of one kind."""

    type: AIType
    analyzer: Analyzer
    digester: Digester
    summariser: Summariser
    topics: TopicClassifier
    preflight: Callable[[], Awaitable[Preflight]]
    """One tiny call, for ``doctor``."""
    prompt_keys: frozenset[str] = frozenset()
    """The names of the operator's prompts for single feeds."""

    @property
    def has_model(self) -> bool:
        return self.type not in {AIType.OFFLINE, AIType.MOCK}


def build_engine(
    settings: AISettings,
    fetcher: Fetcher,
    spend: Spend,
    *,
    breaker: Breaker | None = None,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> Engine:
    """Build the engine that is set up; raise ``ConfigError`` when it cannot be."""
    if settings.type is AIType.OFFLINE:
        return offline_engine()
    prompts = Prompts(settings.prompts_dir)
    if settings.type is AIType.MOCK:
        mock = MockModel(latency_s=settings.mock_latency_s, sleep=sleep)
        return _over(mock, settings.type, prompts, _always_well("mock"))
    model = GuardedModel(
        fetcher,
        endpoint_for(settings),
        spend,
        patience=Patience(settings.call_s, settings.retry_after_s),
        breaker=breaker,
        sleep=sleep,
    )
    return _over(model, settings.type, prompts, lambda: check_model(model))


def embedder(
    fetcher: Fetcher, spend: Spend, *, base_url: str, model: str, key: str, price: float
) -> Embedder:
    """Build what asks an embeddings service."""
    micros = round(price * 1_000_000)
    endpoint = Endpoint(base_url, model, key, micros_per_million_in=micros)
    return GuardedEmbedder(fetcher, endpoint, spend)


def _over(
    model: LanguageModel,
    kind: AIType,
    prompts: Prompts,
    preflight: Callable[[], Awaitable[Preflight]],
) -> Engine:
    return Engine(
        type=kind,
        analyzer=ModelAnalyzer(model, prompts),
        digester=ModelDigester(model, prompts),
        summariser=ModelSummariser(model, prompts),
        topics=ModelTopics(model, prompts),
        preflight=preflight,
        prompt_keys=prompts.keys,
    )


def offline_engine() -> Engine:
    """Build the engine that needs no model and no network."""
    engine = OfflineEngine(CATEGORIES)
    return Engine(
        type=AIType.OFFLINE,
        analyzer=engine,
        digester=engine,
        summariser=engine,
        topics=engine,
        preflight=_always_well(engine.model),
    )


def _always_well(model: str) -> Callable[[], Awaitable[Preflight]]:
    async def preflight() -> Preflight:
        return Preflight(ok=True, model=model, says="No language model is used.")

    return preflight
