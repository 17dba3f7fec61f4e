"""Settings: read once, checked, frozen. Lower layers get values, never settings.

Sources, the first that has a value wins: the environment, a ``.env`` file in the working
directory (in both ``NAME``, then ``NAME_FILE`` for secrets), a TOML file
(``FEEDLOOM_CONFIG``). An empty value is none. A value that cannot be used stops the start
with the setting's name and what is allowed.
"""

import os
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from ipaddress import ip_network
from pathlib import Path
from typing import Any, NamedTuple

from feedloom.model.errors import BadAddress, ConfigError
from feedloom.model.urls import normalise, read_bare_host

PREFIX = "FEEDLOOM_"
_QUOTED = re.compile(r"""(["'])(.*?)\1(?:\s+#.*)?""")
_MAIL_ADDRESS = re.compile(r"[!-;=?A-~]+@[a-zA-Z0-9.-]+")
_COMMENT = re.compile(r"\s#.*")


class _Kind(NamedTuple):
    """How a value is parsed, and what people are told is allowed."""

    read: Callable[[str], object] = str
    allowed: str = "text"


_TEXT = _Kind()


def _setting(
    default: object, kind: _Kind = _TEXT, *, aliases: tuple[str, ...] = (), secret: bool = False
) -> Any:
    metadata = kind._asdict() | {"aliases": aliases, "secret": secret}
    return field(default=default, metadata=metadata, repr=not secret)


def _number(low: float, high: float, read_number: type[float] = float) -> _Kind:
    def read(text: str) -> float:
        value = read_number(text)
        if not low <= value <= high:
            raise ValueError(text)
        return value

    return _Kind(read, f"{low} to {high}")


def _whole(low: int, high: int) -> _Kind:
    return _number(low, high, int)


def _one_of(*names: str) -> _Kind:
    def read(text: str) -> str:
        if text.lower() not in names:
            raise ValueError(text)
        return text.lower()

    return _Kind(read, f"{', '.join(names[:-1])} or {names[-1]}")


def _mail_address(text: str) -> str:
    if not _MAIL_ADDRESS.fullmatch(text):
        raise ValueError(text)
    return text


def _switch(text: str) -> bool:
    words = {"on": True, "true": True, "1": True, "yes": True}
    words |= {"off": False, "false": False, "0": False, "no": False}
    return words[text.lower()]


def _web_address(text: str) -> str:
    return normalise(text).rstrip("/") if text else ""


def _web_address_or_off(text: str) -> str:
    return "" if text.lower() == "off" else _web_address(text)


def _networks(text: str) -> str:
    for part in text.replace(",", " ").split():
        try:
            ip_network(part)
        except ValueError:
            read_bare_host(part)
    return text


_AI_TYPES = (
    *("openrouter", "openai", "anthropic", "gemini", "mistral", "groq", "ollama"),
    *("compatible", "offline", "mock"),
)
_PATH = _Kind(allowed="a path")
_URL = _Kind(_web_address, "an http:// or https:// address")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What each is for says ``settings.toml``."""

    data_dir: str = _setting("", _PATH)
    database_url: str = _setting(
        "", _Kind(allowed="sqlite:////path/file.db or postgresql://user@host/database"), secret=True
    )
    worker_database_url: str = _setting(
        "", _Kind(allowed="like FEEDLOOM_DATABASE_URL"), secret=True
    )
    db_password: str = _setting("", aliases=("DB_PASSWORD",), secret=True)
    host: str = _setting("127.0.0.1")
    port: int = _setting(8000, _whole(0, 65_535))
    base_url: str = _setting("", _URL)
    trusted_proxies: str = _setting("", _Kind(allowed="comma-separated addresses or networks"))
    secret_key: str = _setting("", _Kind(allowed="at least 32 characters"), secret=True)
    previous_secret_keys: str = _setting("", _Kind(allowed="keys separated by spaces"), secret=True)
    log_level: str = _setting("info", _one_of("debug", "info", "warning", "error"))
    allow_networks: str = _setting(
        "", _Kind(_networks, "comma-separated networks (10.1.0.0/16) or host names")
    )
    user_agent_contact: str = _setting("", _URL)
    host_delay: float = _setting(3.0, _number(0, 3_600))
    outbound_proxy: str = _setting(
        "", _Kind(allowed="an http://, https://, socks5:// or socks5h:// address"), secret=True
    )
    fetch_concurrency: int = _setting(256, _whole(1, 1_000))
    first_fetch_entries: int = _setting(50, _whole(50, 2_000))
    update_every: int = _setting(5, _whole(1, 1_440), aliases=("FEED_UPDATE_FREQUENCY_MIN",))
    revision_days: int = _setting(90, _whole(0, 3_650))
    lease_seconds: float = _setting(600.0, _number(1, 86_400))
    image_proxy: str = _setting(
        "all",
        _Kind(_one_of("all", "http", "off").read, "all, http (only those without TLS) or off"),
    )
    image_cache_mb: int = _setting(1_000, _whole(10, 1_000_000))
    directory_check: bool = _setting(True, _Kind(_switch, "on or off"))  # noqa: FBT003 - the default
    registration: str = _setting("", _one_of("open", "invite", "code", "closed"))
    registration_code: str = _setting("", secret=True)
    topic_confidence: float = _setting(0.8, _number(0, 1))
    ai_type: str = _setting("", _one_of(*_AI_TYPES), aliases=("AI_TYPE",))
    ai_api_key: str = _setting("", aliases=("AI_API_KEY",), secret=True)
    ai_base_url: str = _setting("", _URL)
    ai_model: str = _setting("openai/gpt-4o-mini")
    ai_reasoning: str = _setting("", _one_of("low", "medium", "high"))
    ai_extra_tokens: int = _setting(0, _whole(0, 100_000))
    ai_daily_budget: float = _setting(1.0, _number(0, 100_000))
    ai_daily_tokens: int = _setting(0, _whole(0, 2_000_000_000))
    ai_person_share: float = _setting(0.5, _number(0, 1))
    embeddings_url: str = _setting("", _URL)
    embeddings_model: str = _setting("text-embedding-3-small")
    embeddings_api_key: str = _setting("", secret=True)
    embeddings_price: float = _setting(0.0, _number(0, 10_000))
    ai_price_in: float | None = _setting(None, _number(0, 10_000))
    ai_price_out: float | None = _setting(None, _number(0, 10_000))
    prompts_dir: str = _setting("", _PATH)
    jina_url: str = _setting("", _URL)
    jina_key: str = _setting("", secret=True)
    rsshub_url: str = _setting(
        "https://rsshub.app", _Kind(_web_address_or_off, "an http:// or https:// address, or off")
    )
    proxy_token: str = _setting("", secret=True)
    smtp_host: str = _setting("")
    smtp_port: int = _setting(0, _whole(0, 65_535))
    smtp_tls: str = _setting("starttls", _one_of("starttls", "tls", "none"))
    smtp_user: str = _setting("")
    smtp_password: str = _setting("", secret=True)
    smtp_from: str = _setting("", _Kind(_mail_address, "an address such as feedloom@example.org"))
    alert_url: str = _setting("", _URL)
    oidc_issuer: str = _setting("", _URL)
    oidc_client_id: str = _setting("")
    oidc_client_secret: str = _setting("", secret=True)
    oidc_name: str = _setting("single sign-on")

    @property
    def data_path(self) -> Path:
        if self.data_dir:
            return Path(self.data_dir).expanduser().absolute()
        base = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
        return Path(base).expanduser() / "feedloom"

    @property
    def web_database(self) -> str:
        return self.database_url or f"sqlite:///{self.data_path / 'feedloom.db'}"

    @property
    def worker_database(self) -> str:
        return self.worker_database_url or self.web_database

    @property
    def model_kind(self) -> str:
        return self.ai_type or ("openrouter" if self.ai_api_key else "offline")


def load(environment: Mapping[str, str] | None = None) -> Settings:
    """Read and check all settings; raise ``ConfigError`` naming the wrong one."""
    environment = os.environ if environment is None else environment
    sources = (environment, _dotenv(Path(".env")))
    toml = _toml(_find((f"{PREFIX}CONFIG",), sources, secret=False))
    values: dict[str, object] = {}
    for setting in fields(Settings):
        names = (f"{PREFIX}{setting.name.upper()}", *setting.metadata["aliases"])
        found = _find(names, sources, secret=setting.metadata["secret"])
        if text := found or toml.get(setting.name):
            values[setting.name] = _read(names[0], text, setting.metadata)
    for source in sources:
        _refuse_unknown(source)
    return Settings(**values)  # type: ignore[arg-type]


def _find(names: tuple[str, ...], sources: Iterable[Mapping[str, str]], *, secret: bool) -> str:
    """Return the first value that is set, or an empty string."""
    for source in sources:
        for name in names:
            text = source.get(name, "").strip()
            path = source.get(f"{name}_FILE", "") if secret else ""
            if not text and path:
                text = _text(Path(path), f"{name}_FILE: ").strip()
            if text:
                return text
    return ""


def _text(path: Path, setting: str = "") -> str:
    try:
        # Windows editors write a byte order mark.
        return path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{setting}{path} is not UTF-8 text.") from error
    except (OSError, ValueError) as error:
        raise ConfigError(f"{setting}{path} cannot be read.") from error


def _read(name: str, text: str, metadata: Mapping[str, Any]) -> object:
    try:
        value: object = metadata["read"](text)
    except (ValueError, KeyError, BadAddress) as error:
        shown = "that value" if metadata["secret"] else repr(text)
        raise ConfigError(f"{name}: {shown} is not allowed; use {metadata['allowed']}.") from error
    return value


def _dotenv(path: Path) -> dict[str, str]:
    if not path.is_file():
        return {}
    found = {}
    for line in _text(path).split("\n"):
        name, equals, value = line.strip().removeprefix("export ").partition("=")
        if equals and not name.startswith("#"):
            found[name.strip()] = _dotenv_value(value)
    return found


def _dotenv_value(text: str) -> str:
    """Remove quotes, or the comment after an unquoted value."""
    quoted = _QUOTED.fullmatch(text.strip())
    return quoted[2] if quoted else _COMMENT.sub("", text).strip()


def _toml(path: str) -> dict[str, str]:
    if not path:
        return {}
    try:
        table = tomllib.loads(_text(Path(path), f"{PREFIX}CONFIG: "))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{PREFIX}CONFIG: {path} is not valid TOML: {error}.") from error
    known = {setting.name for setting in fields(Settings)}
    for name in table:
        if name not in known:
            raise ConfigError(f"{PREFIX}CONFIG: {path} has an unknown setting {name!r}.")
    return {name: _toml_text(value) for name, value in table.items()}


def _toml_text(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(_toml_text, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _refuse_unknown(given: Mapping[str, str]) -> None:
    known = {f"{PREFIX}CONFIG"}
    for setting in fields(Settings):
        name = f"{PREFIX}{setting.name.upper()}"
        known |= {name, f"{name}_FILE"} if setting.metadata["secret"] else {name}
    for name in given:
        if name.startswith(PREFIX) and name not in known:
            raise ConfigError(f"{name}: unknown setting.")
