"""A title and a description in; the five scores with honest reasons out.

Scores come from word lists and the form of the headline, and the reasons say so.
They tell how something is worded, never whether it is true.
"""

from collections import defaultdict
from collections.abc import Sequence

from feedloom.distill.offline.lexicon import Hit, lexicon
from feedloom.distill.offline.patterns import addresses_reader, shape_hits
from feedloom.model.distilled.requests import DIMENSIONS, Score

FLAGGED = 0.3
"""From here on a dimension counts as present, in the evaluation and in reasons."""
_DESCRIPTION_SHARE = 0.5
_DESCRIPTION_CHARS = 600
_TITLE_CHARS = 500
_SHOWN = 3
_PLAIN = 0.5
_WORD_LISTS = frozenset({"en", "de"})


def score_text(title: str, description: str, language: str | None) -> dict[str, Score]:
    listed = language if language in _WORD_LISTS else None
    title = title[:_TITLE_CHARS]
    hits = list(shape_hits(title, listed))
    if listed:
        found = lexicon(listed)
        hits += found.find(title)
        if addresses_reader(title, listed) and not _flags_reader(hits):
            hits.append(Hit("persuasive", "speaks to the reader", 0.35))
        for hit in found.find(description[:_DESCRIPTION_CHARS]):
            hits.append(hit._replace(weight=hit.weight * _DESCRIPTION_SHARE))
    if any(hit.dimension == "persuasive" and hit.weight >= _PLAIN for hit in hits):
        # "Buy this laptop" points at a laptop because it sells one, not to hold back.
        hits = [h for h in hits if h.dimension != "clickbait" or h.weight >= _PLAIN]
    by_dimension: dict[str, list[Hit]] = defaultdict(list)
    for hit in hits:
        by_dimension[hit.dimension].append(hit)
    return {name: _score(by_dimension[name], listed) for name in DIMENSIONS}


def _flags_reader(hits: Sequence[Hit]) -> bool:
    return any(hit.dimension in {"clickbait", "persuasive"} for hit in hits)


def _score(hits: Sequence[Hit], language: str | None) -> Score:
    if not hits:
        known = "" if language else "; no word list for this language"
        return Score(0.0, f"offline rules: nothing found{known}")
    left = 1.0
    for hit in hits:
        left *= 1.0 - hit.weight
    strongest = sorted(hits, key=lambda hit: -hit.weight)[:_SHOWN]
    named = ", ".join(dict.fromkeys(f"“{hit.phrase}”" for hit in strongest))
    return Score(round(min(1.0 - left, 0.95), 3), f"offline rules: {named}")
