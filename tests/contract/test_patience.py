"""How long PostgreSQL lets a statement and an unfinished transaction go on."""

import pytest

from feedloom.model.errors import StoreUnavailable
from feedloom.store import DatabaseURL, open_database
from feedloom.store.engine.scripts import WORKER, Script, sql
from tests.databases import Databases

pytestmark = pytest.mark.threat("Q22")

_LIMITS = (
    "SELECT current_setting('statement_timeout') AS statement,"
    " current_setting('idle_in_transaction_session_timeout') AS idle"
)


async def limits(url: str, *, patient: bool) -> tuple[str, str]:
    database = await open_database(DatabaseURL.parse(url), worker=True, patient=patient)

    def steps() -> Script[tuple[str, str]]:
        rows = yield sql(_LIMITS)
        return rows[0]["statement"], rows[0]["idle"]

    try:
        return await database.read(WORKER, steps)
    finally:
        await database.close()


async def test_statements_end_on_the_server_too_but_for_migrations(pg_database: Databases):
    url = pg_database.worker_url

    assert await limits(url, patient=False) == ("1min", "1min")
    assert await limits(url, patient=True) == ("0", "0")


async def test_a_statement_that_was_cut_off_is_told_as_unavailable(pg_database: Databases):
    database = await open_database(DatabaseURL.parse(pg_database.worker_url), worker=True)

    def slow() -> Script[None]:
        yield sql("SET LOCAL statement_timeout = '50ms'")
        yield sql("SELECT pg_sleep(50)")

    with pytest.raises(StoreUnavailable):
        await database.write(WORKER, slow)
    await database.close()
