"""A headline and its first sentences in; weighted terms out.

Terms are stems of words, numbers, and pieces of what is written without spaces.
Numbers and names weigh what their rarity says; nothing is looked up.
"""

import re
from functools import cache

from feedloom.distill.offline.languages import JUDGED, foreign_words
from feedloom.distill.offline.words import fold, stem, stop_words

_TOKEN = re.compile(r"\d[\d.,]*|[^\W\d_]+(?:['-][^\W\d_]+)*|\w+")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_SIGNS = re.compile(r"[\u30a0-\u30ff\u3400-\u9fff]+|[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+")
"""Hiragana, which Japanese writes endings and particles with, is left out."""
_FIRST_IDEOGRAM = "\u3000"
_SUFFIX = re.compile(r"\s+(?:[-\u2013\u2014|\u00b7:]+)\s+([^|]{2,60})$")
_AGENCY = re.compile(
    r"^(?:(?:wrapup|update|refile|corrected) \d+\s*-|breaking:|live:)\s*", re.IGNORECASE
)
_LEAD_WORDS = 40
LEAD_WEIGHT = 0.3
_MOST_TERMS = 24
_MOST_LEAD_TERMS = 12
_LONGEST_TERM = 40
_LETTERS = 4


def weighted_terms(title: str, text: str, source: str, language: str) -> dict[str, float]:
    """Return the terms that say what an article is about, those of its title first.

    Those of its text weigh ``LEAD_WEIGHT`` at most, those of its title more.
    """
    headed = _terms(bare_title(title, source), language)
    lead = " ".join(text.split(maxsplit=_LEAD_WORDS)[:_LEAD_WORDS])
    found = dict(list(headed.items())[:_MOST_TERMS])
    more = [(t, w) for t, w in _terms(lead, language).items() if t not in found]
    return found | {term: LEAD_WEIGHT * weight for term, weight in more[:_MOST_LEAD_TERMS]}


def is_piece(term: str) -> bool:
    """Tell whether a term is a piece of a text without spaces."""
    return _UNSPACED.search(term) is not None


def bare_title(title: str, source: str) -> str:
    """Return a title without the outlet's name at its end and an agency's mark ahead."""
    title = _AGENCY.sub("", " ".join(title.split()))
    match = _SUFFIX.search(title)
    if match and _names(match[1], source):
        return title[: match.start()]
    return title


def _names(suffix: str, source: str) -> bool:
    """Tell whether the end of a title names its source."""
    squeezed = "".join(c for c in fold(source) if c.isalnum())
    ending = "".join(c for c in fold(suffix) if c.isalnum())
    return len(squeezed) > 1 and (squeezed in ending or ending in squeezed)


def _terms(text: str, language: str) -> dict[str, float]:
    stopped = stop_words(language) if language in JUDGED else _small_words()
    found: dict[str, float] = {}
    for token in _TOKEN.findall(text.replace("\u2019", "'")):
        if is_piece(token):
            for run in _SIGNS.findall(token):
                found |= _pieces(run)
            continue
        for part in fold(token).removesuffix("'s").split("-"):
            word = part.strip("'.,")
            if len(word) > 1 and word not in stopped:
                found[stem(word)[:_LONGEST_TERM]] = 1.0
    return found


@cache
def _small_words() -> frozenset[str]:
    return frozenset(map(fold, foreign_words()))


def _pieces(run: str) -> dict[str, float]:
    """Cut a run of signs: pairs of ideograms, longer pieces where signs are letters.

    Pieces overlap: together they weigh what half as many words do.
    """
    size = 2 if run >= _FIRST_IDEOGRAM else _LETTERS
    count = max(len(run) - size + 1, 1)
    return dict.fromkeys(
        (run[n : n + size] for n in range(count)), min(len(run) / (2 * count), 1.0)
    )
