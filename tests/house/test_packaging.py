"""The wheel holds everything it serves, and a wheel that would not is never built."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import feedloom
from tests.house.test_texts import ROOT, tracked
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


def test_the_installed_wheel_runs_without_the_source_tree(wheel: Path, tmp_path: Path):
    site = tmp_path / "site"
    install = [sys.executable, "-m", "pip", "install", "-qq", "--no-deps", "--no-index"]
    subprocess.run([*install, "--target", str(site), str(wheel)], check=True)
    done = subprocess.run(
        [sys.executable, "-c", "import feedloom; print(feedloom.__file__)"],
        check=True,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(site)},
    )

    assert Path(done.stdout.strip()).is_relative_to(site)


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
