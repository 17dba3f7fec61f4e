"""A person's settings for the look and behaviour of pages, with defaults."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.datastructures import FormData

from feedloom.model.errors import InvalidInput
from feedloom.model.reader import User
from feedloom.serve.pages.forms import field
from feedloom.serve.pages.shortcuts import read_keys

CHOICES: dict[str, tuple[str, ...]] = {
    "theme": ("system", "light", "dark"),
    "layout": ("list", "compact", "cards", "magazine"),
    "density": ("comfortable", "compact"),
    "font": ("serif", "sans"),
    "size": ("medium", "small", "large", "huge"),
    "width": ("medium", "narrow", "wide"),
    "show": ("unread", "all"),
    "order": ("newest", "oldest", "arrived"),
    "start": ("dashboard", "river", "unread"),
    "pictures": ("all", "http", "off"),
}
"""What may be chosen; the first of each is the default."""
WORDS: dict[str, tuple[str, dict[str, str]]] = {
    "font": ("Article font", {"serif": "Serif", "sans": "Sans-serif"}),
    "size": (
        "Article text",
        {"small": "Small", "medium": "Medium", "large": "Large", "huge": "Huge"},
    ),
    "width": ("Article width", {"narrow": "Narrow", "medium": "Medium", "wide": "Wide"}),
}
LAYOUT_WORDS = {"list": "List", "compact": "Compact list", "cards": "Cards", "magazine": "Magazine"}
TEXT_CHOICES = tuple((name, *words) for name, words in WORDS.items())
"""How articles are set: at hand while reading."""
SWITCHES: dict[str, bool] = {
    "mark_on_open": True,
    "mark_on_scroll": False,
    "cluster_read": False,
    "fold_copies": True,
    "fold_stories": False,
    "shortcuts": True,
    "calm_titles": False,
    "show_scores": False,
    "app_pictures": False,
}
"""What may be on or off, and what it is by default."""


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
        found: object = getattr(self, name)
        return found


def appearance_of(user: User | None) -> Appearance:
    return read_appearance(user.settings) if user else DEFAULT


def read_appearance(settings: Mapping[str, object]) -> Appearance:
    """Read a person's choices; what is unknown or odd is the default."""
    chosen: dict[str, Any] = {}
    for name, allowed in CHOICES.items():
        value = settings.get(name)
        chosen[name] = value if isinstance(value, str) and value in allowed else allowed[0]
    for name, default in SWITCHES.items():
        value = settings.get(name)
        chosen[name] = value if isinstance(value, bool) else default
    return Appearance(**chosen, keys=read_keys(settings))


DEFAULT = read_appearance({})


def read_choices(form: FormData, names: tuple[str, ...]) -> dict[str, str]:
    chosen = {name: field(form, name) for name in names}
    for name, value in chosen.items():
        if value not in CHOICES[name]:
            raise InvalidInput("Unknown option.", field=name)
    return chosen
