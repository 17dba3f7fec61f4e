"""Distil: text in; analyses, digests, summaries, topics and articles out.

``build_engine`` gives the engine that is set up: a language model behind budget,
breaker and schema, or the offline engine that needs neither. ``judge_headline`` is what
that one does with headlines: pure, and quick enough for every article.
``LocalExtractor`` and ``JinaReader`` find the article in a page. All calls go out
through the ``Fetcher`` given to them, and nothing a model says leaves this package
unchecked.
"""

from feedloom.distill.deframing import CATEGORIES
from feedloom.distill.engines import Engine, build_engine, embedder, offline_engine
from feedloom.distill.extraction.jina import JinaReader
from feedloom.distill.extraction.local import LocalExtractor
from feedloom.distill.models.breaker import Breaker
from feedloom.distill.models.providers import AISettings, AIType
from feedloom.distill.offline.headlines import Judgement, judge_headline
from feedloom.distill.offline.stories.grouper import StoryGrouper
from feedloom.distill.offline.stories.wordings import OfflineWording
from feedloom.distill.offline.support import is_proven
from feedloom.distill.offline.tags import TAGS

__all__ = [
    "CATEGORIES",
    "TAGS",
    "AISettings",
    "AIType",
    "Breaker",
    "Engine",
    "JinaReader",
    "Judgement",
    "LocalExtractor",
    "OfflineWording",
    "StoryGrouper",
    "build_engine",
    "embedder",
    "is_proven",
    "judge_headline",
    "offline_engine",
]
