"""Write docs/settings.md from the settings themselves; ``--check`` only compares.

python tools/write_settings.py [--check]
"""

import sys
import tomllib
from dataclasses import Field, fields
from pathlib import Path

from feedloom.config import PREFIX, Settings

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "settings.md"
SENTENCES = tomllib.loads((ROOT / "src" / "feedloom" / "settings.toml").read_text("utf-8"))
HEAD = """# Settings

Every setting is an environment variable, a line in a `.env` file in the working folder,
or a key of the TOML file that `FEEDLOOM_CONFIG` names (there without the prefix, in
lower case, and with lists where several values are allowed). The environment wins over
`.env`, `.env` over the TOML file; an empty value counts as none. A secret may also stand
in a file: `NAME_FILE=/run/secrets/name`. In `.env`, a value that contains ` #` goes
between quotes. A value that cannot be used stops the start with the setting's name and
what is allowed.

| setting | default | allowed | what it does |
| --- | --- | --- | --- |
"""


def page() -> str:
    """Return the page as it should be."""
    return HEAD + "".join(_line(setting) for setting in fields(Settings))


def _line(setting: "Field[object]") -> str:
    name = f"`{PREFIX}{setting.name.upper()}`"
    aliases = setting.metadata["aliases"]
    if aliases:
        name += " (or " + ", ".join(f"`{alias}`" for alias in aliases) + ")"
    default = _told(setting.default)
    secret = " *Secret.*" if setting.metadata["secret"] else ""
    sentence = SENTENCES[setting.name] + secret
    return f"| {name} | {default} | {setting.metadata['allowed']} | {sentence} |\n"


def _told(default: object) -> str:
    if isinstance(default, bool):
        return "on" if default else "off"
    return "none" if default in {"", None} else str(default)


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(PAGE.read_text("utf-8") != page())
    PAGE.write_text(page(), "utf-8")
