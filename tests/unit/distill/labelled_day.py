"""A day of 300 feeds with labels: news, advertisements, near-empty posts and repeats.

Made from a seed, so that everybody measures the same day. Texts are put together from
lists of ours; each event is told by several sources in different words.
"""

import random
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from feedloom.model.distilled.requests import DigestArticle
from tests.unit.distill.doubles import NOON

FEEDS = 300
_DATA = Path(__file__).parent / "data" / "labelled_day.txt"


@dataclass(frozen=True, slots=True)
class LabelledArticle:
    article: DigestArticle
    label: str
    """``news``, ``advertisement``, ``near_empty`` or ``repeat``."""
    event: int
    """The number of its event; unrelated articles have their own."""


def _templates() -> dict[str, list[list[str]]]:
    found: dict[str, list[list[str]]] = {}
    for line in _DATA.read_text("utf-8").splitlines():
        if not line.startswith("#"):
            kind, *parts = line.split(" | ")
            found.setdefault(kind, []).append(parts)
    return found


def labelled_day(seed: int = 26) -> list[LabelledArticle]:
    draw = random.Random(seed)
    found: list[LabelledArticle] = []
    templates = _templates()
    words = {kind: lists[0] for kind, lists in templates.items()}

    def add(title: str, text: str, label: str, event: int, feed: int | None = None) -> int:
        source = draw.randrange(FEEDS) if feed is None else feed
        number = len(found)
        found.append(
            LabelledArticle(
                DigestArticle(
                    id=number + 1,
                    title=title,
                    source=f"Feed {source}",
                    published_at=NOON - timedelta(minutes=draw.randrange(24 * 60)),
                    excerpt=text,
                    url=f"https://feed-{source}.example/{number}",
                    section=f"Folder {source % 6}",
                ),
                label,
                event,
            )
        )
        return source

    def name() -> str:
        return "".join(draw.choice(words["syllable"]) for _ in range(3)).capitalize()

    def happening() -> list[tuple[str, str]]:
        subject, object_, reason = (draw.choice(words[k]) for k in ("subject", "object", "reason"))
        verb, participle = draw.choice(words["verb"]).split("/")
        place, person, amount = name(), name(), draw.randrange(3, 900)
        values = {
            "subject": subject, "object": object_, "verb": verb, "participle": participle,
            "place": place, "person": person, "reason": reason, "amount": amount,
        }  # fmt: skip
        titled = [[part.format(**values) for part in parts] for parts in templates["event"]]
        return [
            (title[0].upper() + title[1:], text[0].upper() + text[1:]) for title, text in titled
        ]

    event = 0
    for sources in [*(draw.randrange(2, 7) for _ in range(60)), *[1] * 300]:
        event += 1
        told = happening()
        for feed in draw.sample(range(FEEDS), sources):
            title, text = draw.choice(told)
            add(title, text, "news", event, feed)
            if sources == 1 and draw.random() < 0.15:
                add(title, text, "repeat", event, feed)
    for kind, label, count in (("sales", "news", 30), ("ad", "advertisement", 200)):
        for _ in range(count):
            event += 1
            place, amount = draw.choice(words["place"]), draw.randrange(3, 90)
            title, text = (t.format(p=place, n=amount) for t in draw.choice(templates[kind]))
            add(title, text, label, event)
    for number in range(80):
        event += 1
        add(
            f"Picture {number} of the day",
            draw.choice(("", "Comments", "Read more…")),
            "near_empty",
            event,
        )
    draw.shuffle(found)
    return found
