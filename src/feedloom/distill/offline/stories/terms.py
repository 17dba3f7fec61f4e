"""A headline and its first sentences in; weighted terms out.

Terms are stems of words, numbers, and pairs of characters in scripts without spaces.
Numbers and names weigh what their rarity says; nothing is looked up.
"""

import re

from feedloom.distill.offline.words import fold, stem, stop_words

_TOKEN = re.compile(r"\d[\d.,]*|[^\W\d_]+(?:['-][^\W\d_]+)*|\w+")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_SUFFIX = re.compile(r"\s+(?:[-\u2013\u2014|\u00b7:]+)\s+([^|]{2,60})$")
_AGENCY = re.compile(
    r"^(?:(?:wrapup|update|refile|corrected) \d+\s*-|breaking:|live:)\s*", re.IGNORECASE
)
_LEAD_WORDS = 40
_LEAD_WEIGHT = 0.3
_MOST_TERMS = 24
_MOST_LEAD_TERMS = 12
_LONGEST_TERM = 40


def weighted_terms(title: str, text: str, source: str, language: str) -> dict[str, float]:
    """Return the terms that say what an article is about, those of its title first."""
    found = dict.fromkeys(_terms(bare_title(title, source), language), 1.0)
    found = dict(list(found.items())[:_MOST_TERMS])
    lead = " ".join(text.split(maxsplit=_LEAD_WORDS)[:_LEAD_WORDS])
    more = [t for t in dict.fromkeys(_terms(lead, language)) if t not in found]
    return found | dict.fromkeys(more[:_MOST_LEAD_TERMS], _LEAD_WEIGHT)


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


def _terms(text: str, language: str) -> list[str]:
    stopped = stop_words(language) if language in ("en", "de") else frozenset()
    found: list[str] = []
    for token in _TOKEN.findall(text.replace("\u2019", "'")):
        if _UNSPACED.search(token):
            found += [token[n : n + 2] for n in range(max(len(token) - 1, 1))]
            continue
        for part in fold(token).removesuffix("'s").split("-"):
            word = part.strip("'.,")
            if len(word) > 1 and word not in stopped:
                found.append(stem(word)[:_LONGEST_TERM])
    return found
