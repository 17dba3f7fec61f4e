"""The offline engine: every distilling port without a model and without a network.

Deterministic and quick. What it makes is marked ``offline-1``, so that nobody takes
word counts for a judgement. Long work runs off the event loop.
"""

import asyncio
from collections.abc import Mapping, Sequence

from feedloom.distill.offline.digests import offline_digest
from feedloom.distill.offline.framing_scores import FLAGGED
from feedloom.distill.offline.headlines import Judgement, judge_headline, needs_article
from feedloom.distill.offline.summaries import extractive_summary
from feedloom.distill.offline.tags import find_tags
from feedloom.distill.offline.topics import guess_topic
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
_LEAD = 400
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
        return f"rules.{_spoken(language) or 'any'}.v5"

    def reads_text(self, title: str, description: str, language: str | None) -> bool:
        return needs_article(title, description, language)

    async def analyse(self, article: ArticleToAnalyse) -> AnalyzerResult:
        judged = judge_headline(
            article.title,
            text=article.text[:_MAX_TEXT],
            description=article.description,
            language=article.language,
            feed_texts=article.feed_texts,
        )
        return AnalyzerResult(
            title_original=article.title,
            description_original=article.description,
            title_corrected=judged.calm_title,
            title_correction_reason=_reason(judged),
            description_corrected=article.description,
            description_correction_reason="offline rules: left as it is",
            **judged.scores,
            overall_reason=_overall(judged.scores),
            category=self._category(article),
            title_kind=judged.kind,
        )

    async def digest(
        self,
        articles: Sequence[DigestArticle],
        language: str,
        *,
        user_id: int | None = None,  # noqa: ARG002 - the port's; nothing is charged
    ) -> Digest:
        spoken = _spoken(language) or "en"
        return await asyncio.to_thread(offline_digest, articles, spoken, self._categories)

    async def summarise(
        self,
        page: PageToSummarise,
        *,
        user_id: int | None = None,  # noqa: ARG002 - the port's; nothing is charged
    ) -> PageSummary:
        """Pick two or three sentences of the page, and tags."""
        text = page.text[:_MAX_TEXT]
        return PageSummary(
            summary=extractive_summary(page.title, text, page.description),
            tags=find_tags(page.title, f"{page.description} {text}", page.tags),
            model=self.model,
        )

    async def classify(self, feed: FeedToClassify, vocabulary: Sequence[str]) -> TopicGuess | None:
        """Return a topic of the vocabulary, or None when no word speaks for any."""
        return guess_topic(feed, vocabulary)

    def _category(self, article: ArticleToAnalyse) -> str:
        told = FeedToClassify(title=article.title, description=article.description[:_LEAD])
        guess = guess_topic(told, self._categories)
        return guess.topic if guess else _OTHER


def _spoken(language: str | None) -> str | None:
    return (language or "").partition("-")[0].lower() or None


def _reason(judged: Judgement) -> str:
    return f"offline rules: {', '.join(judged.changes) or 'nothing to calm'}"


def _overall(scores: Mapping[str, Score]) -> str:
    if all(scores[name].value is None for name in DIMENSIONS):
        return "offline rules: not judged, the language is not known"
    found = [name.replace("_", " ") for name in DIMENSIONS if (scores[name].value or 0) >= FLAGGED]
    if not found:
        return "offline rules: no signs found"
    return f"offline rules: signs of {', '.join(found)} found"
