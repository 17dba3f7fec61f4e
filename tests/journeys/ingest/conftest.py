"""A home on either engine and a publisher beside it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.containers import Home, open_home, settings_for
from tests.databases import Databases
from tests.publisher import Publisher


@pytest.fixture
async def home(engine_url: Databases, tmp_path: Path) -> AsyncIterator[Home]:
    async with open_home(settings_for(engine_url, tmp_path)) as opened:
        yield opened


@pytest.fixture
async def publisher() -> AsyncIterator[Publisher]:
    async with Publisher() as running:
        yield running
