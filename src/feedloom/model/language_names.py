"""Languages by their English names, from the tags that feeds carry."""

import tomllib
from importlib import resources

_TABLES = tomllib.loads((resources.files(__package__) / "language_names.toml").read_text("utf-8"))
_NAMES: dict[str, str] = _TABLES["names"]
_OTHER_TAGS: dict[str, str] = _TABLES["others"]


def language_name(tag: str) -> str:
    """Return the language's English name, or the tag itself where none is known."""
    folded = tag.lower()
    folded = _OTHER_TAGS.get(folded, folded)
    primary, _, rest = folded.partition("-")
    written = f"{primary}-{rest[:4]}"
    return _NAMES.get(written) or _NAMES.get(_OTHER_TAGS.get(primary, primary), tag)
