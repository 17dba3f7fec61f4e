"""A title and a description in; the five scores with honest reasons out.

Clickbait in English is judged by learned weights and by rules, the rest by word lists
and the form of the headline; the reasons name the words that moved a score most. They
tell how something is worded, never whether it is true.
"""

import math
from collections import defaultdict
from collections.abc import Sequence

from feedloom.distill.offline.clickbait import clickbait_evidence, probability
from feedloom.distill.offline.lexicon import Hit, lexicon
from feedloom.distill.offline.patterns import addresses_reader, shape_hits
from feedloom.model.distilled.requests import DIMENSIONS, Score

FLAGGED = 0.3
"""From here on a dimension counts as present, in the evaluation and in reasons."""
_DESCRIPTION_SHARE = 0.5
_DESCRIPTION_CHARS = 600
_TITLE_CHARS = 500
_SHOWN = 4
_PLAIN = 0.5
_FACTUAL = "factual"
_MOST_SCORE = 0.95
_WEAK = 0.1
_WEAK_SHARE = 0.25
# Half of the headlines that were learned from are clickbait, of those in feeds one in five.
_PRIOR = -1.4
NOT_JUDGED = Score(None, "not judged: this language is not known")


def score_text(
    title: str, description: str, language: str | None, loud: Sequence[str] = ()
) -> dict[str, Score]:
    if language is None:
        return dict.fromkeys(DIMENSIONS, NOT_JUDGED)
    title = title[:_TITLE_CHARS]
    hits = _hits(title, description, language, loud)
    by_dimension: dict[str, list[Hit]] = defaultdict(list)
    for hit in hits:
        by_dimension[hit.dimension].append(hit)
    scores = {name: _score(by_dimension[name]) for name in DIMENSIONS}
    if by_dimension[_FACTUAL] and scores["framing"].value:
        calmer = 1 - max(hit.weight for hit in by_dimension[_FACTUAL])
        value = round(scores["framing"].value * calmer, 3)
        scores["framing"] = Score(value, scores["framing"].reason)
    if language == "en":
        scores["clickbait"] = _learned(title, by_dimension["clickbait"])
    return scores


def _hits(
    title: str, description: str, language: str, loud: Sequence[str]
) -> list[Hit]:
    found = lexicon(language)
    hits = [*shape_hits(title, language, loud), *found.find(title)]
    if addresses_reader(title, language) and not _flags_reader(hits):
        hits.append(Hit("persuasive", "speaks to the reader", 0.35))
    hits += [
        hit._replace(weight=hit.weight * _DESCRIPTION_SHARE)
        for hit in found.find(description[:_DESCRIPTION_CHARS])
    ]
    if any(hit.dimension == "persuasive" and hit.weight >= _PLAIN for hit in hits):
        # "Buy this laptop" points at a laptop because it sells one, not to hold back.
        hits = [h for h in hits if h.dimension != "clickbait" or h.weight >= _PLAIN]
    return hits


def _flags_reader(hits: Sequence[Hit]) -> bool:
    return any(hit.dimension in {"clickbait", "persuasive"} for hit in hits)


def _left(hits: Sequence[Hit]) -> float:
    left = 1.0
    for hit in hits:
        left *= 1.0 - hit.weight
    return left


def _score(hits: Sequence[Hit]) -> Score:
    if not hits:
        return Score(0.0, "offline rules: nothing found")
    # Words that are loaded now and then tell two texts apart, but are no sign alone.
    weak = [hit for hit in hits if hit.weight <= _WEAK]
    left = _left([hit for hit in hits if hit.weight > _WEAK])
    left *= 1.0 - _WEAK_SHARE * (1.0 - _left(weak))
    value = round(min(1.0 - left, _MOST_SCORE), 3)
    return Score(value, f"offline rules: {_named(hits)}")


def _learned(title: str, hits: Sequence[Hit]) -> Score:
    log_odds, said = clickbait_evidence(title)
    log_odds += _PRIOR - math.log(max(_left(hits), 1e-4))
    value = round(probability(log_odds), 3)
    if value < FLAGGED:
        return Score(value, "learned words: no signs found")
    learned = [Hit("clickbait", word, 0.0) for word in said]
    return Score(value, f"learned words: {_named([*hits, *learned])}")


def _named(hits: Sequence[Hit]) -> str:
    strongest = sorted(hits, key=lambda hit: -hit.weight)
    named = dict.fromkeys(f"\u201c{hit.phrase}\u201d" for hit in strongest)
    return ", ".join(list(named)[:_SHOWN])
