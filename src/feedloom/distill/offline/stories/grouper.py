"""Articles in order of arrival in; for each the story it belongs to out.

A story is a model of its headlines: how many of its sources used each term. An article
joins the story under which its terms are far likelier than under the language at large:

    sum over terms of log((doubt + votes / share) / (doubt + sources)), plus log(sources) / 2

The bar rises with the number of open stories: among many, one fits by chance.
Whatever is decided depends on the open stories alone, so replaying their articles
leads to the same state. The article is compared with the whole story, so a chain of
neighbours never becomes one; a source votes once.
"""

import math
import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice

from feedloom.distill.offline.languages import judged_language
from feedloom.distill.offline.stories.priors import Prior, prior_of
from feedloom.distill.offline.stories.terms import LEAD_WEIGHT, weighted_terms
from feedloom.model.stories import StoryArticle

WINDOW = timedelta(hours=72)
LONGEST = timedelta(days=7)
"""After it a story is closed, however busy: what goes on for weeks is a topic."""
MOST_STORIES = 200_000
_MOST_LANGUAGES = 64
_UNKNOWN = "und"
THRESHOLD = 1.4
_DOUBT = 30.0
_CROWD = 100
_CODE = re.compile("[a-z]{2,3}")
_POSTINGS = 48
_PER_TERM = 24
_RESCORED = 12
_MOST_TERMS = 200
_MOST_VOTES = 64
_CONFIRMS = 0.5
_COMMON_BONUS = 1 / (_DOUBT * 0.08)


@dataclass(slots=True)
class _Story:
    id: int
    first_at: datetime
    last_at: datetime
    sources: set[str] = field(default_factory=set)
    votes: dict[str, int] = field(default_factory=dict)
    headed: set[str] = field(default_factory=set)
    """The terms of its headlines; votes are of texts, too."""


class StoryGrouper:
    """Groups the articles of all languages, each language by itself."""

    def __init__(
        self, *, window: timedelta = WINDOW, most: int = MOST_STORIES, threshold: float = THRESHOLD
    ) -> None:
        self._window = window
        self._threshold = threshold
        self._most = most
        self._languages: dict[str, _Language] = {}
        self._now: datetime | None = None

    def add(self, article: StoryArticle, *, decided: int | None = None) -> int:
        """Return the story an article belongs to; its own id begins a new one.

        What was ``decided`` before, by this rule or another, is taken over.
        """
        now = max(article.arrived_at, self._now or article.arrived_at)
        self._now = now
        if now - article.published_at > self._window:
            # Last year's posts of a feed that is new here are no news of today.
            return article.id if decided is None else decided
        self._close(now)
        return self._language(_language_of(article)).take(article, now, decided)

    def _close(self, now: datetime) -> None:
        for code, language in list(self._languages.items()):
            language.close(now, self._window)
            if not language.stories:
                del self._languages[code]
        while len(self) >= self._most:
            max(self._languages.values(), key=lambda language: len(language.stories)).close_oldest()

    def _language(self, code: str) -> "_Language":
        if code not in self._languages and len(self._languages) >= _MOST_LANGUAGES:
            code = _UNKNOWN
        if code not in self._languages:
            self._languages[code] = _Language(code, self._threshold)
        return self._languages[code]

    def __len__(self) -> int:
        """Return how many stories are open."""
        return sum(len(language.stories) for language in self._languages.values())


def _language_of(article: StoryArticle) -> str:
    code = re.split("[-_]", article.language.lower(), maxsplit=1)[0]
    if _CODE.fullmatch(code):
        return code
    return judged_language(None, f"{article.title} {article.text[:300]}") or _UNKNOWN


class _Language:
    def __init__(self, code: str, threshold: float) -> None:
        self._code = code
        self._threshold = threshold
        self._prior: Prior = prior_of(code)
        self.stories: OrderedDict[int, _Story] = OrderedDict()
        self._postings: dict[str, dict[int, None]] = {}

    def close(self, now: datetime, window: timedelta) -> None:
        """Forget the stories that nothing joined for so long."""
        while self.stories and now - next(iter(self.stories.values())).last_at > window:
            self.close_oldest()

    def close_oldest(self) -> None:
        _, story = self.stories.popitem(last=False)
        for term in story.votes:
            postings = self._postings[term]
            del postings[story.id]
            if not postings:
                del self._postings[term]

    def take(self, article: StoryArticle, now: datetime, decided: int | None) -> int:
        terms = weighted_terms(article.title, article.text, article.source, self._code)
        if decided is None:
            decided = self._best(terms, article, now)
        story = self.stories.get(decided)
        if story is None:
            story = self.stories[decided] = _Story(decided, now, now)
        self._join(story, terms, article.voter, now)
        return decided

    def _join(self, story: _Story, terms: dict[str, float], source: str, now: datetime) -> None:
        story.last_at = now
        self.stories.move_to_end(story.id)
        if source in story.sources or len(story.sources) >= _MOST_VOTES:
            return
        story.sources.add(source)
        for term, weight in terms.items():
            if weight > LEAD_WEIGHT and len(story.headed) < _MOST_TERMS:
                story.headed.add(term)
            votes = story.votes.get(term)
            if votes is None and len(story.votes) >= _MOST_TERMS:
                continue
            story.votes[term] = (votes or 0) + 1
            postings = self._postings.setdefault(term, {})
            postings.pop(story.id, None)
            postings[story.id] = None

    def _best(self, terms: dict[str, float], article: StoryArticle, now: datetime) -> int:
        """Return the story that fits, or the article's id where none does."""
        bonus = {term: 1.0 / (self._share(term) * _DOUBT) for term in terms}
        total = sum(terms.values())
        bar = self._threshold + math.log(len(self.stories) + _CROWD)
        best, found = bar, article.id
        for story_id in self._candidates(terms, bonus):
            story = self.stories[story_id]
            if now - story.first_at > LONGEST or story.sources == {article.voter}:
                continue
            score = _score(terms, bonus, story, total)
            if score > best or (score == best and story_id < found):
                best, found = score, story_id
        return found

    def _share(self, term: str) -> float:
        """Estimate which share of stories has a term."""
        seen = len(self._postings.get(term, ())) + self._prior.count(term)
        return (seen + 0.5) / (len(self.stories) + self._prior.total + 1)

    def _candidates(self, terms: dict[str, float], bonus: dict[str, float]) -> Sequence[int]:
        """Return the stories that share most with an article.

        Its rarest terms are looked up first, newest stories ahead, until a fixed number
        of postings was read: an article costs the same however many stories are open.
        """
        sums: dict[int, float] = {}
        known = [t for t in terms if t in self._postings and bonus[t] > _COMMON_BONUS]
        left = _POSTINGS
        for term in sorted(known, key=lambda t: (len(self._postings[t]), t)):
            worth = terms[term] * math.log1p(bonus[term])
            for story_id in islice(reversed(self._postings[term]), min(left, _PER_TERM)):
                sums[story_id] = sums.get(story_id, 0.0) + worth
                left -= 1
            if left <= 0:
                break
        if len(sums) <= _RESCORED:
            return list(sums)
        order = sorted(sums, key=lambda story_id: (-sums[story_id], story_id))
        return order[:_RESCORED]


def _score(terms: dict[str, float], bonus: dict[str, float], story: _Story, total: float) -> float:
    voters = len(story.sources)
    score = total * math.log(_DOUBT / (voters + _DOUBT)) + 0.5 * math.log(voters)
    shared = headed = 0
    by_title = by_text = 0.0
    for term, weight in terms.items():
        count = story.votes.get(term)
        if count:
            shared += 1
            headed += weight > LEAD_WEIGHT and term in story.headed
            worth = weight * math.log1p(count * bonus[term])
            if weight > LEAD_WEIGHT:
                by_title += worth
            else:
                by_text += worth
    # One word that two articles share, however rare, is a coincidence and no story. Texts
    # that begin alike only confirm what headlines say: many systems write the same.
    if not headed or (shared == 1 and voters == 1):
        return -math.inf
    return score + by_title + min(by_text, _CONFIRMS * by_title)
