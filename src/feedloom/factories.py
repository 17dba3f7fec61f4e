"""Settings in, single components out: each made here, wired together in ``app``.

The only place beside ``app`` that reads settings.
"""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path

from feedloom import __version__
from feedloom.config import Settings
from feedloom.distill import (
    AISettings,
    AIType,
    Engine,
    JinaReader,
    LocalExtractor,
    embedder,
    offline_engine,
)
from feedloom.fetch import AllowList, HTTPFetcher, Limits, Proxy, SMTPMailer
from feedloom.flow.distill.model_opt_out import ModelOptOut
from feedloom.flow.worker.rate_limit import BURST_APART_S, RateLimitedFetcher
from feedloom.model.distilled.requests import Embedder, Extractor, Spend
from feedloom.model.errors import ConfigError
from feedloom.model.ports import Fetcher
from feedloom.model.stages import Purpose
from feedloom.model.work import Politeness
from feedloom.processes import open_files
from feedloom.store import AccountStore, Database, DatabaseURL, HostRateLimit, Keys, SpendStore

JINA_URL = "https://r.jina.ai"
_HOME = "https://feedloom.example"
_SHORTEST_KEY = 32
_SMTP_PORTS = {"starttls": 587, "tls": 465, "none": 25}
_FILES_FOR_EACH = 4
"""Open files reserved per connection to a publisher."""
_OTHER_REQUESTS = 256
"""Connections for everything other than feed refreshes."""


def database_urls(settings: Settings) -> tuple[DatabaseURL, DatabaseURL]:
    web = DatabaseURL.parse(settings.web_database, password=settings.db_password)
    worker = DatabaseURL.parse(settings.worker_database, password=settings.db_password)
    if web.kind != worker.kind:
        raise ConfigError(
            "FEEDLOOM_WORKER_DATABASE_URL must be the same database as FEEDLOOM_DATABASE_URL."
        )
    return web, worker


def make_fetcher(settings: Settings) -> HTTPFetcher:
    contact = settings.user_agent_contact or settings.base_url or _HOME
    return HTTPFetcher(
        f"Feedloom/{__version__} (+{contact})",
        allow_networks=AllowList.parse(settings.allow_networks),
        trusted_origins=trusted_origins(settings),
        # Time spent waiting for a connection would count against the request's deadline.
        limits=Limits(at_once=feed_connections(settings) + _OTHER_REQUESTS),
        proxy=Proxy.parse(settings.outbound_proxy) if settings.outbound_proxy else None,
    )


def feed_connections(settings: Settings) -> int:
    """Return how many feeds are fetched at once, leaving open files for others."""
    return min(settings.fetch_concurrency, max(1, open_files() // _FILES_FOR_EACH))


def trusted_origins(settings: Settings) -> dict[Purpose, frozenset[str]]:
    # The default RSSHub is not ours, so it is not trusted.
    own_rsshub = "" if settings.rsshub_url == Settings().rsshub_url else settings.rsshub_url
    named = {
        Purpose.MODEL: settings.ai_base_url,
        Purpose.EXTRACTOR: settings.jina_url,
        Purpose.OIDC: settings.oidc_issuer,
        Purpose.ALERT: settings.alert_url,
        Purpose.DISCOVERY: own_rsshub,
        Purpose.FEED: own_rsshub,
    }
    origins = {sink: frozenset({url}) for sink, url in named.items() if url}
    if settings.embeddings_url:
        models = origins.get(Purpose.MODEL, frozenset())
        origins[Purpose.MODEL] = models | {settings.embeddings_url}
    return origins


def rate_limited(
    settings: Settings, fetcher: HTTPFetcher, database: Database
) -> RateLimitedFetcher:
    limit = HostRateLimit(database, Politeness(delay_s=settings.host_delay))
    # A burst must not wait longer than other requests.
    apart_s = min(BURST_APART_S, settings.host_delay)
    return RateLimitedFetcher(fetcher, limit, burst_apart_s=apart_s)


def ai_settings(settings: Settings) -> AISettings:
    return AISettings(
        type=AIType(settings.model_kind),
        key=settings.ai_api_key,
        model=settings.ai_model,
        base_url=settings.ai_base_url,
        reasoning=settings.ai_reasoning,
        extra_tokens=settings.ai_extra_tokens,
        dollars_per_million_in=settings.ai_price_in,
        dollars_per_million_out=settings.ai_price_out,
        prompts_dir=Path(settings.prompts_dir) if settings.prompts_dir else None,
    )


def make_embedder(settings: Settings, fetcher: Fetcher, spend: Spend) -> Embedder | None:
    if not settings.embeddings_url:
        return None
    return embedder(
        fetcher,
        spend,
        base_url=settings.embeddings_url,
        model=settings.embeddings_model,
        key=settings.embeddings_api_key,
        price=settings.embeddings_price,
    )


def ledger(settings: Settings, database: Database) -> SpendStore:
    return SpendStore(
        database,
        budget=settings.ai_daily_budget,
        most_tokens=settings.ai_daily_tokens,
        person_share=settings.ai_person_share,
    )


def make_model_opt_out(database: Database, engine: Engine) -> ModelOptOut:
    return ModelOptOut(AccountStore(database), engine, offline_engine())


def make_extractor(settings: Settings, fetcher: RateLimitedFetcher) -> Extractor:
    """Return a Jina Reader if one is configured, or our own extractor."""
    if settings.jina_url or settings.jina_key:
        url = settings.jina_url or JINA_URL
        return JinaReader(fetcher, base_url=url, key=settings.jina_key)
    return LocalExtractor(fetcher)


def make_mailer(settings: Settings) -> SMTPMailer | None:
    """Return a mailer if a mail server is configured."""
    if not settings.smtp_host:
        return None
    if not settings.smtp_from or not settings.base_url:
        raise ConfigError("FEEDLOOM_SMTP_HOST also needs FEEDLOOM_SMTP_FROM and FEEDLOOM_BASE_URL.")
    if settings.smtp_user and settings.smtp_tls == "none":
        raise ConfigError("FEEDLOOM_SMTP_USER needs encryption: set FEEDLOOM_SMTP_TLS.")
    return SMTPMailer(
        settings.smtp_host,
        settings.smtp_port or _SMTP_PORTS[settings.smtp_tls],
        settings.smtp_tls,
        settings.smtp_from,
        settings.smtp_user,
        settings.smtp_password,
    )


def trusted_proxies(settings: Settings) -> tuple[IPv4Network | IPv6Network, ...]:
    names = [name.strip() for name in settings.trusted_proxies.split(",")]
    try:
        return tuple(ip_network(name, strict=False) for name in names if name)
    except ValueError as error:
        raise ConfigError(
            "FEEDLOOM_TRUSTED_PROXIES: use comma-separated addresses or networks."
        ) from error


def worker_name() -> str:
    return f"{os.uname().nodename}:{os.getpid()}"


def secret_key(settings: Settings) -> bytes:
    """Return the key that signs short-lived tokens, making it on first use."""
    return _secret_keys(settings)[0]


def encryption_keys(settings: Settings) -> Keys:
    """Return the keys that feed passwords and cookies are encrypted with."""
    return Keys(lambda: _secret_keys(settings))


def _secret_keys(settings: Settings) -> list[bytes]:
    """Return the current key and the previous ones."""
    previous = settings.previous_secret_keys.split()
    if settings.secret_key:
        if len(settings.secret_key) < _SHORTEST_KEY:
            raise ConfigError("FEEDLOOM_SECRET_KEY: use at least 32 characters.")
        return [settings.secret_key.encode(), *map(str.encode, previous)]
    path = settings.data_path / "secret-key"
    try:
        text = path.read_bytes() if path.is_file() else _make_key(path)
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be read or created: {error.strerror}. Set FEEDLOOM_SECRET_KEY"
            " or FEEDLOOM_DATA_DIR."
        ) from error
    keys = [key for key in text.split() if len(key) >= _SHORTEST_KEY]
    if not keys:
        raise ConfigError(
            f"{path} contains no key. Restore it from a backup, or delete it to get a new one."
        )
    return [*keys, *map(str.encode, previous)]


@contextmanager
def new_secret_key(settings: Settings) -> Iterator[Keys]:
    """Put a new key before the old ones, and remove the old ones in the end.

    If the process is killed in between, the file has both, and the next run continues.
    """
    if settings.secret_key:
        raise ConfigError(
            "FEEDLOOM_SECRET_KEY is set. Move its value to"
            " FEEDLOOM_PREVIOUS_SECRET_KEYS, set a new one and restart all processes."
        )
    path = settings.data_path / "secret-key"
    old = _secret_keys(settings)
    new = secrets.token_hex(32).encode()
    _draft(path, b"\n".join((new, *old))).replace(path)
    yield encryption_keys(settings)
    _draft(path, new).replace(path)


def _make_key(path: Path) -> bytes:
    """Create the key, or take the one that another process created at the same moment.

    The file appears complete, so nobody reads half a key, and two processes never sign with
    different ones.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = _draft(path, secrets.token_hex(32).encode())
    with suppress(FileExistsError):
        path.hardlink_to(draft)
    draft.unlink()
    return path.read_bytes()


def _draft(path: Path, content: bytes) -> Path:
    """Write a private file next to another one."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    return draft
