"""A language in; how many headlines of a sample hold each term out.

The English counts are ours, made by ``tools/count_headline_terms.py`` from the Stop
Clickbait headlines (Chakraborty et al. 2016, MIT licence). Other languages have none and
learn from what arrives.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

_UNKNOWN_TOTAL = 200


@dataclass(frozen=True, slots=True)
class Prior:
    total: int = _UNKNOWN_TOTAL
    counts: Mapping[str, int] = field(default_factory=dict)


@cache
def prior_of(language: str) -> Prior:
    if language != "en":
        return Prior()
    text = (resources.files(__package__) / "data/headline_terms.en.txt").read_text("utf-8")
    rows = (line.split() for line in text.splitlines() if not line.startswith("#"))
    counts = {term: int(count) for term, count in rows}
    return Prior(counts.pop("*"), counts)
