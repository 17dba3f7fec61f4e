"""A language in; in how many headlines each term is to be expected out.

The English counts are ours, made by ``tools/count_headline_terms.py`` from the Stop
Clickbait headlines (Chakraborty et al. 2016, MIT licence). Of other languages only this is
known before articles arrive: short words are common. How common is what the words of
that length are in those headlines (geometric mean, each word as often as it occurs).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

from feedloom.distill.offline.stories.terms import is_piece

_UNKNOWN_TOTAL = 200
_SHARES = (0.06, 0.06, 0.06, 0.02, 0.005, 0.002, 0.001)
"""By the number of letters; what has more is rare."""
_SHARE_OF_PIECES = 0.001


@dataclass(frozen=True, slots=True)
class Prior:
    total: int = _UNKNOWN_TOTAL
    counts: Mapping[str, int] = field(default_factory=dict)

    def count(self, term: str) -> float:
        if self.counts:
            return self.counts.get(term, 0)
        if is_piece(term):
            return self.total * _SHARE_OF_PIECES
        return self.total * _SHARES[len(term)] if len(term) < len(_SHARES) else 0


def prior_of(language: str) -> Prior:
    return _english() if language == "en" else Prior()


@cache
def _english() -> Prior:
    text = (resources.files(__package__) / "data/headline_terms.en.txt").read_text("utf-8")
    rows = (line.split() for line in text.splitlines() if not line.startswith("#"))
    counts = {term: int(count) for term, count in rows}
    return Prior(counts.pop("*"), counts)
