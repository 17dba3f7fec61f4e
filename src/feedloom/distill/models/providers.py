"""Settings in, the endpoint of a provider out. Raises ``ConfigError``, calls nothing."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from feedloom.distill.models.wire import Endpoint, Shape
from feedloom.model.errors import BadAddress, ConfigError
from feedloom.model.urls import read_address

DEFAULT_MODEL = "openai/gpt-4o-mini"

# US dollars per million tokens in and out, for the models a newcomer meets. For any
# other model of a provider that wants money a dear one is assumed, so that the budget
# holds, until the provider tells the cost or the operator sets the prices.
_KNOWN_PRICES = {"gpt-4o-mini": (0.15, 0.60), "gpt-4o": (2.50, 10.00)}
_DEAR = (5.0, 15.0)
_FREE = (0.0, 0.0)


class AIType(StrEnum):
    OPENROUTER = "openrouter"
    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    GEMINI = "gemini"
    MISTRAL = "mistral"
    GROQ = "groq"
    OLLAMA = "ollama"
    COMPATIBLE = "compatible"
    OFFLINE = "offline"
    MOCK = "mock"


@dataclass(frozen=True, slots=True)
class AISettings:
    type: AIType = AIType.OFFLINE
    key: str = field(default="", repr=False)
    model: str = DEFAULT_MODEL
    base_url: str = ""
    call_s: float = 60.0
    retry_after_s: float = 2.0
    dollars_per_million_in: float | None = None
    dollars_per_million_out: float | None = None
    prompts_dir: Path | None = None
    mock_latency_s: float = 0.2
    reasoning: str = ""
    """How hard a reasoning model thinks: low, medium or high; empty for other models."""
    extra_tokens: int = 0
    """What an answer may use beyond what our tasks need, for thinking."""


@dataclass(frozen=True, slots=True)
class _Preset:
    """A provider's OpenAI-compatible service, as its documentation describes it."""

    base_url: str
    shape: Shape = Shape.SCHEMA
    needs_key: bool = True
    has_default_model: bool = False
    limit_name: str = "max_tokens"
    headers: Mapping[str, str] = field(default_factory=dict)
    asks_for_cost: bool = False


_PRESETS = {
    AIType.OPENROUTER: _Preset(
        "https://openrouter.ai/api/v1",
        has_default_model=True,
        headers={"X-Title": "Feedloom"},
        asks_for_cost=True,
    ),
    AIType.OPENAI: _Preset(
        "https://api.openai.com/v1", has_default_model=True, limit_name="max_completion_tokens"
    ),
    # It takes no response_format: the form is asked for in words.
    AIType.ANTHROPIC: _Preset("https://api.anthropic.com/v1", Shape.WORDS),
    AIType.GEMINI: _Preset("https://generativelanguage.googleapis.com/v1beta/openai"),
    AIType.MISTRAL: _Preset("https://api.mistral.ai/v1"),
    # Only some of its models know schemas.
    AIType.GROQ: _Preset(
        "https://api.groq.com/openai/v1", Shape.OBJECT, limit_name="max_completion_tokens"
    ),
    AIType.OLLAMA: _Preset("http://127.0.0.1:11434/v1", needs_key=False),
    AIType.COMPATIBLE: _Preset("", needs_key=False),
}


def endpoint_for(settings: AISettings) -> Endpoint:
    """Return the endpoint of the provider that is set up; raise ``ConfigError``."""
    preset = _PRESETS[settings.type]
    model = settings.model
    if settings.type is AIType.COMPATIBLE and not settings.base_url:
        raise ConfigError(
            "FEEDLOOM_AI_TYPE is `compatible`, so FEEDLOOM_AI_BASE_URL must name the "
            "server, for example http://127.0.0.1:11434/v1"
        )
    if preset.has_default_model:
        model = model or DEFAULT_MODEL
    elif settings.type is not AIType.COMPATIBLE and model in {"", DEFAULT_MODEL}:
        raise ConfigError(
            f"FEEDLOOM_AI_TYPE is `{settings.type}`, so FEEDLOOM_AI_MODEL must name one"
            " of its models."
        )
    price_in, price_out = _prices(settings)
    return Endpoint(
        base_url=_base_url(settings, default=preset.base_url),
        model=model.removeprefix("openai/") if settings.type is AIType.OPENAI else model,
        key=_needed_key(settings) if preset.needs_key else settings.key,
        shape=preset.shape,
        limit_name=preset.limit_name,
        headers=preset.headers,
        asks_for_cost=preset.asks_for_cost,
        with_temperature=not settings.reasoning,
        reasoning=settings.reasoning,
        extra_tokens=settings.extra_tokens,
        micros_per_million_in=price_in,
        micros_per_million_out=price_out,
    )


def _needed_key(settings: AISettings) -> str:
    if not settings.key:
        raise ConfigError(
            f"FEEDLOOM_AI_TYPE is `{settings.type}`, so FEEDLOOM_AI_API_KEY must hold "
            "its key. Without a key use `offline`."
        )
    if not settings.key.isascii() or not settings.key.isprintable():
        raise ConfigError("FEEDLOOM_AI_API_KEY contains invalid characters.")
    return settings.key


def _base_url(settings: AISettings, *, default: str) -> str:
    try:
        address = read_address(settings.base_url or default)
    except BadAddress as error:
        raise ConfigError("FEEDLOOM_AI_BASE_URL is not a web address.") from error
    if address.userinfo or address.query:
        raise ConfigError(
            "FEEDLOOM_AI_BASE_URL must not contain a password or query; "
            "the key goes into FEEDLOOM_AI_API_KEY."
        )
    return str(address).rstrip("/")


def _prices(settings: AISettings) -> tuple[int, int]:
    is_free = settings.type in {AIType.COMPATIBLE, AIType.OLLAMA}
    unknown = _FREE if is_free else _DEAR
    known = _KNOWN_PRICES.get(settings.model.rpartition("/")[2], unknown)
    given = (settings.dollars_per_million_in, settings.dollars_per_million_out)
    dollars = [k if g is None else g for k, g in zip(known, given, strict=True)]
    return round(dollars[0] * 1_000_000), round(dollars[1] * 1_000_000)
