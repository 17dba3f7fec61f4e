"""Factories: what the settings build."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier
from typing import NoReturn, cast

import pytest

from feedloom.config import Settings
from feedloom.distill import AIType, JinaReader, LocalExtractor
from feedloom.factories import (
    ai_settings,
    make_extractor,
    rate_limited,
    secret_key,
    trusted_origins,
)
from feedloom.fetch import HTTPFetcher
from feedloom.flow.worker.rate_limit import RateLimitedFetcher
from feedloom.model.stages import FetchRequest, Purpose
from feedloom.store import Database

PLAIN = Settings()


class Nowhere:
    """A way out that is never taken."""

    async def fetch(self, ask: FetchRequest) -> NoReturn:
        raise AssertionError(ask.url)

    async def enter(self, host_key: str, token: str, *, burst: bool = False) -> float:
        raise AssertionError(host_key, token, burst)

    async def leave(self, host_key: str, token: str) -> None:
        raise AssertionError(host_key, token)

    async def close(self) -> None:
        """Nothing is open."""


FETCHER = RateLimitedFetcher(Nowhere(), Nowhere())


def test_nobody_is_trusted_until_an_operator_says_so():
    assert trusted_origins(PLAIN) == {}


def test_each_place_is_trusted_for_its_own_purpose():
    settings = replace(
        PLAIN,
        ai_base_url="http://10.0.0.1:11434/v1",
        jina_url="http://10.0.0.2",
        oidc_issuer="https://login.intranet",
        alert_url="http://10.0.0.3/hook",
        rsshub_url="http://10.0.0.4:1200",
    )

    assert trusted_origins(settings) == {
        Purpose.MODEL: {"http://10.0.0.1:11434/v1"},
        Purpose.EXTRACTOR: {"http://10.0.0.2"},
        Purpose.OIDC: {"https://login.intranet"},
        Purpose.ALERT: {"http://10.0.0.3/hook"},
        Purpose.DISCOVERY: {"http://10.0.0.4:1200"},
        Purpose.FEED: {"http://10.0.0.4:1200"},
    }


@pytest.mark.parametrize(("delay_s", "apart_s"), [(3.0, 0.2), (0.2, 0.2), (0.0, 0.0)])
async def test_a_burst_never_waits_longer_than_whoever_is_in_no_hurry(
    delay_s: float, apart_s: float
):
    settings = replace(PLAIN, host_delay=delay_s)

    made = rate_limited(settings, HTTPFetcher("agent"), cast("Database", None))

    assert made.burst_apart_s == apart_s


def test_without_a_key_the_engine_is_offline_and_with_one_it_is_not():
    assert ai_settings(PLAIN).type is AIType.OFFLINE
    assert ai_settings(replace(PLAIN, ai_api_key="k")).type is AIType.OPENROUTER
    assert ai_settings(replace(PLAIN, ai_type="mock")).type is AIType.MOCK


def test_prices_and_prompts_reach_the_engine(tmp_path):
    given = replace(PLAIN, ai_price_in=0.5, ai_price_out=2.0, prompts_dir=str(tmp_path))

    made = ai_settings(given)

    assert (made.dollars_per_million_in, made.dollars_per_million_out) == (0.5, 2.0)
    assert made.prompts_dir == tmp_path


def test_pages_are_read_here_unless_a_reader_is_set():
    assert isinstance(make_extractor(PLAIN, FETCHER), LocalExtractor)
    for settings in (replace(PLAIN, jina_key="k"), replace(PLAIN, jina_url="http://10.0.0.2")):
        assert isinstance(make_extractor(settings, FETCHER), JinaReader)


@pytest.mark.threat("U10")
def test_starters_at_the_same_moment_get_one_secret_key(tmp_path: Path):
    settings = replace(PLAIN, data_dir=str(tmp_path / "data"))
    together = Barrier(16)

    def start(_: int) -> bytes:
        together.wait()
        return secret_key(settings)

    with ThreadPoolExecutor(16) as starters:
        keys = set(starters.map(start, range(16)))

    kept = tmp_path / "data" / "secret-key"
    assert keys == {kept.read_bytes()}
    assert len(kept.read_bytes()) == 64
    assert kept.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in kept.parent.iterdir()] == ["secret-key"]
