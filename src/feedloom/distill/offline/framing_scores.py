"""A title and a description in; the five scores with honest reasons out.

Clickbait in English is judged by learned weights and by rules, the rest by word lists
and the form of the headline; the reasons name the words that moved a score most. They
tell how something is worded, never whether it is true.
"""

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from operator import itemgetter

from feedloom.distill.offline.clickbait import clickbait_evidence, probability
from feedloom.distill.offline.lexicon import Hit, lexicon
from feedloom.distill.offline.patterns import addresses_reader, shape_hits
from feedloom.model.distilled.requests import DIMENSIONS, Score

FLAGGED = 0.3
"""From here on a dimension counts as present, in the evaluation and in reasons."""
_DESCRIPTION_SHARE = 0.5
_DESCRIPTION_CHARS = 240
_TITLE_CHARS = 500
_SHOWN = 4
_PLAIN = 0.5
_FACTUAL = "factual"
_CLICKBAIT = "clickbait"
_MOST_SCORE = 0.95
_WEAK = 0.1
_WEAK_SHARE = 0.25
_WEIGHT = itemgetter(Hit._fields.index("weight"))
# Half of the headlines that were learned from are clickbait, of those in feeds one in five.
_PRIOR = -1.4
_NOTHING = Score(0.0, "offline rules: nothing found")
NOT_JUDGED = Score(None, "not judged: this language is not known")


@lru_cache(maxsize=500)
def score_text(
    title: str, description: str, language: str | None, loud: tuple[str, ...] = ()
) -> Mapping[str, Score]:
    if language is None:
        return dict.fromkeys(DIMENSIONS, NOT_JUDGED)
    title = title[:_TITLE_CHARS]
    by_dimension: dict[str, list[Hit]] = {name: [] for name in (*DIMENSIONS, _FACTUAL)}
    for hit in _hits(title, description, language, loud):
        by_dimension[hit.dimension].append(hit)
    scores = {name: _score(by_dimension[name]) for name in DIMENSIONS}
    if language == "en":
        scores[_CLICKBAIT] = _learned(title, by_dimension[_CLICKBAIT])
    if by_dimension[_FACTUAL] and scores["framing"].value:
        calmer = 1 - max(hit.weight for hit in by_dimension[_FACTUAL])
        value = round(scores["framing"].value * calmer, 3)
        scores["framing"] = Score(value, scores["framing"].reason)
    return scores


def loaded_words(title: str, language: str) -> list[Hit]:
    """Return what counts in the scores of a headline, but for words that are weak signs."""
    found = lexicon(language).find(title[:_TITLE_CHARS])
    return [hit for hit in found if hit.weight > _WEAK and hit.dimension in DIMENSIONS]


def _hits(title: str, description: str, language: str, loud: Sequence[str]) -> list[Hit]:
    found = lexicon(language)
    hits = [*shape_hits(title, language, loud), *found.find(title)]
    if not _flags_reader(hits) and addresses_reader(title, language):
        hits.append(Hit("persuasive", "speaks to the reader", 0.35))
    if description:
        hits += found.find(description[:_DESCRIPTION_CHARS], _DESCRIPTION_SHARE)
    if any(h.dimension == "persuasive" and h.weight >= _PLAIN for h in hits):
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
        return _NOTHING
    # Words that are loaded now and then tell two texts apart, but are no sign alone.
    left = left_of_weak = 1.0
    for hit in hits:
        if hit.weight > _WEAK:
            left *= 1.0 - hit.weight
        else:
            left_of_weak *= 1.0 - hit.weight
    left *= 1.0 - _WEAK_SHARE * (1.0 - left_of_weak)
    value = round(min(1.0 - left, _MOST_SCORE), 3)
    return Score(value, f"offline rules: {_named(hits)}")


def _learned(title: str, hits: Sequence[Hit]) -> Score:
    evidence = clickbait_evidence(title)
    log_odds = evidence.log_odds + _PRIOR - math.log(max(_left(hits), 1e-4))
    value = round(probability(log_odds), 3)
    if value < FLAGGED:
        return Score(value, "learned words: no signs found")
    learned = [Hit("clickbait", word, 0.0) for word in evidence.strongest()]
    return Score(value, f"learned words: {_named([*hits, *learned])}")


def _named(hits: Sequence[Hit]) -> str:
    if len(hits) == 1:
        return f"\u201c{hits[0].phrase}\u201d"
    strongest = sorted(hits, key=_WEIGHT, reverse=True)
    named = list(dict.fromkeys([hit.phrase for hit in strongest]))
    return ", ".join([f"\u201c{phrase}\u201d" for phrase in named[:_SHOWN]])
