"""Stores under contract: every test here runs on SQLite and on PostgreSQL."""

from collections.abc import AsyncIterator

import pytest

from feedloom.store import DatabaseURL, open_database
from tests.databases import Databases
from tests.stores import KEYS, Stores


@pytest.fixture
async def stores(engine_url: Databases) -> AsyncIterator[Stores]:
    """Hand out all stores on a fresh, migrated database."""
    web, worker = (DatabaseURL.parse(engine_url.web_url), DatabaseURL.parse(engine_url.worker_url))
    work = await open_database(worker, worker=True, keys=KEYS)
    front = work if worker.kind == "sqlite" else await open_database(web, worker=False, keys=KEYS)
    yield Stores(front, work)
    if front is not work:
        await front.close()
    await work.close()
