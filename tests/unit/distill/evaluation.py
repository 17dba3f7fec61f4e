"""Labelled headlines, and how well the offline rules find what is in them."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from feedloom.discover import TOPICS, read_directory
from feedloom.distill.offline.framing_scores import FLAGGED, score_text
from feedloom.distill.offline.topics import guess_topic
from feedloom.distill.offline.typography import calm_title
from feedloom.model.distilled.requests import DIMENSIONS, FeedToClassify

DATA = Path(__file__).parent / "data"
_CODES = dict(zip("fcphs", DIMENSIONS, strict=True))


@dataclass(frozen=True, slots=True)
class Figures:
    """How often a dimension was found, wrongly found and missed."""

    found: int
    wrong: int
    missed: int

    @property
    def precision(self) -> float:
        return self.found / (self.found + self.wrong)

    @property
    def recall(self) -> float:
        return self.found / (self.found + self.missed)


def headlines(name: str, language: str) -> Iterator[tuple[frozenset[str], str]]:
    """Return the labels and the text of each headline of a set."""
    for line in (DATA / f"{name}.{language}.txt").read_text("utf-8").splitlines():
        labels, _, title = line.partition("|")
        codes = labels.strip().split(",")
        yield frozenset(_CODES[c] for c in codes if c != "-"), title.strip()


def measure(name: str, language: str) -> dict[str, Figures]:
    """Compare the rules with the labels, dimension by dimension."""
    counts = {dimension: [0, 0, 0] for dimension in DIMENSIONS}
    for labels, title in headlines(name, language):
        loud = calm_title(title, language, ()).loud
        scores = score_text(title, "", language, loud)
        for dimension, count in counts.items():
            is_flagged = (scores[dimension].value or 0) >= FLAGGED
            is_labelled = dimension in labels
            count[0] += is_flagged and is_labelled
            count[1] += is_flagged and not is_labelled
            count[2] += is_labelled and not is_flagged
    return {dimension: Figures(*count) for dimension, count in counts.items()}


@dataclass(frozen=True, slots=True)
class TopicFigures:
    """How well topics are guessed from the names and addresses of feeds."""

    feeds: int
    answered: int
    right: int
    sure: int
    """Guesses with a confidence of a half and more."""
    sure_and_right: int


def measure_topics(*, with_tags: bool) -> TopicFigures:
    """Guess the topic of every feed of the directory we ship."""
    answered = right = sure = sure_and_right = 0
    for entry in read_directory():
        tags = " ".join(entry.tags).replace("-", " ") if with_tags else ""
        feed = FeedToClassify(
            title=entry.title, description=tags, site_url=entry.site_url or entry.feed_url
        )
        guess = guess_topic(feed, TOPICS)
        if guess is not None:
            is_right = guess.topic == entry.topic
            answered += 1
            right += is_right
            sure += guess.confidence >= 0.5
            sure_and_right += is_right and guess.confidence >= 0.5
    return TopicFigures(len(read_directory()), answered, right, sure, sure_and_right)
