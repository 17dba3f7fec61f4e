"""Every setting is documented, and settings are read as documented."""

from dataclasses import FrozenInstanceError, fields
from pathlib import Path

import pytest

from feedloom.config import Settings, load
from feedloom.model.errors import ConfigError
from tools.write_settings import PAGE, SENTENCES, page


def test_the_page_of_settings_is_what_the_settings_say():
    assert PAGE.read_text("utf-8") == page()


@pytest.mark.parametrize("setting", fields(Settings), ids=lambda setting: setting.name)
def test_every_setting_has_a_sentence_and_says_what_is_allowed(setting):
    assert SENTENCES[setting.name].endswith(".")
    assert setting.metadata["allowed"]


def test_settings_are_frozen():
    with pytest.raises(FrozenInstanceError):
        Settings().port = 1  # type: ignore[misc]


def test_the_environment_wins_over_dotenv_and_toml(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "feedloom.toml").write_text("port = 1\nhost = 'toml'\nlog_level = 'error'\n")
    (tmp_path / ".env").write_text("FEEDLOOM_PORT=2\nexport FEEDLOOM_HOST='dotenv'\n# no\n")

    settings = load({"FEEDLOOM_PORT": "3", "FEEDLOOM_CONFIG": "feedloom.toml"})

    assert (settings.port, settings.host, settings.log_level) == (3, "dotenv", "error")


def test_secrets_may_stand_in_files(tmp_path: Path):
    secret = tmp_path / "key"
    secret.write_text("hush\n")

    settings = load({"FEEDLOOM_AI_API_KEY_FILE": str(secret)})

    assert settings.ai_api_key == "hush"
    assert settings.model_kind == "openrouter"
    assert "hush" not in repr(settings)


def test_an_empty_variable_beside_a_file_counts_as_absent(tmp_path: Path):
    secret = tmp_path / "key"
    secret.write_text("hush\n")

    settings = load(
        {
            "FEEDLOOM_AI_API_KEY": "",
            "FEEDLOOM_AI_API_KEY_FILE": str(secret),
            "FEEDLOOM_JINA_KEY_FILE": "",
        }
    )

    assert (settings.ai_api_key, settings.jina_key) == ("hush", "")


@pytest.mark.parametrize("name", ["AI_API_KEY", "FEEDLOOM_AI_API_KEY_FILE"])
def test_every_name_in_the_environment_wins_over_dotenv(tmp_path: Path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "key").write_text("key")
    (tmp_path / ".env").write_text("FEEDLOOM_AI_API_KEY=dotenv\n")

    assert load({name: "key"}).ai_api_key == "key"
    assert load({name: ""}).ai_api_key == "dotenv"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("plain", "plain"),
        ("'abc\"'", 'abc"'),
        ('"it\'s"', "it's"),
        ("\"'both'\"", "'both'"),
        ('"open', '"open'),
        ("gpt # cheap", "gpt"),
        ("gpt\t# cheap", "gpt"),
        ("gpt#4", "gpt#4"),
        ("'gpt # 4' # \"cheap\"", "gpt # 4"),
        ("two words \r", "two words"),
        ("a=b", "a=b"),
    ],
)
def test_values_in_dotenv_are_read_as_they_are_written(tmp_path: Path, monkeypatch, written, read):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text(f"FEEDLOOM_AI_MODEL={written}\n")

    assert load({}).ai_model == read


def test_a_comment_alone_is_no_value(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text("FEEDLOOM_PORT= # the usual one\n")

    assert load({}).port == Settings().port


def test_a_byte_order_mark_hides_nothing(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text("FEEDLOOM_PORT=9001\r\n", "utf-8-sig")
    (tmp_path / "feedloom.toml").write_text("host = 'toml'\n", "utf-8-sig")
    (tmp_path / "key").write_text("hush", "utf-8-sig")

    settings = load({"FEEDLOOM_CONFIG": "feedloom.toml", "FEEDLOOM_JINA_KEY_FILE": "key"})

    assert (settings.port, settings.host) == (9001, "toml")
    assert settings.jina_key == "hush"


def test_lists_in_toml_are_joined(tmp_path: Path):
    file = tmp_path / "feedloom.toml"
    file.write_text('allow_networks = ["10.0.0.0/8", "intranet.example"]\n')

    settings = load({"FEEDLOOM_CONFIG": str(file)})

    assert settings.allow_networks == "10.0.0.0/8, intranet.example"


@pytest.mark.parametrize("name", ["FEEDLOOM_CONFIG", "FEEDLOOM_JINA_KEY_FILE"])
def test_a_file_that_is_no_text_is_named(tmp_path: Path, name):
    file = tmp_path / "binary"
    file.write_bytes(b"\xff\xfe\x00")

    with pytest.raises(ConfigError, match=f"{name}: {file} is not UTF-8 text"):
        load({name: str(file)})


def test_a_dotenv_that_is_no_text_is_named(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_bytes(b"FEEDLOOM_AI_MODEL=caf\xe9\n")

    with pytest.raises(ConfigError, match=r"\.env is not UTF-8 text"):
        load({})


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        (
            {"FEEDLOOM_ALLOW_NETWORKS": "10.0.0.0/8, 10.0.0.0/99"},
            ["FEEDLOOM_ALLOW_NETWORKS", "10.0.0.0/99", "10.1.0.0/16"],
        ),
        ({"FEEDLOOM_PORT_FILE": "/x"}, ["FEEDLOOM_PORT_FILE", "unknown setting"]),
        ({"FEEDLOOM_PORT": "70000"}, ["FEEDLOOM_PORT", "'70000'", "0 to 65535"]),
        ({"FEEDLOOM_HOST_DELAY": "-1"}, ["FEEDLOOM_HOST_DELAY", "0 to 3600"]),
        (
            {"FEEDLOOM_REGISTRATION": "maybe"},
            ["FEEDLOOM_REGISTRATION", "open, invite, code or closed"],
        ),
        ({"FEEDLOOM_BASE_URL": "ftp://x"}, ["FEEDLOOM_BASE_URL", "http://"]),
        ({"FEEDLOOM_DIRECTORY_CHECK": "perhaps"}, ["FEEDLOOM_DIRECTORY_CHECK", "on or off"]),
        ({"FEEDLOOM_AI_TYPE": "skynet"}, ["FEEDLOOM_AI_TYPE", "offline"]),
        ({"FEEDLOOM_REVISION_DAYS": "-1"}, ["FEEDLOOM_REVISION_DAYS", "0 to 3650"]),
        ({"FEEDLOOM_SMTP_TLS": "maybe"}, ["FEEDLOOM_SMTP_TLS", "starttls, tls or none"]),
        ({"FEEDLOOM_SMTP_FROM": "me"}, ["FEEDLOOM_SMTP_FROM", "feedloom@example.org"]),
        ({"FEEDLOOM_TYPO": "1"}, ["FEEDLOOM_TYPO", "unknown setting"]),
        ({"FEEDLOOM_CONFIG": "/nowhere.toml"}, ["FEEDLOOM_CONFIG", "cannot be read"]),
        ({"FEEDLOOM_JINA_KEY_FILE": "/nowhere"}, ["FEEDLOOM_JINA_KEY_FILE", "cannot be read"]),
    ],
)
def test_a_wrong_value_is_named_with_what_is_allowed(environment, words):
    with pytest.raises(ConfigError) as caught:
        load(environment)

    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value", "setting", "expected"),
    [
        ("AI_TYPE", "mock", "ai_type", "mock"),
        ("AI_API_KEY", "k", "ai_api_key", "k"),
        ("DB_PASSWORD", "p", "db_password", "p"),
        ("FEED_UPDATE_FREQUENCY_MIN", "15", "update_every", 15),
    ],
)
def test_older_names_are_accepted(name, value, setting, expected):
    assert getattr(load({name: value}), setting) == expected


PINNED = """
DATA_DIR DATABASE_URL HOST PORT BASE_URL ALLOW_NETWORKS HOST_DELAY FETCH_CONCURRENCY
UPDATE_EVERY REGISTRATION AI_TYPE AI_API_KEY AI_BASE_URL AI_MODEL RSSHUB_URL JINA_URL
JINA_KEY DIRECTORY_CHECK WORKER_DATABASE_URL LEASE_SECONDS ALERT_URL PROXY_TOKEN
OIDC_ISSUER OIDC_CLIENT_ID OIDC_CLIENT_SECRET
"""


def test_the_pinned_names_are_there():
    names = {setting.name.upper() for setting in fields(Settings)}

    assert set(PINNED.split()) <= names
