"""A person's settings for the look and behaviour of pages, their keys too, with defaults."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData

from feedloom.model.errors import InvalidInput
from feedloom.model.reader import User
from feedloom.serve.pages.forms import field


@dataclass(frozen=True, slots=True)
class Choice:
    group: str
    legend: str
    default: str
    words: dict[str, str]


@dataclass(frozen=True, slots=True)
class Switch:
    group: str
    default: bool
    text: str


@dataclass(frozen=True, slots=True)
class Shortcut:
    name: str
    key: str
    text: str


_TABLES = tomllib.loads(Path(__file__).with_name("appearance.toml").read_text("utf-8"))
CHOICES = {name: Choice(**given) for name, given in _TABLES["choices"].items()}
SWITCHES = {name: Switch(**given) for name, given in _TABLES["switches"].items()}
SHORTCUTS = tuple(Shortcut(name, *given) for name, given in _TABLES["shortcuts"].items())
FIXED_KEYS = tuple(_TABLES["fixed_keys"].items())
TEXT_CHOICES = tuple((n, CHOICES[n].legend, CHOICES[n].words) for n in ("font", "size", "width"))
"""How articles are set: at hand while reading."""


def read_keys(settings: Mapping[str, object]) -> dict[str, str]:
    chosen = settings.get("keys")
    own = chosen if isinstance(chosen, Mapping) else {}
    # A key that somebody chose is not taken from them by a shortcut that came later.
    free = {each.name: "" if each.key in own.values() else each.key for each in SHORTCUTS}
    keys = {each.name: own.get(each.name, free[each.name]) for each in SHORTCUTS}
    set_keys = [key for key in keys.values() if key != ""]
    usable = all(isinstance(key, str) and _is_key(key) for key in set_keys)
    if not usable or len(set(set_keys)) < len(set_keys):
        return {each.name: each.key for each in SHORTCUTS}
    return {name: str(key) for name, key in keys.items()}


def check_keys(keys: Mapping[str, str]) -> dict[str, str]:
    texts = {each.name: each.text for each in SHORTCUTS}
    taken: dict[str, str] = {}
    for name, text in texts.items():
        key = keys[name]
        if not _is_key(key):
            raise InvalidInput(f"“{text}” needs one letter, digit or symbol.", field=name)
        if key in taken:
            raise InvalidInput(f"“{taken[key]}” and “{text}” have the same key: {key}", field=name)
        taken[key] = text
    return {s.name: keys[s.name] for s in SHORTCUTS if keys[s.name] != s.key}


def _is_key(key: str) -> bool:
    return len(key) == 1 and key.isprintable() and not key.isspace()


@dataclass(frozen=True, slots=True)
class Appearance:
    theme: str
    layout: str
    density: str
    font: str
    size: str
    width: str
    show: str
    order: str
    start: str
    mark_on_open: bool
    mark_on_scroll: bool
    cluster_read: bool
    """Opening one article marks all that tell the same story."""
    fold_copies: bool
    """Lists have one row for what several feeds have word for word."""
    fold_stories: bool
    """Lists have one row for each story."""
    shortcuts: bool
    calm_titles: bool
    show_scores: bool
    """The scores of headlines in lists, too."""
    pictures: str
    """Which pictures come through the image proxy, as far as the installation allows."""
    app_pictures: bool
    """Apps are given the addresses of that proxy, too."""
    keys: Mapping[str, str]
    """The key of each shortcut."""

    @property
    def keymap(self) -> dict[str, str]:
        return {key: name for name, key in self.keys.items() if key}

    def value(self, name: str) -> object:
        return getattr(self, name)


def appearance_of(user: User | None) -> Appearance:
    return read_appearance(user.settings) if user else DEFAULT


def read_appearance(settings: Mapping[str, object]) -> Appearance:
    """Read a person's choices; what is unknown or odd is the default."""
    chosen: dict[str, Any] = {}
    for name, choice in CHOICES.items():
        value = settings.get(name)
        is_known = isinstance(value, str) and value in choice.words
        chosen[name] = value if is_known else choice.default
    for name, switch in SWITCHES.items():
        value = settings.get(name)
        chosen[name] = value if isinstance(value, bool) else switch.default
    return Appearance(**chosen, keys=read_keys(settings))


DEFAULT = read_appearance({})


def read_choices(form: FormData, names: tuple[str, ...]) -> dict[str, str]:
    chosen = {name: field(form, name) for name in names}
    for name, value in chosen.items():
        if value not in CHOICES[name].words:
            raise InvalidInput("Unknown option.", field=name)
    return chosen
