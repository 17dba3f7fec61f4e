"""The lists of noise in; patterns that find it in titles and descriptions out.

Capitals count in what surrounds a listed word: names are told by them.
"""

import re
from dataclasses import dataclass
from functools import cache

from feedloom.distill.offline.words import data_lines

_NOT_BEFORE_EN = "".join(
    rf"(?<!\b(?i:{word}) )"
    for word in [
        "is",
        "are",
        "was",
        "were",
        "be",
        "so",
        "too",
        "very",
        "most",
        "more",
        "as",
        "how",
        "and",
        "or",
        "go",
        "goes",
        "went",
    ]
)
_NOT_AFTER_EN = (
    r"(?!and\b|or\b|but\b|as\b|than\b|for\b|to\b|of\b|in\b|on\b|at\b|with\b|by\b|from\b"
    r"|after\b|before\b|when\b|while\b|is\b|are\b|was\b|were\b|has\b|have\b|that\b|over\b"
    # Terms of their own: massive stars and black holes, online courses, crazy golf.
    r"|stars?\b|black hole|online\b|open\b|golf\b)"
)


@dataclass(frozen=True, slots=True)
class NoiseRules:
    """What is noise in one language, and what plain words there are for it."""

    opening: re.Pattern[str]
    closing: re.Pattern[str]
    intensifier: re.Pattern[str]
    prefix: re.Pattern[str]
    verbs: dict[str, str]
    physical: frozenset[str]


@cache
def noise_rules(language: str) -> NoiseRules:
    sections = _sections(f"neutral.{language}.txt")
    openings = "|".join(_longest_first(sections["opening"]))
    closings = "|".join(_longest_first(sections["closing"]))
    verbs = [line.partition(" = ") for line in sections["verb"]]
    prefixes = "|".join(_longest_first(sections.get("prefix", []))) or "(?!)"
    joined = "|".join(_longest_first(sections.get("joined", []))) or "(?!)"
    return NoiseRules(
        opening=re.compile(
            rf"^[+\s]*(?:{openings})\s*(?:[!:|]+|\s[\u2013—-]\s|\+\+\+)\s*",
            re.IGNORECASE,
        ),
        closing=re.compile(
            rf"(?P<mark>\s*[,:;.!?…\u2013—|]+\s*|\s+-+\s+|\s*--+\s*)"
            rf"(?:{closings})[.!?…]*\s*$",
            re.IGNORECASE,
        ),
        intensifier=_intensifier(language, sections),
        prefix=re.compile(rf"\b(?:{prefixes})-(?=[A-ZÄÖÜ])(?!\w*(?i:{joined}))"),
        verbs={loud: plain for loud, _, plain in verbs},
        physical=frozenset(sections.get("physical", [])),
    )


def _intensifier(language: str, sections: dict[str, list[str]]) -> re.Pattern[str]:
    adverbs = "|".join(_longest_first(sections["adverb"]))
    words = "|".join(_longest_first(sections["intensifier"]))
    if language == "de":
        return re.compile(
            rf"(?P<article>)(?<![\w-])(?P<loud>(?:(?i:{adverbs})e?[rnsm]? )?"
            rf"(?i:{words})e[rnsm]?) (?=[A-ZÄÖÜ][a-zäöüß])"
        )
    return re.compile(
        rf"(?P<article>\b(?i:an?|the) )?{_NOT_BEFORE_EN}(?<![\w-])"
        rf"(?P<loud>(?:(?i:{adverbs}) )?(?i:{words})) (?=[a-z]){_NOT_AFTER_EN}"
    )


def _longest_first(items: list[str]) -> list[str]:
    return [re.escape(item) for item in sorted(items, key=len, reverse=True)]


def _sections(name: str) -> dict[str, list[str]]:
    sections: dict[str, list[str]] = {}
    current: list[str] = []
    for line in data_lines(name):
        if line.startswith("["):
            current = sections.setdefault(line.strip("[]"), [])
        elif " = " in line:
            current.append(line)
        else:
            current += [item.strip() for item in line.split(",")]
    return sections
