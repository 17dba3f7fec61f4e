"""A sentence and the texts it cites in; whether they support it out.

Compares words and nothing else: every number must stand in a cited text, and a good part
of the words. Of a text in another language than the sentence, only numbers and half of
the names must. It finds what was made up. It cannot find a sentence that turns the words
of its source around.
"""

import re
from collections.abc import Sequence

from feedloom.distill.offline.languages import judged_language
from feedloom.distill.offline.words import fold, stem, terms

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NAME = re.compile(r"(?<![.!?:\u201c\u201e\"] )(?<!^)\b[^\W\d_a-z][^\W\d_]{2,}")
_LATIN = re.compile(r"[a-z]{3}", re.IGNORECASE)
_FEWEST_WORDS = 0.4
_FEWEST_NAMES = 0.5


def is_supported(sentence: str, cited: Sequence[str], language: str) -> bool:
    text = "\n".join(cited)
    numbers = set(map(_plain, _NUMBER.findall(text)))
    if not text or not numbers.issuperset(map(_plain, _NUMBER.findall(sentence))):
        return False
    known = set(terms(text))
    said = set(terms(sentence))
    if judged_language(None, text) == language:
        return bool(said) and len(said & known) >= _FEWEST_WORDS * len(said)
    if not text.isascii() and not _LATIN.search(text):
        return True
    names = {stem(fold(name)) for name in _NAME.findall(sentence)}
    return len(names & known) >= _FEWEST_NAMES * len(names)


def _plain(number: str) -> str:
    return number.replace(",", "").rstrip(".")
