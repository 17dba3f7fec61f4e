"""A person's settings for the look and behaviour of pages, their keys too, with defaults."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.datastructures import FormData

from feedloom.model.errors import InvalidInput
from feedloom.model.reader import User
from feedloom.serve.pages.forms import field

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
class Shortcut:
    name: str
    key: str
    text: str


SHORTCUTS = (
    Shortcut("next", "j", "next article"),
    Shortcut("previous", "k", "previous article"),
    Shortcut("open", "o", "open the article"),
    Shortcut("original", "v", "open the original page"),
    Shortcut("read", "m", "mark read or unread"),
    Shortcut("star", "s", "star or unstar"),
    Shortcut("listen", "l", "listen to the article, or pause"),
    Shortcut("save", "b", "save to bookmarks"),
    Shortcut("dismiss", "x", "dismiss"),
    Shortcut("sweep", "A", "mark all listed articles as read"),
    Shortcut("calm", "c", "calm headlines on or off"),
    Shortcut("refresh", "r", "fetch new articles"),
    Shortcut("next_feed", "n", "next feed"),
    Shortcut("previous_feed", "p", "previous feed"),
    Shortcut("next_folder", "N", "next folder"),
    Shortcut("previous_folder", "P", "previous folder"),
    Shortcut("move", "f", "move the feed to a folder"),
    Shortcut("search", "/", "search"),
    Shortcut("undo", "u", "undo the last action"),
    Shortcut("help", "?", "show all shortcuts"),
    Shortcut("go", "g", "go to a page (then a second letter)"),
)
FIXED_KEYS = (
    ("Space", "scroll, then go on to the next article"),
    ("Enter", "open the selected article"),
    ("Esc", "close the article, leave the search"),
)


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
