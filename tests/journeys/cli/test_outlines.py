"""Lists of feeds by command: in with a report, out again the same."""

from pathlib import Path

import pytest

from tests.journeys.cli.test_databases import feedloom
from tests.publisher import PublisherThread

LIST = """<opml version="2.0"><body>
<outline text="News"><outline text="World"><outline type="rss" text="A" xmlUrl="{a}"/></outline>
<outline type="rss" text="Bad" xmlUrl="javascript:alert(1)"/></outline>
<outline text="B" xmlUrl="{b}"/></body></opml>"""


@pytest.mark.threat("O4", "O7")
def test_import_reports_every_row_and_export_brings_it_back(tmp_path: Path):
    settings = {"FEEDLOOM_DATA_DIR": str(tmp_path), "FEEDLOOM_ALLOW_NETWORKS": "127.0.0.0/8"}
    file = tmp_path / "list.opml"
    with PublisherThread() as publisher:
        file.write_text(LIST.format(a=publisher.feed("/a.xml"), b=publisher.feed("/b.xml")))
        added = feedloom(
            "admin", "user", "add", "ada@example.org", "--password-stdin",
            stdin="correct horse\n", **settings,
        )  # fmt: skip
        assert added.returncode == 0, added.stderr

        first = feedloom("opml", "import", str(file), "--user", "ada@example.org", **settings)
        again = feedloom("opml", "import", str(file), "--user", "ada@example.org", **settings)
        exported = feedloom("opml", "export", "--user", "ada@example.org", **settings)

    assert first.stdout.strip() == "3 feeds: 2 added, 0 already known, 1 failed."
    assert "Bad: The feed address is not a valid web address." in first.stderr
    assert again.stdout.strip() == "3 feeds: 0 added, 2 already known, 1 failed."
    assert '<outline text="World" title="World">' in exported.stdout
    assert exported.stdout.count("xmlUrl=") == 2


def test_a_file_or_person_that_is_not_there_is_told(tmp_path: Path):
    settings = {"FEEDLOOM_DATA_DIR": str(tmp_path)}

    missing = feedloom("opml", "import", "/nowhere.opml", "--user", "x@example.org", **settings)
    nobody = feedloom("opml", "export", "--user", "x@example.org", **settings)

    assert (missing.returncode, nobody.returncode) == (1, 1)
    assert "/nowhere.opml cannot be read" in missing.stderr
    assert "No account has the address" in nobody.stderr
