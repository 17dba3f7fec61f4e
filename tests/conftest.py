"""Fixtures every test may ask for, and two rules of the suite.

A skipped test is a failed test: what cannot run here must say so loudly. The shared
PostgreSQL starts when the first test asks for it and ends with the whole run.
"""

import gc
import os
import sys
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import pytest

from tests import counting, selection
from tests import postgres as pg
from tests.browser import _function_scoped_runner, axe, browser, chromium, page
from tests.counting import counts, progress
from tests.databases import ENGINES, Databases, sqlite_databases
from tests.fakes import FixedClock
from tests.lines import TidyLoop
from tests.templates import fresh_databases, migrated_postgres

__all__ = ["_function_scoped_runner", "axe", "browser", "chromium", "counts", "page", "progress"]

# Every process that a test starts would compile all of Feedloom again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

ALLOWED_SKIPS: frozenset[str] = frozenset()
IS_LONG_RUN = "LONG_TESTS" in os.environ

# Two cores shared with a database and a browser: a slow example is no finding.
hypothesis.settings.register_profile(
    "feedloom",
    deadline=None,
    print_blob=True,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
# Asked for with --hypothesis-profile=thorough, best with several --hypothesis-seed.
hypothesis.settings.register_profile(
    "thorough", hypothesis.settings.get_profile("feedloom"), max_examples=5_000
)
hypothesis.settings.register_profile(
    "short", hypothesis.settings.get_profile("feedloom"), max_examples=30
)
hypothesis.settings.load_profile("feedloom" if IS_LONG_RUN else "short")

HOME = pytest.StashKey[Path]()
KEEPER = pytest.StashKey[int]()


def pytest_addoption(parser: pytest.Parser) -> None:
    selection.add_option(parser)


def pytest_configure(config: pytest.Config) -> None:
    for marker in selection.MARKERS:
        config.addinivalue_line("markers", marker)
    given = getattr(config, "workerinput", {})
    config.stash[HOME] = Path(given.get("postgres_home", pg.shared_home()))
    config.stash[KEEPER] = given.get("keeper_pid", os.getpid())


def pytest_asyncio_loop_factories(config, item) -> dict[str, type[TidyLoop]]:
    del config, item
    return {"asyncio": TidyLoop}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not (IS_LONG_RUN or config.getoption("--all")):
        selection.select(config, items)


def pytest_collection_finish() -> None:
    # What was collected stays until the end. Code under test asks for collections of
    # garbage, and each would look through a million of these objects.
    gc.collect()
    gc.freeze()


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):
        left = session.config.stash.get(selection.LEFT, Counter())
        session.config.workeroutput["left"] = dict(left)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node) -> None:
    output = getattr(node, "workeroutput", {})
    node.config.stash[selection.LEFT] = Counter(output.get("left", {}))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node) -> None:
    node.workerinput["postgres_home"] = str(node.config.stash[HOME])
    node.workerinput["keeper_pid"] = node.config.stash[KEEPER]


def pytest_unconfigure(config: pytest.Config) -> None:
    if config.stash[KEEPER] == os.getpid():
        pg.end_shared(config.stash[HOME])


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Print what the tests counted, and how many tests did not run."""
    reports = (r for found in terminalreporter.stats.values() for r in found)
    said = counting.lines(reports)
    if said:
        terminalreporter.section("counts")
        for line in said:
            terminalreporter.write_line(line)
    left = config.stash.get(selection.LEFT, Counter())
    if left:
        terminalreporter.write_line(selection.report(left))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector):
    report = yield
    return _without_skip(report)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    report = yield
    return _without_skip(report)


def _without_skip(
    report: pytest.CollectReport | pytest.TestReport,
) -> pytest.CollectReport | pytest.TestReport:
    is_excused = report.nodeid in ALLOWED_SKIPS or hasattr(report, "wasxfail")
    if report.skipped and not is_excused:
        report.outcome = "failed"
        report.longrepr = f"skips are not allowed here: {report.longrepr}"
    return report


@pytest.fixture(scope="session")
def scaled() -> Callable[[int, int], int]:
    """Hand out the chooser of a size: the first in `make test`, else the second."""
    return lambda short, long: long if IS_LONG_RUN else short


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture(scope="session")
def postgres(pytestconfig: pytest.Config) -> pg.PostgresServer:
    """Hand out the run's PostgreSQL; tests may make databases, not stop it."""
    home, keeper_pid = pytestconfig.stash[HOME], pytestconfig.stash[KEEPER]
    return pg.join_shared(home, keeper_pid=keeper_pid)


@pytest.fixture
def private_postgres() -> Iterator[pg.PostgresServer]:
    """Hand out a server of one's own, to stop, crash and restart."""
    with pg.private_server() as server:
        yield server


@pytest.fixture
def pg_database(postgres: pg.PostgresServer) -> Iterator[Databases]:
    """Hand out a fresh, migrated PostgreSQL database."""
    with migrated_postgres(postgres) as databases:
        yield databases


@pytest.fixture
def empty_pg_database(postgres: pg.PostgresServer) -> Iterator[Databases]:
    """Hand out a PostgreSQL database without tables."""
    name = f"test_{uuid.uuid4().hex}"
    yield postgres.create_database(name)
    postgres.drop_database(name)


@pytest.fixture(params=ENGINES)
def engine_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Databases]:
    """Run the test once per engine, each time with a fresh, migrated database."""
    with fresh_databases(request, tmp_path) as databases:
        yield databases


@pytest.fixture(params=ENGINES)
def empty_engine_url(request: pytest.FixtureRequest, tmp_path: Path) -> Databases:
    """Run the test once per engine, each time with a database without tables."""
    if request.param == "sqlite":
        return sqlite_databases(tmp_path)
    given: Databases = request.getfixturevalue("empty_pg_database")
    return given
