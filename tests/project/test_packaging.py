"""The wheel holds everything it serves, and a wheel that would not is never built."""

import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

import feedloom
from tests.project.test_texts import ROOT, tracked
from tools.fetch_assets import digest, read_assets, wanted_assets

BUILD = (sys.executable, "-m", "build", "--no-isolation", "--skip-dependency-check")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy what git keeps: a build must not lean on what else lies around."""
    folder = tmp_path_factory.mktemp("source")
    for path in tracked():
        target = folder / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    return folder


@pytest.fixture(scope="module")
def wheel(source: Path) -> Path:
    for asset in wanted_assets(with_tests=False):
        target = source / asset.to.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(asset.to, target)
    build(source, source / "dist")
    (built,) = (source / "dist").glob("*.whl")
    return built


def build(source: Path, target: Path) -> subprocess.CompletedProcess[str]:
    """Build through the sdist, as packagers do, with every index out of reach."""
    return subprocess.run(
        [*BUILD, "--outdir", str(target), str(source)],
        check=False,
        capture_output=True,
        text=True,
        cwd=source,
        env={**os.environ, "PIP_NO_INDEX": "1", "npm_config_offline": "true"},
    )


def test_the_wheel_holds_every_file_of_the_package(wheel: Path):
    held = set(zipfile.ZipFile(wheel).namelist())
    kept = [path.relative_to(ROOT / "src") for path in tracked("src")]
    fetched = [a.to.relative_to(ROOT / "src") for a in wanted_assets(with_tests=False)]

    assert {str(path) for path in [*kept, *fetched]} - held == set()


def test_the_wheel_holds_nothing_but_the_package_and_its_licence(wheel: Path):
    info = f"feedloom-{feedloom.__version__}.dist-info/"
    held = zipfile.ZipFile(wheel).namelist()

    assert [n for n in held if not n.startswith(("feedloom/", info))] == []
    assert f"{info}licenses/LICENSE" in held


def test_a_build_without_its_front_end_files_fails_and_says_why(source: Path):
    bare = source.with_name("bare")
    shutil.copytree(source, bare, ignore=shutil.ignore_patterns("vendor", "dist"))
    done = build(bare, bare / "dist")

    assert done.returncode != 0
    assert "make setup" in done.stdout + done.stderr
    assert not list((bare / "dist").glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel into an environment of its own; return its programs' folder.

    No index can be reached from here, so the libraries are those of this environment,
    lent by a path file. That file is read after the wheel's own folder and brings no
    editable installs along: ``feedloom`` itself can only be the wheel's.
    """
    home = tmp_path_factory.mktemp("installed")
    venv.create(home, with_pip=False)
    python = home / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "-qq"]
    subprocess.run([*pip, "--no-deps", "--no-index", str(wheel)], check=True)
    (site,) = (home / "lib").glob("python*/site-packages")
    (site / "lent.pth").write_text(sysconfig.get_path("purelib"))
    return home / "bin"


def run_installed(installed: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(installed / "feedloom"), *words],
        check=False,
        capture_output=True,
        text=True,
        cwd=folder,
        env={"FEEDLOOM_DATA_DIR": str(folder / "data"), "PATH": os.environ["PATH"]},
    )


def test_the_installed_wheel_runs_without_the_source_tree(installed: Path, tmp_path: Path):
    where = "import feedloom.demo; print(feedloom.__file__)"
    done = subprocess.run(
        [str(installed / "python"), "-c", where],
        check=True,
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    said = run_installed(installed, tmp_path, "--version")

    assert Path(done.stdout.strip()).is_relative_to(installed.parent)
    assert said.stdout == f"feedloom {feedloom.__version__}\n"


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "words", [(), ("serve",), ("worker",), ("demo",), ("db", "backup"), ("admin", "feed", "add")]
)
def test_installed_commands_explain_themselves(
    installed: Path, tmp_path: Path, words: tuple[str, ...]
):
    said = run_installed(installed, tmp_path, *words, "--help")

    assert said.returncode == 0
    assert "Usage:" in said.stdout


@pytest.mark.parametrize("job", ["serve", "worker"])
def test_the_two_jobs_start_from_the_wheel_and_stop_at_a_signal(
    installed: Path, tmp_path: Path, job: str
):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [str(installed / "feedloom"), job],
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env={
            "FEEDLOOM_DATA_DIR": str(tmp_path / "data"),
            "FEEDLOOM_PORT": str(port),
            "PATH": os.environ["PATH"],
        },
    )
    ready = {"serve": "Press Ctrl-C to stop", "worker": "worker_started"}[job]
    assert process.stderr is not None
    said = ""
    while ready not in said:
        line = process.stderr.readline()
        assert line, said
        said += line
    pages = {path: ask(port, path) for path in PAGES} if job == "serve" else {}
    process.send_signal(signal.SIGTERM)
    _, rest = process.communicate(timeout=20)

    if job == "serve":
        assert re.search(r"is at http://.*/ \(ready after \d+\.\d s\)", said)
    assert {path: status for path, status in pages.items() if status != 200} == {}
    assert process.returncode == 0
    assert "Traceback" not in said + rest


PAGES = ("/", "/auth/register", "/docs/", "/docs/docs.css", "/healthz", "/favicon.ico")


def ask(port: int, path: str) -> int:
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        line.request("GET", path, headers={"Accept": "text/html"})
        return line.getresponse().status
    finally:
        line.close()


def test_the_demonstration_runs_from_the_wheel_where_no_network_exists(
    installed: Path, tmp_path: Path
):
    process = subprocess.Popen(
        [
            *(sys.executable, str(ROOT / "tools" / "only_loopback.py")),
            *(str(installed / "feedloom"), "demo", "--port", "18181"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
    )
    assert process.stdout is not None
    said = ""
    while "Ctrl-C" not in said:
        line = process.stdout.readline()
        assert line, said
        said += line
    process.send_signal(signal.SIGINT)
    _, rest = process.communicate(timeout=20)

    assert "http://127.0.0.1:18181/" in said
    assert (process.returncode, "has been deleted" in rest) == (0, True)
    assert "task_failed" not in rest


def test_the_sdist_builds_the_same_wheel_without_any_tool_for_documents(
    wheel: Path, tmp_path: Path
):
    (sdist,) = wheel.parent.glob("*.tar.gz")
    with tarfile.open(sdist) as held:
        held.extractall(tmp_path, filter="data")
    (source,) = tmp_path.iterdir()
    backend = "from tools import wheel_backend as b; print(b.get_requires_for_build_wheel())"
    done = subprocess.run(
        [sys.executable, "-c", backend], check=True, capture_output=True, text=True, cwd=source
    )
    names = set(zipfile.ZipFile(wheel).namelist())

    assert done.stdout.splitlines()[-1] == "[]"
    assert "feedloom/serve/pages/handbook/built/index.html" in names
    assert "feedloom/demo/templates/home.html" in names


def test_fetched_front_end_files_are_what_they_must_be():
    assets = read_assets()

    assert {asset.purpose for asset in assets} == {"serve", "test"}
    assert [a.to for a in assets if digest(a.to) != a.sha256] == []


def test_the_npm_lock_has_integrity_hashes_and_no_addresses():
    text = (ROOT / "tools" / "assets" / "package-lock.json").read_text()
    packages = {k: v for k, v in json.loads(text)["packages"].items() if k}

    assert packages
    assert all(p["integrity"].startswith("sha512-") for p in packages.values())
    assert "://" not in text
