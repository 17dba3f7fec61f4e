"""A headline with its article in; a calm title, its kind, and scores with reasons out.

Pure and quick, for every caller that needs no language model: proxied feeds, readers'
calm titles, stories and digests, and ``feedloom deframe``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from feedloom.distill.offline.answers import find_answer
from feedloom.distill.offline.framing_scores import score_text
from feedloom.distill.offline.languages import judged_language
from feedloom.distill.offline.typography import calm_title, may_shout
from feedloom.model.distilled.requests import Score, TitleKind, overall_score

BAIT = 0.6
"""From this clickbait score on, the article is asked for what the headline hides."""


@dataclass(frozen=True, slots=True)
class Judgement:
    calm_title: str
    """A quotation comes without its marks: it is a part of the article."""
    kind: TitleKind
    scores: Mapping[str, Score]
    """By ``DIMENSIONS``."""
    language: str | None
    """What it was judged in; None when it was not judged."""
    changes: tuple[str, ...] = ()
    """What was done to the title."""

    @property
    def overall(self) -> float | None:
        return overall_score(self.scores.values())


def needs_article(title: str, description: str, language: str | None) -> bool:
    """Tell whether the article may change the title: it is clickbait, or may shout."""
    if may_shout(title):
        return True
    judged = judged_language(language, title, description)
    return (score_text(title, description, judged, ())["clickbait"].value or 0) >= BAIT


def judge_headline(
    title: str,
    *,
    text: str = "",
    description: str = "",
    language: str | None = None,
    feed_texts: Sequence[str] = (),
) -> Judgement:
    """Judge a headline offline; ``feed_texts`` tell how its feed writes words."""
    judged = judged_language(language, title, description)
    calmed = calm_title(title, judged, (text, description, *feed_texts))
    scores = score_text(title, description, judged, calmed.loud)
    clickbait = scores["clickbait"].value
    if clickbait is not None and clickbait >= BAIT:
        answer = find_answer(title, text, description)
        if answer is not None:
            changes = ("quoted the sentence that says it",)
            return Judgement(answer, TitleKind.QUOTATION, scores, judged, changes)
    kind = TitleKind.TYPOGRAPHY if calmed.text != title else TitleKind.SAME
    return Judgement(calmed.text, kind, scores, judged, calmed.changes)
