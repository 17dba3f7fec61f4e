"""Measure story grouping: ``python -m tools.evaluate_stories FOLDER``.

FOLDER holds ``stories/headlines.tsv`` and ``clickbait/headlines.tsv``, which are not part
of this project. Stories are split by their number: the odd ones served to choose the
threshold, the even ones are held out. Writes the figures into docs/evaluation-stories.md.
"""

import random
import resource
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from feedloom.distill import StoryGrouper
from feedloom.distill.offline.stories import grouper
from feedloom.model.stories import StoryArticle

PAGE = Path("docs/evaluation-stories.md")
_START = datetime(2026, 1, 1, tzinfo=UTC)
_GRID = (0.6, 1.0, 1.4, 1.8, 2.2)
_ORDERS = 5
_UNRELATED = 6_000
_SIZES = (10_000, 50_000, 100_000)
_TIMED = 2_000


@dataclass(frozen=True, slots=True)
class Headline:
    story: int
    """Below zero: about nothing that another headline is about."""
    source: str
    title: str


@dataclass(frozen=True, slots=True)
class Figures:
    precision: float
    recall: float

    @property
    def f(self) -> float:
        return 2 * self.precision * self.recall / (self.precision + self.recall)

    def __str__(self) -> str:
        return f"{self.precision:.3f} | {self.recall:.3f} | {self.f:.3f}"


def b_cubed(gold: Sequence[int], found: Sequence[int]) -> Figures:
    """Compare two groupings; headlines below zero count only as wrong company."""
    sizes, groups = Counter(gold), Counter(found)
    both = Counter(zip(gold, found, strict=True))
    of_stories = [pair for pair in zip(gold, found, strict=True) if pair[0] >= 0]
    precision = sum(both[pair] / groups[pair[1]] for pair in of_stories)
    recall = sum(both[pair] / sizes[pair[0]] for pair in of_stories)
    return Figures(precision / len(of_stories), recall / len(of_stories))


def grouped(headlines: Sequence[Headline], threshold: float) -> list[int]:
    """Group headlines in the order given, an arrival each second."""
    grouper = StoryGrouper(threshold=threshold)
    found = []
    for number, headline in enumerate(headlines):
        at = _START + timedelta(seconds=number)
        article = StoryArticle(number, headline.title, headline.source, at, at, language="en")
        found.append(grouper.add(article))
    return found


def figures(headlines: Sequence[Headline], threshold: float) -> Figures:
    return b_cubed([h.story for h in headlines], grouped(headlines, threshold))


def mixed(headlines: Sequence[Headline], seed: int) -> list[Headline]:
    return random.Random(seed).sample(list(headlines), len(headlines))


def in_any_order(headlines: Sequence[Headline], threshold: float) -> Figures:
    return mean([figures(mixed(headlines, n), threshold) for n in range(_ORDERS)])


def mean(of: Sequence[Figures]) -> Figures:
    return Figures(sum(f.precision for f in of) / len(of), sum(f.recall for f in of) / len(of))


def read_stories(path: Path) -> list[Headline]:
    rows = [line.split("\t") for line in path.read_text("utf-8").splitlines()[1:]]
    return [Headline(int(row[0]), row[2], row[3]) for row in rows]


def read_unrelated(path: Path) -> list[Headline]:
    titles = [line.partition("\t")[2] for line in path.read_text("utf-8").splitlines()]
    return [Headline(-1 - n, f"feed {n % 300}", t) for n, t in enumerate(titles)]


def tried(tuning: Sequence[Headline]) -> list[str]:
    """Return a row for each threshold: the mean of several orders."""
    orders = [tuning, *(mixed(tuning, n) for n in range(_ORDERS))]
    return [
        f"| {threshold} | {mean([figures(order, threshold) for order in orders])} |"
        for threshold in _GRID
    ]


def cost(titles: Sequence[str]) -> list[str]:
    """Time the last of many invented headlines, at several sizes of the window."""
    chance = random.Random(1)
    grouper = StoryGrouper()
    rows = []
    done = 0
    began = 0.0
    for size in _SIZES:
        while done < size + _TIMED:
            if done == size:
                began = time.process_time()
            front, back = (chance.choice(titles).split() for _ in range(2))
            title = " ".join(front[: len(front) // 2] + back[len(back) // 2 :])
            at = _START + timedelta(seconds=done * 2)
            source = f"feed {done % 500}"
            grouper.add(StoryArticle(done, title, source, at, at, language="en"))
            done += 1
        ms = (time.process_time() - began) / _TIMED * 1000
        kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        rows.append(f"| {size:,} | {len(grouper):,} | {ms:.2f} ms | {kb // 1024} MB |")
    return rows


def main() -> None:
    folder = Path(sys.argv[1])
    rows = read_stories(folder / "stories/headlines.tsv")
    unrelated = read_unrelated(folder / "clickbait/headlines.tsv")
    tuning = [row for row in rows if row.story % 2]
    held_out = [row for row in rows if row.story % 2 == 0]
    threshold = grouper.THRESHOLD
    crowd = mixed(held_out + mixed(unrelated, 1)[:_UNRELATED], 1)
    head = "| | precision | recall | F |\n|---|---|---|---|"
    told = [
        f"The program uses the threshold {threshold}.\n",
        "### Choosing the threshold: the odd stories, mean of six orders\n",
        head.replace("| |", "| threshold |", 1),
        *tried(tuning),
        "\n### Held out: the even stories\n",
        head,
        f"| order of arrival | {figures(held_out, threshold)} |",
        f"| five random orders, mean | {in_any_order(held_out, threshold)} |",
        f"| among {_UNRELATED:,} unrelated headlines | {figures(crowd, threshold)} |",
        "\n### All stories\n",
        head,
        f"| order of arrival | {figures(rows, threshold)} |",
        f"| five random orders, mean | {in_any_order(rows, threshold)} |",
        "\n### Cost of one more article\n",
        "| articles in the window | open stories | CPU | memory of the process |",
        "|---|---|---|---|",
        *cost([headline.title for headline in unrelated]),
    ]
    _write("\n".join(told))


def _write(text: str) -> None:
    before, _, rest = PAGE.read_text("utf-8").partition("<!-- figures -->")
    after = rest.partition("<!-- /figures -->")[2]
    marked = f"<!-- figures -->\n{text}\n<!-- /figures -->"
    PAGE.write_text(f"{before}{marked}{after}", "utf-8")
    print(text)


if __name__ == "__main__":
    main()
