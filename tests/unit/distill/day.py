"""A day of 300 invented articles from 40 feeds, to write digests of."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from feedloom.model.distilled.requests import DigestArticle
from tests.unit.distill.doubles import NOON

_DATA = Path(__file__).parent / "data"


def stories() -> list[list[DigestArticle]]:
    """The hand-written stories, each told by several sources."""
    found: list[list[DigestArticle]] = [[]]
    number = 0
    for line in (_DATA / "day.txt").read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        if not line.strip():
            found.append([])
            continue
        number += 1
        source, minutes, title, excerpt = (part.strip() for part in line.split("|"))
        found[-1].append(
            DigestArticle(
                id=number,
                title=title,
                source=source,
                published_at=NOON - timedelta(minutes=int(minutes)),
                excerpt=excerpt,
                url=f"https://example.org/{number}",
            )
        )
    return found


def told_of() -> Iterator[tuple[DigestArticle, str, str]]:
    """Return what a model might say of an article, and what it is: "-" a lie, "=" or "~" true."""
    lines = (_DATA / "support.txt").read_text("utf-8").splitlines()
    article = stories()[0][0]
    for number, line in enumerate(lines):
        if line.startswith("@ "):
            article = replace(article, id=number, title=line[2:], excerpt=lines[number + 1])
        elif line[:2] in {"- ", "= ", "~ "}:
            yield article, line[0], line[2:]


def whole_day(count: int = 300) -> list[DigestArticle]:
    """The stories, small news around them, and yesterday's small news before that."""
    articles = [article for story in stories() for article in story]
    lines = (_DATA / "singles.txt").read_text("utf-8").splitlines()
    small = [line.split(" | ") for line in lines if not line.startswith("#")]
    for number in range(count - len(articles)):
        title, excerpt = small[number % len(small)]
        old = number // len(small)
        articles.append(
            DigestArticle(
                id=1_000 + number,
                title=title if not old else f"{title} (part {old + 1})",
                source=f"Local paper {number % 29}",
                published_at=NOON - timedelta(minutes=2 + 5 * number),
                excerpt=excerpt,
                url=f"https://local.example/{number}",
            )
        )
    return articles
