"""Texts in; how they spell each word out: lower case, capitalised or all capitals.

An acronym is a word that texts write in capitals, a name one they begin with a capital
inside a sentence. Both are learned from the article and the other articles of its feed;
what English writes in general was learned by ``tools/train_scores.py``.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from feedloom.distill.offline.words import data_lines

WORD = re.compile(r"[^\W\d_]+(?:[\u2019'][^\W\d_]+)*")
_MOST_TEXT = 20_000
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
    """How some texts write words, found by a word's key."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._forms: dict[str, Counter[str]] = defaultdict(Counter)
        for text in texts:
            self._read(text[:_MOST_TEXT])

    def _read(self, text: str) -> None:
        if not any(map(str.islower, text)):
            return
        for match in WORD.finditer(text):
            word = match[0]
            is_capitalised = word[0].isupper() and not word.isupper()
            if is_capitalised and not _INSIDE.search(
                text, max(0, match.start() - 2), match.start()
            ):
                # What begins a sentence has its capital from there.
                continue
            self._forms[key_of(word)][word] += 1

    def written(self, word: str) -> str | None:
        """Return how the texts write a word most often; capitals win once they occur.

        None when they do not have it.
        """
        forms = self._forms.get(key_of(word))
        if not forms:
            return None
        return max(forms, key=lambda form: (form.isupper() and len(form) > 1, forms[form]))

    def count(self, word: str) -> int:
        return self._forms.get(key_of(word), Counter()).total()


def key_of(word: str) -> str:
    return word.replace("\u2019", "'").casefold()
