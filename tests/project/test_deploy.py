"""What operators copy works as it stands, as far as this machine can tell."""

import configparser
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import asyncpg
import pytest
import yaml

from tests.postgres import PostgresServer, server_binaries
from tests.project.test_texts import ROOT

UNITS = sorted((ROOT / "deploy").glob("*.service"))
COMPOSE = ROOT / "compose.yaml"
SETTINGS = ROOT / "docs" / "settings.md"


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(COMPOSE.read_text())["services"]
    return found


def test_compose_starts_one_api_one_worker_and_one_database(services: dict[str, Any]):
    assert services["api"]["command"] == ["serve", "--no-worker"]
    assert services["worker"]["command"] == ["worker"]
    assert services["postgres"]["image"].startswith("postgres:")
    assert set(services) == {"postgres", "api", "worker"}


def test_compose_waits_for_the_database(services: dict[str, Any]):
    ready = {"postgres": {"condition": "service_healthy"}}

    assert services["api"]["depends_on"] == ready
    assert services["worker"]["depends_on"] == ready
    assert "healthcheck" in services["postgres"]


def test_compose_gives_web_and_worker_their_own_roles(services: dict[str, Any]):
    api, worker = (services[name]["environment"] for name in ("api", "worker"))

    for settings in (api, worker):
        assert "//feedloom_web:" in settings["FEEDLOOM_DATABASE_URL"]
    assert "//feedloom_worker:" in worker["FEEDLOOM_WORKER_DATABASE_URL"]
    assert "worker" not in str(api).lower()


def test_compose_passes_the_settings_of_the_language_model_on(services: dict[str, Any]):
    known = set(re.findall(r"`((?:FEEDLOOM_)?AI_\w+)`", SETTINGS.read_text()))

    assert known
    for name in ("api", "worker"):
        given = services[name]["environment"]
        assert {key for key, value in given.items() if value is None} == known


def test_compose_holds_no_password_and_listens_on_loopback_only(services: dict[str, Any]):
    text = COMPOSE.read_text()
    given = re.findall(r"(?:PASSWORD: |//feedloom_\w+:)(.*)", text)

    assert len(given) == 5
    assert all(re.match(r"\$\{\w*PASSWORD:\?", value) for value in given)
    assert services["api"]["ports"] == ["127.0.0.1:8000:8000"]
    assert "ports" not in services["postgres"]


def test_compose_mounts_files_that_exist(services: dict[str, Any]):
    mounts = [v for s in services.values() for v in s.get("volumes", ())]
    local = [ROOT / m.split(":")[0] for m in mounts if m.startswith("./")]

    assert local
    assert all(path.is_file() for path in local)
    assert (ROOT / services["api"]["build"]["dockerfile"]).is_file()


def test_the_image_runs_as_a_plain_user_and_copies_what_exists():
    lines = (ROOT / "Containerfile").read_text().splitlines()
    copied = [
        source
        for line in lines
        if line.startswith("COPY ") and "--from" not in line
        for source in line.split()[1:-1]
    ]

    assert "USER 10001" in lines
    assert all((ROOT / source).exists() for source in copied)


class UnitParser(configparser.ConfigParser):
    """Reads unit files, whose keys are told apart by case."""

    def optionxform(self, optionstr: str) -> str:
        return optionstr


def run_init_script(server: PostgresServer, **passwords: str):
    path = f"{server_binaries()}:{os.environ['PATH']}"
    where = {"PGHOST": str(server.home), "PGPORT": str(server.port)}
    return subprocess.run(
        [ROOT / "deploy" / "postgres-init.sh"],
        check=False,
        capture_output=True,
        text=True,
        env={"PATH": path, **where, **passwords},
    )


async def test_the_init_script_makes_a_database_and_two_plain_roles(
    private_postgres: PostgresServer,
):
    server = private_postgres
    server.sql("DROP ROLE feedloom_web")
    server.sql("DROP ROLE feedloom_worker")
    odd = {"FEEDLOOM_WEB_DB_PASSWORD": "we'b $(x) \\", "FEEDLOOM_WORKER_DB_PASSWORD": 'w"orker'}
    done = run_init_script(server, **odd)

    assert done.returncode == 0, done.stderr
    for role, password in zip(("web", "worker"), odd.values(), strict=True):
        connection = await asyncpg.connect(
            host="127.0.0.1",
            port=server.port,
            user=f"feedloom_{role}",
            password=password,
            database="feedloom",
        )
        may_create = await connection.fetchval("SELECT has_schema_privilege('public', 'CREATE')")
        powers = await connection.fetchrow(
            "SELECT rolsuper, rolbypassrls, rolcreaterole FROM pg_roles"
            " WHERE rolname = current_user"
        )
        await connection.close()

        assert may_create is (role == "worker")
        assert tuple(powers) == (False, False, False)


def test_the_init_script_refuses_to_run_without_passwords(postgres: PostgresServer):
    done = run_init_script(postgres, FEEDLOOM_WEB_DB_PASSWORD="x")

    assert done.returncode != 0
    assert "FEEDLOOM_WORKER_DB_PASSWORD" in done.stderr


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_units_are_well_formed_and_locked_down(unit: Path):
    parsed = UnitParser(strict=False, interpolation=None)
    parsed.read(unit)
    service = parsed["Service"]

    assert re.fullmatch(r"/opt/feedloom/bin/feedloom (serve|worker)", service["ExecStart"])
    assert service["DynamicUser"] == "yes"
    assert service["ProtectSystem"] == "strict"
    assert service["StateDirectory"] == Path(service["Environment"]).name
    assert parsed["Install"]["WantedBy"] == "multi-user.target"


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_systemd_accepts_the_units_where_it_is_installed(unit: Path, tmp_path: Path):
    analyzer = shutil.which("systemd-analyze")
    copy = tmp_path / unit.name
    text = unit.read_text()
    copy.write_text(text.replace("/opt/feedloom/bin/feedloom", "/bin/true"))
    # Without systemd the form was checked above; that is all such a machine can tell.
    command = [analyzer, "verify", str(copy)] if analyzer else ["test", "-s", str(copy)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
    assert unit.name not in done.stderr
