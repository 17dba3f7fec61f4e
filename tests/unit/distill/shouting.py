"""Headlines of ours, made to shout, and what a calm title may differ in."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

from feedloom.distill.offline.typography import EMOJI
from tests.unit.distill.day import whole_day
from tests.unit.distill.evaluation import headlines

_LABELS = ("WATCH: ", "BREAKING: ", "EXCLUSIVE: ", "MUST SEE: ", "URGENT - ")
_ENDS = ("!!!", "?!", " 🔥", "!!", " 😱😱")
_WORD = re.compile(r"[^\W\d_]{4,}")


@dataclass(frozen=True, slots=True)
class Shouted:
    quiet: str
    loud: str
    text: str
    """Its article, which writes its words as they should be."""


def letters(text: str) -> str:
    """Return the words of a text, without case, marks and emoji."""
    folded = unicodedata.normalize("NFC", EMOJI.sub(" ", text)).casefold()
    return " ".join(re.findall(r"\w+", folded))


def is_same_wording(original: str, calm: str) -> bool:
    """Tell whether a title is another without shouting, or without a label in front."""
    said, kept = letters(original), letters(calm)
    return said == kept or (
        said.endswith(" " + kept) and len(said) - len(kept) <= len("breaking news now ")
    )


def shouted() -> Iterator[Shouted]:
    """Make every one of our plain headlines shout, in a way its hash chooses."""
    articles = [(a.title, a.excerpt) for a in whole_day(90)]
    articles += [
        (title, "")
        for name in ("headlines", "unseen")
        for labels, title in headlines(name, "en")
        if not labels
    ]
    for title, text in articles:
        for turn in range(2):
            chosen = sha256(f"{turn} {title}".encode()).digest()
            yield Shouted(title, _loud(title, chosen), f"{text} {title}. {text}")


def _loud(title: str, chosen: bytes) -> str:
    way, first, second = chosen[0] % 4, chosen[1], chosen[2]
    if way == 0:
        return title.upper() + _ENDS[first % len(_ENDS)].strip(" 🔥😱")
    if way == 1:
        return _LABELS[first % len(_LABELS)] + title + _ENDS[second % len(_ENDS)]
    words = [match for match in _WORD.finditer(title) if match[0].islower()]
    if not words:
        return title + "!!!"
    match = words[first % len(words)]
    loud = f"{title[: match.start()]}{match[0].upper()}{title[match.end() :]}"
    return loud + (_ENDS[second % len(_ENDS)] if way == 2 else "")
