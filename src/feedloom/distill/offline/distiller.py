"""The offline engine: every distilling port without a model and without a network.

Deterministic and quick. What it makes is marked ``offline-1``, so that nobody takes
word counts for a judgement. Long work runs off the event loop.
"""

import asyncio
from collections.abc import Sequence

from feedloom.distill.offline.digests import offline_digest
from feedloom.distill.offline.framing_scores import FLAGGED, score_text
from feedloom.distill.offline.neutral import Neutral, neutral_description, neutral_title
from feedloom.distill.offline.summaries import extractive_summary
from feedloom.distill.offline.tags import find_tags
from feedloom.distill.offline.topics import guess_topic
from feedloom.distill.offline.words import guess_language
from feedloom.model.distilled.requests import (
    DIMENSIONS,
    AnalyzerResult,
    ArticleToAnalyse,
    Digest,
    DigestArticle,
    FeedToClassify,
    PageSummary,
    PageToSummarise,
    Score,
    TopicGuess,
)

_MAX_TEXT = 10_000
_GUESSED_BY = 1_000
_OTHER = "other"


class OfflineEngine:
    """An ``Analyzer``, ``Digester``, ``Summariser`` and ``TopicClassifier``."""

    model = "offline-1"

    def __init__(self, categories: Sequence[str]) -> None:
        self._categories = tuple(c for c in categories if c != _OTHER)

    def prompt_version(
        self,
        language: str | None,
        prompt_key: str | None = None,  # noqa: ARG002 - rules know no prompts
    ) -> str:
        return f"rules.{_spoken(language) or 'any'}.v2"

    async def analyse(self, article: ArticleToAnalyse) -> AnalyzerResult:
        language = _spoken(article.language) or guess_language(
            f"{article.title[:_GUESSED_BY]} {article.description[:_GUESSED_BY]}"
        )
        scores = score_text(article.title, article.description, language)
        title = neutral_title(article.title, language)
        description = neutral_description(article.description, language)
        return AnalyzerResult(
            title_original=article.title,
            description_original=article.description,
            title_corrected=title.text,
            title_correction_reason=_reason(title),
            description_corrected=description.text,
            description_correction_reason=_reason(description),
            **scores,
            overall_reason=_overall(scores),
            category=self._category(article),
        )

    async def digest(
        self,
        articles: Sequence[DigestArticle],
        language: str,
        *,
        user_id: int | None = None,  # noqa: ARG002 - the port's; nothing is charged
    ) -> Digest:
        return await asyncio.to_thread(
            offline_digest, articles, _spoken(language) or "en"
        )

    async def summarise(
        self,
        page: PageToSummarise,
        *,
        user_id: int | None = None,  # noqa: ARG002 - the port's; nothing is charged
    ) -> PageSummary:
        text = page.text[:_MAX_TEXT]
        return PageSummary(
            summary=extractive_summary(page.title, text, page.description),
            tags=find_tags(page.title, f"{page.description} {text}", page.tags),
            model=self.model,
        )

    async def classify(
        self, feed: FeedToClassify, vocabulary: Sequence[str]
    ) -> TopicGuess | None:
        return guess_topic(feed, vocabulary)

    def _category(self, article: ArticleToAnalyse) -> str:
        told = FeedToClassify(title=article.title, description=article.description)
        guess = guess_topic(told, self._categories)
        return guess.topic if guess else _OTHER


def _spoken(language: str | None) -> str | None:
    return (language or "").partition("-")[0].lower() or None


def _reason(neutral: Neutral) -> str:
    if not neutral.changes:
        return "offline rules: nothing that could be changed safely"
    return f"offline rules: {', '.join(neutral.changes)}"


def _overall(scores: dict[str, Score]) -> str:
    found = [
        name.replace("_", " ") for name in DIMENSIONS if scores[name].value >= FLAGGED
    ]
    if not found:
        return "offline rules: the wording looks plain"
    return f"offline rules: the wording shows {', '.join(found)}"
