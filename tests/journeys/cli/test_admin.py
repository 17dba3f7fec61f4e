"""The admin commands of seed 004, on both engines: by id or address, exit codes, JSON."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.databases import Databases
from tests.journeys.cli.commands import Command, commands
from tests.mail_server import MailServer
from tests.model_api import ModelAPI, fails, says

pytestmark = pytest.mark.both_engines

URL = "https://news.example.co.uk/feed.xml"


@pytest.fixture
def cli(
    engine_url: Databases,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Command:
    return commands(engine_url, str(tmp_path), monkeypatch, capsys)


def listed(cli: Command) -> list[dict[str, object]]:
    found: list[dict[str, object]] = cli("admin", "feed", "list", "--json").json()
    return found


def test_a_feed_is_added_disabled_with_its_root_domain(cli: Command):
    said = cli("admin", "feed", "add", URL)

    assert said.code == 0
    assert URL in said.out
    [row] = listed(cli)
    assert row == {
        "id": 1,
        "url": URL,
        "enabled": False,
        "polling": False,
        "interval_s": None,
        "root_domain": "example.co.uk",
        "other_domains": False,
        "prompt": None,
        "max_items": 50,
        "error_policy": "one_strike",
        "next_run_at": None,
        "last_error": None,
        "items": 0,
        "built_at": None,
    }


def test_options_of_add_are_kept(cli: Command):
    said = cli(
        *("admin", "feed", "add", URL, "--no-root-domain", "--enable", "--polling"),
        *("--interval", "2h", "--other-domains", "--json"),
    )

    assert said.code == 0
    assert said.json()["id"] == 1
    [row] = listed(cli)
    assert (row["enabled"], row["polling"], row["interval_s"]) == (True, True, 7200)
    assert row["root_domain"] is None
    assert row["other_domains"] is True


def test_a_feed_is_given_a_prompt_of_its_own(
    cli: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "deframe.tabloid.en.txt").write_text("For tabloids. $mark")
    monkeypatch.setenv("FEEDLOOM_PROMPTS_DIR", str(tmp_path))
    monkeypatch.setenv("FEEDLOOM_AI_TYPE", "mock")
    cli("admin", "feed", "add", URL)

    given = cli("admin", "feed", "prompt", "1", "tabloid")
    unknown = cli("admin", "feed", "prompt", URL, "poem")

    assert (given.code, "tabloid" in given.out) == (0, True)
    assert (unknown.code, "available: tabloid" in " ".join(unknown.err.split())) == (1, True)
    assert listed(cli)[0]["prompt"] == "tabloid"
    assert cli("admin", "feed", "prompt", "1").code == 0
    assert listed(cli)[0]["prompt"] is None


def test_items_of_other_domains_are_a_choice(cli: Command):
    cli("admin", "feed", "add", URL)

    said = cli("admin", "feed", "other-domains", URL, "on")

    assert (said.code, "may link to other domains" in said.out) == (0, True)
    assert listed(cli)[0]["other_domains"] is True
    assert cli("admin", "feed", "other-domains", "1", "off").code == 0
    assert listed(cli)[0]["other_domains"] is False


def test_the_life_of_a_feed_by_id_and_by_address(cli: Command):
    cli("admin", "feed", "add", URL)

    refused = cli("admin", "feed", "sync", URL)
    assert refused.code == 1
    assert "disabled" in refused.err
    assert refused.out == ""
    assert cli("admin", "feed", "enable", "1").code == 0
    assert cli("admin", "feed", "polling", URL, "on", "--interval", "15m").code == 0
    assert cli("admin", "feed", "sync", "1").code == 0
    [row] = listed(cli)
    assert (row["enabled"], row["polling"], row["interval_s"]) == (True, True, 900)
    assert row["next_run_at"] is not None
    assert cli("admin", "feed", "polling", "1", "off").code == 0
    assert cli("admin", "feed", "disable", URL).code == 0
    [row] = listed(cli)
    assert (row["enabled"], row["polling"]) == (False, False)
    assert row["next_run_at"] is not None, "the schedule stays, inert"
    assert cli("admin", "feed", "delete", URL).code == 0
    assert listed(cli) == []
    gone = cli("admin", "feed", "sync", "1")
    assert (gone.code, "no proxy" in gone.err) == (1, True)


def test_root_domains_are_listed_set_and_cleared(cli: Command):
    cli("admin", "feed", "add", URL)
    cli("admin", "feed", "add", "https://blog.example.co.uk/feed.xml")

    before = cli("admin", "root-domain", "list", "--json").json()
    assert before == [{"root_domain": "example.co.uk", "feeds": 2}]
    assert cli("admin", "root-domain", "set", "1", "portal.example").code == 0
    assert cli("admin", "root-domain", "clear", "2").code == 0

    after = cli("admin", "root-domain", "list", "--json").json()
    assert after == [{"root_domain": "portal.example", "feeds": 1}]


def test_the_short_name_does_the_same(cli: Command):
    assert cli("feed", "add", URL, name="admin").code == 0

    assert [row["url"] for row in cli("feed", "list", "--json", name="admin").json()] == [URL]


def test_tables_say_what_is_there_and_what_is_not(cli: Command):
    nothing = cli("admin", "feed", "list")
    assert (nothing.code, nothing.out) == (0, "")
    assert "feedloom admin feed add URL" in nothing.err
    cli("admin", "feed", "add", URL)

    table = cli("admin", "feed", "list").out

    for word in ("enabled", "polling", "root domain", "next run at", "last error", URL):
        assert word in table


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("feed", "add"), 2),
        (("feed", "add", "no address"), 1),
        (("feed", "add", URL, "--interval", "soon"), 2),
        (("feed", "add", URL, "--interval", "5"), 1),
        (("feed", "polling", "1", "perhaps"), 2),
        (("feed", "sync", "99"), 1),
        (("feed", "other-domains", "99", "on"), 1),
        (("feed", "other-domains", "1", "maybe"), 2),
        (("feed", "sync", "99999999999999999999"), 1),
        (("feed", "enable", "https://unknown.example/"), 1),
        (("feed", "rename", "1"), 2),
        (("root-domain", "set", "1"), 2),
        (("root-domain", "set", "99", "x.example"), 1),
        (("tenant", "add", "No Such Name!"), 1),
    ],
)
def test_wrong_words_have_their_exit_code_and_no_traceback(cli: Command, words, code):
    said = cli("admin", *words)

    assert said.code == code
    assert said.err
    assert "Traceback" not in said.err


def test_a_feed_is_added_once(cli: Command):
    cli("admin", "feed", "add", URL)

    again = cli("admin", "feed", "add", URL + "/")

    assert again.code == 1
    assert "already" in again.err


def test_tenants_are_added_and_listed_with_their_people(cli: Command):
    assert cli("admin", "tenant", "add", "acme", "--name", "Acme Corp").code == 0
    assert cli("admin", "tenant", "add", "acme").code == 1
    add = ("admin", "user", "add", "ada@example.org", "--password-stdin", "--tenant")
    unknown = cli(*add, "none", stdin="correct horse\n")
    known = cli(*add, "acme", stdin="correct horse\n")

    [row] = cli("admin", "tenant", "list", "--json").json()

    assert (unknown.code, known.code) == (1, 0)
    assert row == {"id": 1, "slug": "acme", "name": "Acme Corp", "people": 1, "feeds": 0}


def test_doctor_asks_after_the_model(cli: Command):
    cli("db", "upgrade")

    offline = cli("doctor", "--json", "--url", "http://127.0.0.1:9/")
    findings = {row["subject"]: row for row in offline.json()}
    assert findings["model"]["healthy"]
    down = cli(
        *("doctor", "--json", "--url", "http://127.0.0.1:9/"),
        FEEDLOOM_AI_TYPE="compatible",
        FEEDLOOM_AI_BASE_URL="http://127.0.0.1:9/v1",
    )

    findings = {row["subject"]: row for row in down.json()}
    assert down.code == 1
    assert not findings["model"]["healthy"]
    assert "FEEDLOOM_AI_BASE_URL" in findings["model"]["says"]


@pytest.fixture
def model() -> Iterator[ModelAPI]:
    """Run the model service beside the commands, each of which has a loop of its own."""
    api = ModelAPI()
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(api.__aenter__(), loop).result()
        yield api
        left = api.__aexit__(None, None, None)
        asyncio.run_coroutine_threadsafe(left, loop).result()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def test_doctor_signs_in_at_the_mail_server(cli: Command):
    cli("db", "upgrade")
    asked = ("doctor", "--json", "--url", "http://127.0.0.1:9/")

    with MailServer() as server:
        settings = {
            f"FEEDLOOM_{name.upper()}": str(value) for name, value in server.settings.items()
        }
        well = cli(*asked, **settings)
        mails = len(server.mails)
    gone = cli(*asked, **settings)
    off = cli(*asked)
    open_password = cli(*asked, **settings, FEEDLOOM_SMTP_USER="ada")

    told = [{row["subject"]: row for row in ran.json()}["mail"] for ran in (well, gone, off)]
    assert [row["healthy"] for row in told] == [True, False, True]
    assert "takes mail from feedloom@feeds.example" in told[0]["says"]
    assert mails == 0
    assert "Off" in told[2]["says"]
    told_mail = {row["subject"]: row for row in open_password.json()}["mail"]
    assert "needs encryption" in told_mail["says"]


def test_doctor_asks_the_model_one_question(cli: Command, model: ModelAPI):
    cli("db", "upgrade")
    settings = {
        "FEEDLOOM_AI_TYPE": "compatible",
        "FEEDLOOM_AI_BASE_URL": model.base_url,
        "FEEDLOOM_AI_API_KEY": "key-of-the-test",
        "FEEDLOOM_AI_MODEL": "small",
    }
    model.script(says({"word": "ready"}))
    well = cli("doctor", "--ai", "--json", **settings)
    asked = len(model.calls)
    model.script(fails(401))
    refused = cli("doctor", "--ai", **settings)

    found = {row["subject"]: row for row in well.json()}
    assert (well.code, asked) == (0, 1)
    assert list(found) == ["model", "latency", "cost", "tokens", "structured output"]
    assert found["model"]["says"] == "small: The model works."
    assert found["latency"]["says"].endswith(" ms")
    assert found["cost"]["says"].startswith("$0.")
    assert found["tokens"]["says"] == "100 in, 20 out"
    assert found["structured output"]["says"] == "JSON Schema"
    assert refused.code == 1
    assert "FEEDLOOM_AI_API_KEY" in refused.out
    assert "key-of-the-test" not in well.out + refused.out + refused.err


def test_who_may_make_an_account_is_decided_and_people_are_invited(
    cli: Command, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("FEEDLOOM_BASE_URL", "https://feeds.example")
    before = cli("admin", "registration", "show")
    early = cli("admin", "registration", "invite")

    assert cli("admin", "registration", "set", "invite").code == 0
    link = cli("admin", "registration", "invite", "--note", "Grace")

    assert "Not chosen yet" in before.out
    assert early.code == 1
    assert link.out.startswith("https://feeds.example/auth/register?invitation=")
    assert "invitation" in cli("admin", "registration", "show").out
    assert cli("admin", "registration", "set", "somebody").code != 0


def test_polling_without_a_word_switches_to_the_other_one(cli: Command):
    cli("admin", "feed", "add", URL)

    said = [cli("admin", "feed", "polling", "1").out for _ in range(2)]

    assert ["is on" in said[0], "is off" in said[1]] == [True, True]
    assert listed(cli)[0]["polling"] is False


def test_limits_of_a_proxy_are_set(cli: Command):
    cli("admin", "feed", "add", URL)
    cli("admin", "feed", "max-items", "1", "60")
    cli("admin", "feed", "error-policy", URL, "backoff")
    wrong = cli("admin", "feed", "max-items", "1", "501")

    assert (listed(cli)[0]["max_items"], listed(cli)[0]["error_policy"]) == (60, "backoff")
    assert (wrong.code, "between 1 and 500" in wrong.err) == (1, True)
