"""Keyboard shortcuts: what each does, its default key, and a person's own keys."""

from collections.abc import Mapping
from dataclasses import dataclass

from feedloom.model.errors import InvalidInput


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
FIXED = (
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
