"""A person's articles in; their stories, best first, and what was left out of them.

    articles -> no advertisements, no repeats -> stories -> ranked

Advertisements, near-empty posts and what a source sends again are left out and counted.
Where nothing else is left, they stay: a digest of little is better than none.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from feedloom.distill.offline.advertisements import is_advertisement
from feedloom.distill.offline.stories.grouper import StoryGrouper
from feedloom.distill.offline.stories.terms import weighted_terms
from feedloom.distill.offline.topics import guess_topic
from feedloom.distill.offline.words import fold, stem
from feedloom.model.distilled.requests import DigestArticle, FeedToClassify, LeftOut
from feedloom.model.stories import StoryArticle

_HALF_LIFE_H = 12.0
_MOST_SOURCES = 5
_FEWEST_WORDS = 5
_LONG = 40
"""Characters, for languages that put no spaces between words."""
_BEGINNING = 300
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_NAME = re.compile(r"(?<![.!?:\u201c\u201e\"] )(?<!^)\b[^\W\d_a-z][^\W\d_]{2,}")
"""What has a capital letter within a sentence."""
_FEWEST_SHARED = 2
_CLEAR = 0.25
"""How sure a topic has to be to become a section."""
_OTHERS = {"en": "News", "de": "Meldungen"}


@dataclass(frozen=True, slots=True)
class Story:
    articles: tuple[DigestArticle, ...]
    """Newest first."""
    section: str
    weight: float

    @property
    def sources(self) -> tuple[DigestArticle, ...]:
        """The newest article of each source."""
        return tuple({a.source: a for a in reversed(self.articles)}.values())[::-1]


@dataclass(frozen=True, slots=True)
class Selection:
    stories: tuple[Story, ...]
    left_out: LeftOut


def select_stories(
    articles: Sequence[DigestArticle], language: str, topics: Sequence[str]
) -> Selection:
    """Rank the stories of articles; sections are folders, or topics where there are none."""
    newest = sorted(articles, key=lambda a: (a.published_at, a.id), reverse=True)
    if not newest:
        return Selection((), LeftOut())
    wanted = [article for article in newest if not is_advertisement(article)] or newest
    once = _without_repeats(wanted)
    groups = [part for group in _grouped(once, language) for part in _split(group, language)]
    telling = [group for group in groups if _says_something(group)] or groups
    left_out = LeftOut(
        advertisements=len(newest) - len(wanted),
        near_empty=len(once) - sum(map(len, telling)),
        repeats=len(wanted) - len(once),
    )
    posts = Counter(article.source for article in once)
    now = max(map(_arrived_at, once))
    has_folders = any(article.section for article in once)
    stories = [
        Story(
            tuple(group),
            _folder(group, language) if has_folders else _topic(group, language, topics),
            _weight(group, now, posts),
        )
        for group in telling
    ]
    ranked = sorted(stories, key=lambda story: (-story.weight, story.articles[0].id))
    return Selection(tuple(ranked), left_out)


def _without_repeats(newest: Sequence[DigestArticle]) -> list[DigestArticle]:
    """Keep one of the articles that a source gave the same title or address.

    Of a ticker, where nothing but the numbers changes, it is the newest.
    """
    seen: set[tuple[str, str]] = set()
    kept = []
    for article in newest:
        title = " ".join(article.title.casefold().split()) or article.excerpt
        keys = {(article.source, title), (article.source, article.cluster_key or article.url)}
        if _has_text(article):
            told = f"{title}\n{article.excerpt[:_BEGINNING]}"
            keys.add((article.source, _NUMBER.sub("0", told)))
        if keys.isdisjoint(seen):
            kept.append(article)
        seen |= keys
    return kept


def _says_something(group: Sequence[DigestArticle]) -> bool:
    """Tell whether there is a text, or several sources for what a title says."""
    if len({article.source for article in group}) > 1:
        return True
    return any(map(_has_text, group))


def _has_text(article: DigestArticle) -> bool:
    text = article.excerpt.replace(article.title, "")
    return len(text.split()) >= _FEWEST_WORDS or len(text) > _LONG


def _grouped(articles: Sequence[DigestArticle], language: str) -> list[list[DigestArticle]]:
    """Group articles as a worker does, oldest first; equal ones belong together anyway."""
    grouper = StoryGrouper()
    numbers: dict[object, int] = {}
    found: dict[int, list[DigestArticle]] = {}
    for number, article in reversed(list(enumerate(articles))):
        keys = [key for key in (article.story, article.cluster_key) if key]
        known = next((numbers[key] for key in keys if key in numbers), None)
        if article.story is not None and known is None:
            known = number
        at = article.published_at
        text = article.excerpt
        spoken = article.language or language
        story = grouper.add(
            StoryArticle(number, article.title, article.source, at, at, text, spoken), decided=known
        )
        for key in keys:
            numbers.setdefault(key, story)
        found.setdefault(story, []).insert(0, article)
    return list(found.values())


@dataclass(frozen=True, slots=True)
class _Signs:
    terms: frozenset[str]
    names: frozenset[str]
    cluster_key: str

    def is_kin(self, other: "_Signs") -> bool:
        if self.terms == other.terms or (
            self.cluster_key and self.cluster_key == other.cluster_key
        ):
            return True
        shared = self.terms & other.terms
        is_named = self.names and other.names
        by_name = not is_named or not shared.isdisjoint(self.names | other.names)
        return len(shared) >= _FEWEST_SHARED and by_name


def _split(group: Sequence[DigestArticle], language: str) -> list[list[DigestArticle]]:
    """Take a story apart that holds several events: one paragraph must not tell two."""
    signs = {article.id: _signs(article, language) for article in group}
    left = list(group)
    parts = []
    while left:
        kin = [[a for a in left if signs[one.id].is_kin(signs[a.id])] for one in left]
        largest = max(kin, key=len)
        parts.append(largest)
        left = [article for article in left if article not in largest]
    return parts


def _signs(article: DigestArticle, language: str) -> _Signs:
    text = article.excerpt[:_BEGINNING]
    found = weighted_terms(article.title, text, article.source, article.language or language)
    return _Signs(
        frozenset(found),
        frozenset(stem(fold(name)) for name in _NAME.findall(text)),
        article.cluster_key,
    )


def _weight(group: Sequence[DigestArticle], now: datetime, posts: Counter[str]) -> float:
    """Weigh a story: many sources and fresh news first; who posts seldom is heard.

    What several sources print word for word is one report.
    """
    sources = {article.source for article in group}
    reports = len({article.excerpt or article.title for article in group})
    voices = min(len(sources), reports)
    newest = max(map(_arrived_at, group))
    age_h = max((now - newest).total_seconds() / 3600, 0.0)
    size = math.log2(1 + reports) * (0.5 + 0.5 * min(voices, _MOST_SOURCES))
    rarest = min(posts[source] for source in sources)
    return float(size / (1 + 0.1 * math.log2(rarest)) * 0.5 ** (age_h / _HALF_LIFE_H))


def _arrived_at(article: DigestArticle) -> datetime:
    return article.arrived_at or article.published_at


def _folder(group: Sequence[DigestArticle], language: str) -> str:
    named = Counter(article.section for article in group if article.section)
    return named.most_common(1)[0][0] if named else _others(language)


def _topic(group: Sequence[DigestArticle], language: str, topics: Sequence[str]) -> str:
    told = FeedToClassify(
        title=group[0].title,
        description=group[0].excerpt[:_BEGINNING],
        recent_titles=tuple(article.title for article in group[1:]),
    )
    guess = guess_topic(told, topics)
    is_clear = guess and guess.confidence >= _CLEAR
    return guess.topic.capitalize() if guess and is_clear else _others(language)


def _others(language: str) -> str:
    return _OTHERS.get(language, _OTHERS["en"])
