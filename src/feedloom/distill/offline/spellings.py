"""Texts in; how they spell each word out: lower case, capitalised or all capitals.

An acronym is a word that texts write in capitals, a name one they begin with a capital
inside a sentence. Both are learned from the article and the other articles of its feed;
what English writes in general was learned by ``tools/train_scores.py``.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from string import ascii_lowercase

from feedloom.distill.offline.words import ascii_lower, data_lines, split_ascii

WORD = re.compile(r"[^\W\d_]+(?:[\u2019'][^\W\d_]+)*")
_MOST_TEXT = 20_000
_MOST_KEPT = 64
_IN_WORD = re.compile(r"[^\W\d_][\u2019']?\Z")
_INSIDE = re.compile(r"[\w,;%)\u2019\"”] \Z")


@dataclass(frozen=True, slots=True)
class LearnedSpellings:
    """English words that are written in one way only."""

    ordinary: frozenset[str]
    names: frozenset[str]
    acronyms: frozenset[str]
    mixed: Mapping[str, str]
    """Words with capitals inside, such as YouTube, by their keys."""


@cache
def learned_spellings() -> LearnedSpellings:
    *plain, mixed = (frozenset(line.split()) for line in data_lines("spellings.en.txt"))
    ordinary, names, acronyms = plain
    return LearnedSpellings(ordinary, names, acronyms, {key_of(word): word for word in mixed})


class Spellings:
    """How some texts write words."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = [text[:_MOST_TEXT] for text in texts]
        self._known: dict[str, Counter[str]] = {}

    def written(self, word: str) -> str | None:
        """Return how the texts write a word most often; capitals win once they occur.

        None when they do not have it.
        """
        forms = self._forms(word)
        if not forms:
            return None
        return max(forms, key=lambda form: (form.isupper() and len(form) > 1, forms[form]))

    def count(self, word: str) -> int:
        return self._forms(word).total()

    def _forms(self, word: str) -> Counter[str]:
        key = key_of(word)
        if key not in self._known:
            having = (text for text in self._texts if key in _keys_in(text))
            self._known[key] = Counter(form for text in having for form in _forms_in(text, key))
        return self._known[key]


# A feed's other articles are asked again for each of its headlines.
@lru_cache(maxsize=_MOST_KEPT)
def _keys_in(text: str) -> frozenset[str]:
    lower = ascii_lower(text)
    if lower is None:
        return frozenset(map(key_of, WORD.findall(text)))
    return frozenset(split_ascii(lower, ascii_lowercase))


def _forms_in(text: str, key: str) -> Iterator[str]:
    if not any(map(str.islower, text)):
        return
    for match in _words_that_may_be(text, key):
        word = match[0]
        is_capitalised = word[0].isupper() and not word.isupper()
        # What begins a sentence has its capital from there.
        before = max(0, match.start() - 2)
        if key_of(word) == key and (
            not is_capitalised or _INSIDE.search(text, before, match.start())
        ):
            yield word


def _words_that_may_be(text: str, key: str) -> Iterator[re.Match[str]]:
    folded = key_of(text)
    if len(folded) != len(text):
        yield from WORD.finditer(text)
        return
    at = folded.find(key)
    while at >= 0:
        # Looked at first, so that a word is read once and not from each of its letters.
        is_inside = _IN_WORD.search(text, max(0, at - 2), at)
        if not is_inside and (match := WORD.match(text, at)):
            yield match
        at = folded.find(key, at + 1)


def key_of(word: str) -> str:
    return word.replace("\u2019", "'").casefold()
