"""The page about what is tested is up to date, and leaves nothing out."""

from pathlib import Path

import pytest

from tools import threat_coverage


@pytest.fixture(scope="module")
def suite() -> threat_coverage.Suite:
    return threat_coverage.read_suite()


def test_every_case_is_tested_or_explained(suite):
    assert threat_coverage.problems(threat_coverage.read_catalogue(), suite) == []


def test_the_page_is_up_to_date(suite):
    page = threat_coverage.build(threat_coverage.read_catalogue(), suite)

    assert threat_coverage.PAGE.read_text("utf-8") == page, "make coverage-page"


def test_marks_and_engines_are_found(tmp_path: Path):
    folder = tmp_path / "tests"
    folder.mkdir()
    (folder / "test_x.py").write_text(
        "import pytest\n"
        "pytestmark = pytest.mark.threat('S1')\n"
        "@pytest.fixture(params=ENGINES)\n"
        "def engine_url(request): ...\n"
        "@pytest.fixture\n"
        "def stores(engine_url): ...\n"
        "@pytest.mark.threat('S2', 'S3')\n"
        "def test_one(stores): ...\n"
        "async def test_two(tmp_path): ...\n"
    )

    found = threat_coverage.read_suite(folder)

    one, two = sorted(found.tests, key=lambda test: test.name)
    assert (sorted(one.cases), found.engines(one)) == (["S1", "S2", "S3"], "both")
    assert (sorted(two.cases), found.engines(two)) == (["S1"], "-")


def test_gaps_and_strangers_are_told():
    catalogue = threat_coverage.Catalogue(
        {"S": "x"}, {"S1": "a", "S2": "b", "S3": "c"}, {"S3": "because"}
    )
    made = [("test_a", {"S1", "S9"}), ("test_b", {"S3"})]
    suite = threat_coverage.Suite(
        [
            threat_coverage.Test("t.py", name, frozenset(cases), frozenset(), frozenset())
            for name, cases in made
        ]
    )

    assert threat_coverage.problems(catalogue, suite) == [
        "S9 is marked and not listed",
        "S2 has neither a test nor a reason",
        "S3 has a test and a reason for having none",
    ]
