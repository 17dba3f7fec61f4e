"""The wire format of OpenAI-compatible chat services: a task in, a completion out.

Talks through the ``Fetcher`` port only. Keys stand in one header and nowhere else;
what a provider says about an error is read for known codes and never repeated.
"""

import asyncio
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from http import HTTPStatus
from typing import Any, cast

from feedloom.model.distilled.requests import CallOutcome, Message, Task
from feedloom.model.errors import BlockedAddress, FetchError, RedirectError, TimedOut, TooLarge
from feedloom.model.ports import Fetcher
from feedloom.model.stages import FetchRequest, FetchResponse, Purpose

MAX_ANSWER_BYTES = 65_536
_SANE_TOKENS = 10_000_000
_SANE_DOLLARS = 1_000
_CODES = (
    "context_length_exceeded insufficient_quota invalid_api_key model_not_found"
    " rate_limit_exceeded unsupported_parameter unsupported_value"
)
_KNOWN_CODES = frozenset(_CODES.split())
_BILLED = frozenset({CallOutcome.TIMED_OUT, CallOutcome.TOO_LARGE, CallOutcome.UNREADABLE})
_SCHEMA_WORDS_ONLY_WE_CHECK = frozenset({"maxLength", "minLength"})


class Shape(StrEnum):
    """How a service can be told the form of its answer, the strictest first."""

    SCHEMA = "json_schema"
    OBJECT = "json_object"
    WORDS = "words"


@dataclass(frozen=True, slots=True)
class Endpoint:
    base_url: str
    model: str
    key: str = field(default="", repr=False)
    shape: Shape = Shape.SCHEMA
    limit_name: str = "max_tokens"
    headers: Mapping[str, str] = field(default_factory=dict)
    with_temperature: bool = True
    """False for models that refuse to be told one."""
    asks_for_cost: bool = False
    """The service reports the price of a call when asked (OpenRouter)."""
    reasoning: str = ""
    extra_tokens: int = 0
    micros_per_million_in: int = 0
    micros_per_million_out: int = 0


@dataclass(frozen=True, slots=True)
class Completion:
    """What a service answered, unchecked."""

    text: str
    cut: bool
    refused: bool
    tokens_in: int | None
    tokens_out: int | None
    cost_micros: int | None


class CallFailed(Exception):
    """A call brought no completion. Never leaves this package."""

    def __init__(
        self,
        outcome: CallOutcome,
        *,
        status: int = 0,
        code: str = "",
        retry_after_s: float | None = None,
        retryable: bool = False,
    ) -> None:
        super().__init__(f"{outcome} {status} {code}".strip())
        self.outcome = outcome
        self.status = status
        self.code = code
        self.retry_after_s = retry_after_s
        self.retryable = retryable

    @property
    def may_be_billed(self) -> bool:
        return self.outcome in _BILLED


async def ask_endpoint(
    fetcher: Fetcher,
    endpoint: Endpoint,
    task: Task,
    *,
    messages: tuple[Message, ...],
    timeout_s: float,
) -> Completion:
    """Send one request and read its answer; raise ``CallFailed``."""
    request = _request(endpoint, task, messages)
    return _read(await post(fetcher, endpoint, "chat/completions", request, timeout_s=timeout_s))


async def post(
    fetcher: Fetcher,
    endpoint: Endpoint,
    path: str,
    request: Mapping[str, object],
    *,
    timeout_s: float,
    max_bytes: int = MAX_ANSWER_BYTES,
) -> dict[str, Any]:
    """Send a request and return the document of its answer; raise ``CallFailed``."""
    ask = FetchRequest(
        url=f"{endpoint.base_url.rstrip('/')}/{path}",
        sink=Purpose.MODEL,
        method="POST",
        headers=_headers(endpoint),
        body=json.dumps(request).encode(),
        max_bytes=max_bytes,
        timeout_s=timeout_s,
        max_redirects=0,
    )
    fetched = await _fetch(fetcher, ask)
    document = _read_document(fetched.body)
    if fetched.status != HTTPStatus.OK:
        raise _status_failure(fetched, _error_code(document))
    if document is None or "error" in document:
        code = _error_code(document)
        retryable = code != "insufficient_quota"
        raise CallFailed(CallOutcome.UNREADABLE, code=code, retryable=retryable)
    return document


async def _fetch(fetcher: Fetcher, ask: FetchRequest) -> FetchResponse:
    try:
        async with asyncio.timeout(ask.timeout_s):
            return await fetcher.fetch(ask)
    except (TimedOut, TimeoutError) as error:
        raise CallFailed(CallOutcome.TIMED_OUT, retryable=True) from error
    except TooLarge as error:
        raise CallFailed(CallOutcome.TOO_LARGE) from error
    except (BlockedAddress, RedirectError) as error:
        raise CallFailed(CallOutcome.REJECTED, code=error.key) from error
    except FetchError as error:
        raise CallFailed(CallOutcome.UNREACHABLE, code=error.key, retryable=True) from error


def _headers(endpoint: Endpoint) -> dict[str, str]:
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if endpoint.key:
        headers["Authorization"] = f"Bearer {endpoint.key}"
    return headers | dict(endpoint.headers)


def _request(endpoint: Endpoint, task: Task, messages: tuple[Message, ...]) -> dict[str, object]:
    turns = [{"role": m.role, "content": m.content} for m in messages]
    schema = _for_the_wire(task.schema)
    request: dict[str, object] = {
        "model": endpoint.model,
        "messages": turns,
        endpoint.limit_name: task.max_tokens,
        "stream": False,
    }
    if endpoint.shape is Shape.SCHEMA:
        named = {"name": task.purpose.value, "strict": True, "schema": schema}
        request["response_format"] = {"type": "json_schema", "json_schema": named}
    else:
        turns[0]["content"] += (
            "\n\nAnswer with one JSON object and nothing else. JSON Schema of the "
            f"answer: {json.dumps(schema, ensure_ascii=False)}"
        )
    if endpoint.shape is Shape.OBJECT:
        request["response_format"] = {"type": "json_object"}
    if endpoint.with_temperature:
        request["temperature"] = task.temperature
    if endpoint.reasoning:
        request["reasoning_effort"] = endpoint.reasoning
    if endpoint.asks_for_cost:
        request["usage"] = {"include": True}
    return request


def _for_the_wire(schema: Mapping[str, object]) -> dict[str, object]:
    # Strict mode refuses schemas with words it does not know, and wants every key
    # required and no others allowed; we check the lengths ourselves.
    wire: dict[str, object] = {}
    for key, value in schema.items():
        if key == "properties":
            nested = cast("Mapping[str, Mapping[str, object]]", value)
            wire[key] = {name: _for_the_wire(part) for name, part in nested.items()}
            wire["required"] = list(nested)
            wire["additionalProperties"] = False
        elif key == "items":
            wire[key] = _for_the_wire(cast("Mapping[str, object]", value))
        elif key not in _SCHEMA_WORDS_ONLY_WE_CHECK:
            wire[key] = value
    return wire


def _read(document: dict[str, Any]) -> Completion:
    try:
        choice = document["choices"][0]
        message = choice["message"]
        text = _text_of(message.get("content"))
        refused = bool(message.get("refusal"))
        reason = choice.get("finish_reason")
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise CallFailed(CallOutcome.UNREADABLE, retryable=True) from error
    usage = document.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    return Completion(
        text=text,
        cut=reason == "length",
        refused=refused or reason == "content_filter",
        tokens_in=_sane(usage.get("prompt_tokens")),
        tokens_out=_sane(usage.get("completion_tokens")),
        cost_micros=_dollars(usage.get("cost")),
    )


def _read_document(body: bytes) -> dict[str, Any] | None:
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _text_of(content: object) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    # Some services answer in parts, as the newer chat format does.
    parts = cast("list[dict[str, object]]", content)
    return "".join(str(p["text"]) for p in parts if p["type"] == "text")


def _error_code(document: dict[str, Any] | None) -> str:
    error = document.get("error") if document else None
    if not isinstance(error, dict):
        return ""
    given = (error.get("code"), error.get("type"))
    return next((c for c in given if isinstance(c, str) and c in _KNOWN_CODES), "")


def _status_failure(fetched: FetchResponse, code: str) -> CallFailed:
    status = fetched.status
    if status == HTTPStatus.TOO_MANY_REQUESTS and code != "insufficient_quota":
        return CallFailed(
            CallOutcome.RATE_LIMITED,
            status=status,
            code=code,
            retry_after_s=_seconds(fetched.headers.get("retry-after", "")),
            retryable=True,
        )
    if status == HTTPStatus.REQUEST_TIMEOUT or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return CallFailed(CallOutcome.PROVIDER_ERROR, status=status, code=code, retryable=True)
    return CallFailed(CallOutcome.REJECTED, status=status, code=code)


def _seconds(header: str) -> float | None:
    return float(header) if re.fullmatch(r"\d{1,6}", header) else None


def _sane(count: object) -> int | None:
    if isinstance(count, bool) or not isinstance(count, int):
        return None
    return count if 0 <= count <= _SANE_TOKENS else None


def _dollars(cost: object) -> int | None:
    if isinstance(cost, bool) or not isinstance(cost, int | float):
        return None
    return math.ceil(cost * 1_000_000) if 0 <= cost <= _SANE_DOLLARS else None
