"""Every way a model service can fail, times every feature: an error of ours, nothing else."""

import json
import logging
from collections.abc import AsyncIterator, Callable

import pytest

from feedloom.fetch import AllowList, HTTPFetcher
from feedloom.model.errors import DistillError, ModelAnswerInvalid, ModelUnavailable
from tests.model_api import Behaviour, ModelAPI, Reply, fails, says
from tests.unit.distill.doubles import FEATURES, KEY, MemorySpend, Naps, engine

pytestmark = pytest.mark.threat("L6")

Valid = dict[str, object]
DOWN, BAD = ModelUnavailable, ModelAnswerInvalid


def _first(valid: Valid) -> str:
    return next(iter(valid))


def _with(valid: Valid, **changes: object) -> Reply:
    return says(valid | changes)


def _raw(text: str) -> Callable[[Valid], Behaviour]:
    return lambda _: Reply(body=text.encode())


# Only these wait for the end of a call's time; others must not depend on it.
SILENT = {"silence", "silence after the head", "a slow drip"}
FAULTS: dict[str, tuple[Callable[[Valid], Behaviour], type[DistillError]]] = {
    "silence": (lambda _: Reply(hangs=True), DOWN),
    "silence after the head": (lambda _: Reply(hangs_in_body=True), DOWN),
    "a slow drip": (lambda _: Reply(drips=True), DOWN),
    "the line is closed": (lambda _: Reply(resets=True), DOWN),
    "a body shorter than claimed": (lambda v: Reply(body=says(v).body, claims_bytes=9_999), DOWN),
    "429": (lambda _: fails(429), DOWN),
    "429 for an hour": (lambda _: fails(429, Retry_After="3600"), DOWN),
    "429 without money": (lambda _: fails(429, code="insufficient_quota"), DOWN),
    "500": (lambda _: fails(500), DOWN),
    "502 with a page": (lambda _: Reply(502, b"<html>Bad gateway</html>"), DOWN),
    "503": (lambda _: fails(503), DOWN),
    "400": (lambda _: fails(400, code="context_length_exceeded"), DOWN),
    "401 that repeats the key": (lambda _: fails(401, message=f"bad key {KEY}"), DOWN),
    "402": (lambda _: fails(402), DOWN),
    "403": (lambda _: fails(403), DOWN),
    "404": (lambda _: fails(404, code="model_not_found"), DOWN),
    "a redirect": (lambda _: Reply(302, headers={"Location": "http://127.0.0.1:1/"}), DOWN),
    "an empty body": (_raw(""), DOWN),
    "a web page": (_raw("<html>Welcome</html>"), DOWN),
    "a list": (_raw("[1, 2]"), DOWN),
    "an error with status 200": (_raw('{"error": {"message": "overloaded"}}'), DOWN),
    "no choices": (_raw('{"choices": []}'), DOWN),
    "no message": (_raw('{"choices": [{}]}'), DOWN),
    "a message that is text": (_raw('{"choices": [{"message": "hi"}]}'), DOWN),
    "content that is a number": (_raw('{"choices": [{"message": {"content": 5}}]}'), DOWN),
    "bytes that are no UTF-8": (lambda _: Reply(body=b'{"choices": "\xff\xfe"}'), DOWN),
    "an answer of 1 MB": (lambda _: says("x" * 1_000_000), DOWN),
    "a deep answer": (lambda _: Reply(body=b'{"a":' * 10_000), DOWN),
    "no content": (lambda _: says(None), BAD),
    "empty content": (lambda _: says(""), BAD),
    "invisible content": (lambda _: says("\u200b \u200b"), BAD),
    "a refusal": (lambda v: says(v, refusal="I cannot help with that."), BAD),
    "a filtered answer": (lambda v: says(v, finish_reason="content_filter"), BAD),
    "an answer at its limit": (lambda v: says(v, finish_reason="length"), BAD),
    "cut JSON": (lambda v: says(json.dumps(v)[:-10]), BAD),
    "prose": (lambda _: says("Sure! The title looks fine to me."), BAD),
    "two documents": (lambda v: says(json.dumps(v) * 2), BAD),
    "a tool call": (
        lambda _: says(None, tool_calls=[{"function": {"name": "rm", "arguments": "{}"}}]),
        BAD,
    ),
    "wrong types": (lambda v: says(dict.fromkeys(v, True)), BAD),
    "numbers as text": (lambda v: says(dict.fromkeys(v, "0.5")), BAD),
    "nulls": (lambda v: says(dict.fromkeys(v)), BAD),
    "a missing key": (lambda v: says({k: v[k] for k in v if k != _first(v)}), BAD),
    "a list of the answer": (lambda v: says([v]), BAD),
    "not a number": (lambda v: says(f'{{"{_first(v)}": NaN}}'), BAD),
    "an endless number": (lambda v: says(f'{{"{_first(v)}": 1{"0" * 5_000}}}'), BAD),
    "a key twice": (lambda v: says(json.dumps(v)[:-1] + f', "{_first(v)}": 1}}'), BAD),
    "an empty object": (lambda _: says({}), BAD),
    "deep JSON in the answer": (lambda _: says("[" * 9_000), BAD),
    "the schema instead": (lambda _: says({"type": "object", "properties": {}}), BAD),
}


@pytest.fixture
async def fetcher() -> AsyncIterator[HTTPFetcher]:
    client = HTTPFetcher("test", allow_networks=AllowList.parse("127.0.0.0/8"))
    yield client
    await client.close()


@pytest.mark.parametrize("feature", FEATURES)
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_is_an_error_and_never_a_result(
    fault: str, feature: str, fetcher: HTTPFetcher, caplog: pytest.LogCaptureFixture
):
    caplog.set_level(logging.DEBUG)
    run, valid = FEATURES[feature]
    behaviour, expected = FAULTS[fault]
    spend = MemorySpend()
    async with ModelAPI() as api:
        api.script(behaviour(valid))
        built = engine(fetcher, spend, base_url=api.base_url)
        with pytest.raises(expected) as caught:
            await run(built)
        calls = len(api.calls)

    told = f"{caught.value} {caught.value.detail} {caplog.text}"
    assert calls == len(spend.planned) == len(spend.records)
    assert 1 <= calls <= 6, "a retry, a repair or two looser requests, never a storm"
    assert "ok" not in spend.outcomes
    assert KEY not in told
    assert "overloaded" not in told, "what a provider writes is not repeated"


@pytest.mark.parametrize("feature", FEATURES)
async def test_a_fault_then_an_answer_is_a_result(feature: str, fetcher: HTTPFetcher):
    run, valid = FEATURES[feature]
    spend, naps = MemorySpend(), Naps()
    async with ModelAPI() as api:
        api.script(fails(503), says(valid))
        result = await run(engine(fetcher, spend, base_url=api.base_url, sleep=naps))

    assert result is not None
    assert spend.outcomes == ["provider_error", "ok"]
    assert naps.taken == [2.0]


@pytest.mark.parametrize("feature", FEATURES)
async def test_a_bad_answer_is_repaired_once(feature: str, fetcher: HTTPFetcher):
    run, valid = FEATURES[feature]
    spend = MemorySpend()
    async with ModelAPI() as api:
        api.script(says({}), says(valid))
        result = await run(engine(fetcher, spend, base_url=api.base_url))
        repair = api.calls[1].body["messages"]

    assert result is not None
    assert spend.outcomes == ["invalid", "ok"]
    assert [turn["role"] for turn in repair] == ["system", "user", "assistant", "user"]
    assert "is missing" in repair[3]["content"]
