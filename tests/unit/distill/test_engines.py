import json
from pathlib import Path

import pytest

from feedloom.distill import AISettings, AIType, build_engine
from feedloom.distill.models.providers import endpoint_for
from feedloom.fetch import AllowList, HTTPFetcher
from feedloom.model.distilled.requests import AnalyzerResult, Digest, PageSummary, TopicGuess
from feedloom.model.errors import BlockedAddress, ConfigError, NameNotFound, Unreachable
from feedloom.model.stages import FetchRequest, FetchResponse
from tests.model_api import ModelAPI, Reply, fails, says
from tests.unit.distill.doubles import (
    FEATURES,
    KEY,
    MemorySpend,
    Naps,
    TalkingFetcher,
    analyse,
    classify,
    digest,
    engine,
    summarise,
)


def unreachable(_: dict[str, object]) -> object:
    raise AssertionError("nothing may be called")


@pytest.mark.parametrize("kind", [AIType.OFFLINE, AIType.MOCK])
async def test_engines_without_a_provider_do_everything_without_a_call(kind: AIType):
    spend = MemorySpend()
    settings = AISettings(type=kind)
    built = build_engine(settings, TalkingFetcher(unreachable), spend, sleep=Naps())

    assert isinstance(await analyse(built), AnalyzerResult)
    told = await digest(built)
    assert isinstance(told, Digest)
    assert told.paragraphs
    assert isinstance(await summarise(built), PageSummary)
    assert isinstance(await classify(built), TopicGuess)
    assert (await built.preflight()).ok
    assert spend.planned == []


async def test_the_mock_waits_as_a_model_does():
    naps = Naps()
    settings = AISettings(type=AIType.MOCK, mock_latency_s=0.7)
    await analyse(build_engine(settings, TalkingFetcher(unreachable), MemorySpend(), sleep=naps))

    assert naps.taken == [0.7]


def test_openrouter_is_asked_for_costs_and_uses_its_own_names():
    endpoint = endpoint_for(AISettings(type=AIType.OPENROUTER, key=KEY))

    assert endpoint.base_url == "https://openrouter.ai/api/v1"
    assert endpoint.model == "openai/gpt-4o-mini"
    assert endpoint.asks_for_cost
    assert (endpoint.micros_per_million_in, endpoint.micros_per_million_out) == (150_000, 600_000)


def test_openai_names_its_models_and_limits_its_own_way():
    endpoint = endpoint_for(AISettings(type=AIType.OPENAI, key=KEY))

    assert endpoint.base_url == "https://api.openai.com/v1"
    assert endpoint.model == "gpt-4o-mini"
    assert endpoint.limit_name == "max_completion_tokens"


@pytest.mark.parametrize("kind", [AIType.OPENROUTER, AIType.OPENAI])
def test_a_model_of_unknown_price_is_taken_for_a_dear_one(kind: AIType):
    endpoint = endpoint_for(AISettings(type=kind, key=KEY, model="maker/newest"))

    assert endpoint.micros_per_million_in >= 2_500_000
    assert endpoint.micros_per_million_out >= 10_000_000


def test_a_compatible_server_needs_no_key_and_may_have_prices():
    endpoint = endpoint_for(
        AISettings(
            type=AIType.COMPATIBLE,
            base_url="http://127.0.0.1:11434/v1/",
            model="llama",
            dollars_per_million_in=0.5,
        )
    )

    assert endpoint.base_url == "http://127.0.0.1:11434/v1"
    assert (endpoint.micros_per_million_in, endpoint.micros_per_million_out) == (500_000, 0)


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        (AISettings(type=AIType.OPENROUTER), "FEEDLOOM_AI_API_KEY"),
        (AISettings(type=AIType.OPENAI), "FEEDLOOM_AI_API_KEY"),
        (AISettings(type=AIType.OPENAI, key="a\nb"), "FEEDLOOM_AI_API_KEY"),
        (AISettings(type=AIType.COMPATIBLE), "FEEDLOOM_AI_BASE_URL"),
        (AISettings(type=AIType.COMPATIBLE, base_url="ollama"), "FEEDLOOM_AI_BASE_URL"),
        (
            AISettings(type=AIType.COMPATIBLE, base_url="http://u:p@h.example/v1"),
            "FEEDLOOM_AI_BASE_URL",
        ),
    ],
)
def test_settings_that_cannot_work_are_refused_by_name(settings: AISettings, names: str):
    with pytest.raises(ConfigError, match=names):
        build_engine(settings, TalkingFetcher(unreachable), MemorySpend())


@pytest.mark.threat("L10")
def test_the_key_is_not_in_the_settings_text():
    assert KEY not in repr(AISettings(type=AIType.OPENAI, key=KEY))


def test_own_prompts_reach_the_engine(tmp_path: Path):
    (tmp_path / "deframe.en.txt").write_text("Mine $mark")
    settings = AISettings(type=AIType.MOCK, prompts_dir=tmp_path)
    built = build_engine(settings, TalkingFetcher(unreachable), MemorySpend())

    assert ".own-" in built.analyzer.prompt_version("en")


@pytest.mark.parametrize("feature", FEATURES)
async def test_every_feature_speaks_to_a_real_server(feature: str):
    run, valid = FEATURES[feature]
    spend = MemorySpend()
    fetcher = HTTPFetcher("test", allow_networks=AllowList.parse("127.0.0.0/8"))
    async with ModelAPI() as api:
        api.script(says(valid))
        result = await run(engine(fetcher, spend, base_url=api.base_url, call_s=5))
        call = api.calls[0]
    await fetcher.close()

    assert result is not None
    assert call.path == "/v1/chat/completions"
    assert call.headers["authorization"] == f"Bearer {KEY}"
    assert spend.records[0].purpose == feature


class TestPreflight:
    @pytest.mark.parametrize(
        ("reply", "advice"),
        [
            (fails(401), "FEEDLOOM_AI_API_KEY"),
            (fails(402), "credit"),
            (fails(429, code="insufficient_quota"), "credit"),
            (fails(403), "permissions"),
            (fails(404), "FEEDLOOM_AI_BASE_URL"),
            (fails(404, code="model_not_found"), "FEEDLOOM_AI_MODEL"),
            (fails(429), "later"),
            (fails(500), "later"),
            (fails(418), "FEEDLOOM_AI_MODEL"),
            (Reply(302, headers={"Location": "http://127.0.0.1:1/"}), "final address"),
            (Reply(body=b"<html>"), "/v1"),
            (Reply(hangs=True), "smaller"),
            (says("ready!"), "JSON"),
        ],
    )
    async def test_says_what_to_do(self, reply: Reply, advice: str):
        fetcher = HTTPFetcher("test", allow_networks=AllowList.parse("127.0.0.0/8"))
        async with ModelAPI() as api:
            api.script(reply)
            found = await engine(fetcher, base_url=api.base_url).preflight()
        await fetcher.close()

        assert not found.ok
        assert advice in found.advice
        assert KEY not in f"{found}"

    async def test_is_content_with_a_model_that_answers(self):
        found = await engine(TalkingFetcher(lambda _: {"word": "ready"})).preflight()

        assert found.ok
        assert found.advice == ""

    @pytest.mark.parametrize(
        ("error", "advice"),
        [
            (BlockedAddress(), "FEEDLOOM_ALLOW_NETWORKS"),
            (NameNotFound(), "DNS"),
            (Unreachable(), "server is running"),
        ],
    )
    async def test_explains_the_network(self, error: Exception, advice: str):
        class Broken(TalkingFetcher):
            async def fetch(self, ask: FetchRequest) -> FetchResponse:
                self.asks.append(ask)
                raise error

        found = await engine(Broken(unreachable)).preflight()

        assert advice in found.advice

    async def test_costs_budget_like_any_call(self):
        spend = MemorySpend(tokens=0)
        found = await engine(TalkingFetcher(unreachable), spend).preflight()

        assert "budget" in found.says


PRESETS = [AIType.ANTHROPIC, AIType.GEMINI, AIType.MISTRAL, AIType.GROQ, AIType.OLLAMA]
# What the providers' documents show around the answer.
AROUND: dict[AIType, dict[str, object]] = {
    AIType.ANTHROPIC: {"id": "msg_01", "object": "chat.completion", "system_fingerprint": None},
    AIType.GEMINI: {"object": "chat.completion", "created": 1},
    AIType.MISTRAL: {"id": "cmpl-1", "object": "chat.completion"},
    AIType.GROQ: {"x_groq": {"id": "req_1"}, "service_tier": "on_demand"},
    AIType.OLLAMA: {"id": "chatcmpl-1", "system_fingerprint": "fp_ollama"},
}


@pytest.mark.parametrize("kind", PRESETS)
async def test_a_preset_reads_what_its_provider_documents(kind: AIType):
    fetcher = HTTPFetcher("test", allow_networks=AllowList.parse("127.0.0.0/8"))
    fenced = '```json\n{"word": "ready"}\n```'
    message = {"role": "assistant", "content": fenced}
    body = {
        **AROUND[kind],
        "model": "some-model",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 31, "completion_tokens": 9, "total_tokens": 40},
    }
    async with ModelAPI() as api:
        api.script(Reply(body=json.dumps(body).encode()))
        built = build_engine(
            AISettings(type=kind, key=KEY, model="some-model", base_url=api.base_url),
            fetcher,
            MemorySpend(),
        )
        seen = await built.preflight()
        asked = api.calls[0].body
    await fetcher.close()

    assert (seen.ok, seen.facts["tokens"]) == (True, "31 in, 9 out")
    assert ("response_format" in asked) == (kind is not AIType.ANTHROPIC)


@pytest.mark.parametrize("kind", PRESETS)
def test_a_preset_needs_the_name_of_a_model(kind: AIType):
    with pytest.raises(ConfigError, match="FEEDLOOM_AI_MODEL"):
        endpoint_for(AISettings(type=kind, key=KEY))

    named = endpoint_for(AISettings(type=kind, key=KEY, model="some-model"))
    assert named.base_url.endswith(("/v1", "/openai"))


async def test_a_reasoning_model_has_room_to_think():
    fetcher = HTTPFetcher("test", allow_networks=AllowList.parse("127.0.0.0/8"))
    spend = MemorySpend()
    async with ModelAPI() as api:
        api.script(says({"word": "ready"}))
        built = build_engine(
            AISettings(
                type=AIType.COMPATIBLE,
                model="thinker",
                base_url=api.base_url,
                reasoning="low",
                extra_tokens=2_000,
            ),
            fetcher,
            spend,
        )
        await built.preflight()
        asked = api.calls[0].body
    await fetcher.close()

    assert (asked["reasoning_effort"], asked["max_tokens"]) == ("low", 2_040)
    assert "temperature" not in asked
    assert spend.planned[0].tokens > 2_040
