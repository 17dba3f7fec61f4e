"""Whether the label of a feed means the whole site or one topic of it.

Labels and addresses go in, yes or no comes out. A label that holds nothing but words
for "all", "latest" or "RSS", and the site's own name, means the whole site; then the
address must say nothing else. Any other word is a topic.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from importlib import resources

from feedloom.model.urls import read_address

# Vowel signs and tone marks are no letters to Python, but parts of words.
_WORD = re.compile(
    r"(?:[^\W_]|[\u0300-\u036f\u05b0-\u05c7\u064b-\u0670\u0900-\u0eff\u1000-\u109f\u1780-\u17ff])+"
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WORDS = tomllib.loads(resources.files(__package__).joinpath("labels.toml").read_text("utf-8"))
_MAIN = frozenset(_WORDS["main"].split())
_UNSPACED = re.compile(f"(?:{'|'.join(_WORDS['unspaced'].split())})+")
_FILLER = frozenset(_WORDS["filler"].split())
_LANGUAGES = frozenset(_WORDS["language_codes"].split())
_LANGUAGE_NAMES = {
    name: code for code, names in _WORDS["language_names"].items() for name in names.split()
}
_LANGUAGE = re.compile(r"([a-z]{2})(?:[-_]([a-z]{2}))?")
_LANGUAGE_FILE = re.compile(r"(?:rss|atom|feed|news|index)[._-]([a-z]{2})(?:\.\w+)?")
_SILENT = _FILLER | frozenset(_LANGUAGE_NAMES)
"""Words of a label that say neither "all" nor what it is about."""
_MAX_NUMBER = 2
_NAME_WORDS = 4
_LIST_AND_NAME = 2
_MOST = 0.75


def words_in(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


class Says(StrEnum):
    ALL = "all"
    TOPIC = "topic"
    NOTHING = "nothing"
    """Only what kind of thing it is, or whose."""


def read_label(label: str, own: frozenset[str]) -> Says:
    """Tell what a label says, apart from its site's ``own`` name."""
    label = label.lower().replace("press release", "pressrelease")
    said = (word for word in words_in(label) if word not in _SILENT)
    left = [word for word in said if word not in own and not _is_number(word)]
    if not all(map(_is_main, left)):
        return Says.TOPIC
    return Says.ALL if left else Says.NOTHING


def _is_main(word: str) -> bool:
    return word in _MAIN or _UNSPACED.fullmatch(word) is not None


def has_main_word(label: str) -> bool:
    return any(_is_main(word) for word in words_in(label))


def read_path(url: str, page_url: str) -> Says:
    """Tell what an address says, seen from its page."""
    address = read_address(url)
    here = frozenset(read_address(page_url).path.lower().split("/"))
    segments = (s for s in address.path.split("/") if s and s.lower() not in here)
    words = words_in(_CAMEL.sub(" ", " ".join((*segments, address.query))))
    known = _MAIN | _FILLER | _LANGUAGES | frozenset(address.host.split("."))
    if not all(_is_number(word) or (word in known and len(word) > 1) for word in words):
        return Says.TOPIC
    return Says.ALL if any(word in _MAIN for word in words) else Says.NOTHING


def _is_number(word: str) -> bool:
    return word.isdigit() and len(word) <= _MAX_NUMBER


def shared_words(labels: Iterable[str]) -> frozenset[str]:
    """Return the words that most labels have in common: a site's name, mostly."""
    sets = [frozenset(words_in(label)) for label in dict.fromkeys(labels) if label]
    counts = Counter(word for words in sets for word in words)
    shared = {word for word, count in counts.items() if count >= max(2, len(sets) * _MOST)}
    return frozenset(shared) - _MAIN


def _says_only_feed(label: str) -> bool:
    says_feed = not {"rss", "feed", "feeds", "atom"}.isdisjoint(words_in(label))
    return says_feed and read_label(label, frozenset()) is Says.NOTHING


def name_words(site_name: str, title: str, url: str) -> frozenset[str]:
    """Return the words of a site's name, from what it is called and from its host."""
    host, path = read_address(url).host, read_address(url).path
    parts = re.split(r"\s[-\u2013\u2014|·:»]\s|\s[|·»]\s?", title)
    # The title of a front page that is short is a name.
    is_name = path == "/" and len(parts) == 1 and len(words_in(title)) <= _NAME_WORDS
    # "RSS feeds | Evening Leaf": who lists feeds says whose they are.
    is_of_list = len(parts) == _LIST_AND_NAME and any(map(_says_only_feed, parts))
    named = [part for part in parts if is_name or is_of_list or "".join(words_in(part)) in host]
    words = (*words_in(" ".join((site_name, *named))), *host.split("."))
    return frozenset(word for word in words if not word.isdigit())


def language_of(url: str) -> str:
    """Return the language an address names in its path, host or query, if any."""
    address = read_address(url)
    queries = [p.partition("=")[2] for p in address.query.split("&") if p[:4] == "lang"]
    label = address.host.partition(".")[0]
    for segment in (*address.path.lower().split("/")[1:3], label, *queries):
        match = _LANGUAGE.fullmatch(segment)
        if match and match[1] in _LANGUAGES:
            return segment.replace("_", "-")
    file = _LANGUAGE_FILE.fullmatch(address.path.lower().rpartition("/")[2])
    return file[1] if file and file[1] in _LANGUAGES else ""


def language_named(label: str) -> str:
    """Return the language that a label names, if it names just one."""
    named = {_LANGUAGE_NAMES[word] for word in words_in(label) if word in _LANGUAGE_NAMES}
    return named.pop() if len(named) == 1 else ""


def language_distance(feed: str, page: str) -> int:
    """Return how far a feed's language is from the page's: 0, 1 (region) or 4."""
    if not feed or not page or feed == "x-default":
        return 0
    (one, _, region), (other, _, wanted) = feed.partition("-"), page.partition("-")
    if one != other:
        return 4
    return int(bool(region and wanted) and region != wanted)
