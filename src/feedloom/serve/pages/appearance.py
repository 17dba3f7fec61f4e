"""A person's settings for the look and behaviour of pages, with defaults."""

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as default

from starlette.datastructures import FormData

from feedloom.model.errors import InvalidInput
from feedloom.model.reader import User
from feedloom.serve.pages.forms import field
from feedloom.serve.pages.shortcuts import SHORTCUTS, read_keys

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
    theme: str = "system"
    layout: str = "list"
    density: str = "comfortable"
    font: str = "serif"
    size: str = "medium"
    width: str = "medium"
    show: str = "unread"
    order: str = "newest"
    start: str = "dashboard"
    mark_on_open: bool = True
    mark_on_scroll: bool = False
    cluster_read: bool = False
    """Opening one article marks all that tell the same story."""
    fold_copies: bool = True
    """Lists have one row for what several feeds have word for word."""
    fold_stories: bool = False
    """Lists have one row for each story."""
    shortcuts: bool = True
    calm_titles: bool = False
    show_scores: bool = False
    """The scores of headlines in lists, too."""
    pictures: str = "all"
    """Which pictures come through the image proxy, as far as the installation allows."""
    app_pictures: bool = False
    """Apps are given the addresses of that proxy, too."""
    keys: Mapping[str, str] = default(
        default_factory=lambda: {each.name: each.key for each in SHORTCUTS}
    )
    """The key of each shortcut."""

    @property
    def keymap(self) -> dict[str, str]:
        return {key: name for name, key in self.keys.items() if key}

    def value(self, name: str) -> object:
        found: object = getattr(self, name)
        return found


DEFAULT = Appearance()


def appearance_of(user: User | None) -> Appearance:
    """Read a person's choices; what is unknown or odd is the default."""
    if user is None:
        return DEFAULT
    return read_appearance(user.settings)


def read_appearance(settings: Mapping[str, object]) -> Appearance:
    def chosen(name: str) -> str:
        value = settings.get(name)
        allowed = CHOICES[name]
        return value if isinstance(value, str) and value in allowed else allowed[0]

    def switched(name: str) -> bool:
        value = settings.get(name)
        return value if isinstance(value, bool) else SWITCHES[name]

    return Appearance(
        theme=chosen("theme"),
        layout=chosen("layout"),
        density=chosen("density"),
        font=chosen("font"),
        size=chosen("size"),
        width=chosen("width"),
        show=chosen("show"),
        order=chosen("order"),
        start=chosen("start"),
        pictures=chosen("pictures"),
        mark_on_open=switched("mark_on_open"),
        mark_on_scroll=switched("mark_on_scroll"),
        cluster_read=switched("cluster_read"),
        fold_copies=switched("fold_copies"),
        fold_stories=switched("fold_stories"),
        shortcuts=switched("shortcuts"),
        calm_titles=switched("calm_titles"),
        show_scores=switched("show_scores"),
        app_pictures=switched("app_pictures"),
        keys=read_keys(settings),
    )


def read_choices(form: FormData, names: tuple[str, ...]) -> dict[str, str]:
    chosen = {name: field(form, name) for name in names}
    for name, value in chosen.items():
        if value not in CHOICES[name]:
            raise InvalidInput("Unknown option.", field=name)
    return chosen
