"""A text and what its feed says of it in; the language it can be judged in out.

Only English and German are judged. Whatever may be another language is None: a score
for words nobody understands would be made up.
"""

import re
from collections import Counter
from functools import cache, lru_cache
from string import ascii_lowercase

from feedloom.distill.offline.clickbait import known_words
from feedloom.distill.offline.lexicon import tokens_of
from feedloom.distill.offline.spellings import learned_spellings
from feedloom.distill.offline.words import ascii_lower, data_lines, split_ascii, stop_words

JUDGED = frozenset({"en", "de"})
_MOST = 240
_WORD = re.compile(r"[^\W\d_]+(?:[\u2019'][^\W\d_]+)?")
_SECOND_APOSTROPHE = re.compile("([a-z]'[a-z]+)'")
_FOREIGN = "other"
_LEAST_ENGLISH = 0.25
_LEAST_ENGLISH_WITH_ACCENTS = 0.5
_LEAST_GERMAN = 0.25
_MOST_FOREIGN = 0.25
_LATIN_END = 0x250


@cache
def _english() -> frozenset[str]:
    known = known_words() | learned_spellings().ordinary | _listed("en")
    german = stop_words("de") | _listed("de") | _of("german.txt")
    known = (known - foreign_words() - german) | stop_words("en")
    return frozenset(word for word in known if len(word) > 1)


@cache
def _german() -> frozenset[str]:
    known = stop_words("de") | _listed("de") | _of("german.txt")
    known = known - stop_words("en") - foreign_words()
    return frozenset(word for word in known if len(word) > 1)


@cache
def _languages_of_words() -> dict[str, tuple[str, ...]]:
    told = {"en": _english(), "de": _german(), _FOREIGN: foreign_words()}
    return {
        word: tuple(language for language, words in told.items() if word in words)
        for word in frozenset().union(*told.values())
    }


@cache
def _listed(language: str) -> frozenset[str]:
    return frozenset(tokens_of(" ".join(data_lines(f"lexicon.{language}.txt"))))


@cache
def _of(name: str) -> frozenset[str]:
    return frozenset(" ".join(data_lines(name)).split())


def foreign_words() -> frozenset[str]:
    """Return frequent words of languages that are not judged."""
    return _of("foreign.txt")


@lru_cache(maxsize=500)
def judged_language(declared: str | None, title: str, description: str = "") -> str | None:
    """Return ``en`` or ``de`` when a headline can be judged as such."""
    told = (declared or "").replace("_", "-").partition("-")[0].lower()
    if told and told not in JUDGED:
        return None
    words = _words(title)
    if not words or not (title.isascii() or _is_latin(words)):
        return None
    if description:
        words += _words(description)
    shared = _of("shared.txt")
    words = [word for word in words if word not in shared] or words
    counts = {_FOREIGN: 0, "en": 0, "de": 0}
    for languages, count in Counter(map(_languages_of_words().get, words)).items():
        for language in languages or ():
            counts[language] += count
    foreign, english, german = counts.values()
    if foreign > max(english, german):
        return None
    if german > english and german >= _LEAST_GERMAN * len(words):
        return "de"
    has_accents = not all(map(str.isascii, words))
    if told:
        return None if told == "en" and has_accents and not english else told
    least = _LEAST_ENGLISH_WITH_ACCENTS if has_accents else _LEAST_ENGLISH
    enough = english and english >= least * len(words)
    return "en" if enough and foreign <= _MOST_FOREIGN * len(words) else None


def _is_latin(words: list[str]) -> bool:
    latin = sum(word[0] < chr(_LATIN_END) for word in words)
    return latin * 2 > len(words)


def _words(text: str) -> list[str]:
    lower = ascii_lower(text[:_MOST])
    if lower is None:
        return [word.lower() for word in _WORD.findall(text[:_MOST].replace("\u2019", "'"))]
    if "'" in lower:
        lower = _SECOND_APOSTROPHE.sub(r"\1 ", lower)
    return split_ascii(lower, ascii_lowercase)
