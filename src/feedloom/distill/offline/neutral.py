"""A title or description in; the same with its noise taken out, and what was done.

Only what can be left out, or said in a plain word, without harm to the sense is
touched; in doubt the original stays. Knows English and German.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from feedloom.distill.offline.lexicon import tokens_of
from feedloom.distill.offline.patterns import EMOJI, loud_words
from feedloom.distill.offline.words import data_lines, sentences

_FEWEST_WORDS = 3
_SMALLEST_SHARE = 0.4
_LONG_WORD = 6
_LONGEST_TITLE = 500
_LONGEST_DESCRIPTION = 3_000
_NOT_BEFORE_EN = "".join(
    rf"(?<!\b{word} )"
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
    r"|after\b|before\b|when\b|while\b|is\b|are\b|was\b|were\b|has\b|have\b|that\b|over\b)"
)
_REQUESTS = re.compile(
    r"^(?:read more|click here|subscribe|sign up|watch the video|follow us|mehr dazu"
    r"|hier klicken|jetzt lesen|weiterlesen|jetzt abonnieren|folgen sie uns)\b",
    re.IGNORECASE,
)
_AN = re.compile(
    r"(?:[aeio]|u(?!n[ai]|s[ae]|r[aio]|ro)|hour|honest|heir)", re.IGNORECASE
)


_QUOTED = re.compile(
    r"(\"[^\"]*\"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|»[^«]*«|\u2018[^\u2019]*\u2019)"
)


@dataclass(frozen=True, slots=True)
class Neutral:
    """A text after the rules, and what they did to it."""

    text: str
    changes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Rules:
    opening: re.Pattern[str]
    closing: re.Pattern[str]
    intensifier: re.Pattern[str]
    prefix: re.Pattern[str]
    verbs: dict[str, str]
    physical: frozenset[str]


def neutral_title(title: str, language: str | None) -> Neutral:
    """Return the title without its noise; the original when that is not safe."""
    if len(title) > _LONGEST_TITLE:
        return Neutral(title, ())
    text, changes = _applied(title, language, _title_steps)
    enough = len(text.split()) >= min(_FEWEST_WORDS, len(title.split()))
    if not enough or len(text) < _SMALLEST_SHARE * len(title):
        return Neutral(title, ())
    return Neutral(text, changes)


def neutral_description(description: str, language: str | None) -> Neutral:
    """Return the description without shouting, requests and empty adjectives."""
    if len(description) > _LONGEST_DESCRIPTION:
        return Neutral(description, ())
    kept = [s for s in sentences(description) if not _REQUESTS.match(s)]
    said = " ".join(kept)
    dropped = (
        ("dropped requests to click",)
        if len(said) < len(" ".join(description.split()))
        else ()
    )
    text, changes = _applied(said or description, language, _description_steps)
    if not changes and not dropped:
        return Neutral(description, ())
    return Neutral(text, (*dropped, *changes))


_Step = tuple[str, Callable[[str], str]]


def _applied(
    text: str, language: str | None, steps: Callable[[str | None], Iterator[_Step]]
) -> tuple[str, tuple[str, ...]]:
    changes = []
    for name, step in steps(language):
        after = _tidy(step(text))
        if after and after != _tidy(text):
            changes.append(name)
            text = after
    return text, tuple(changes)


def _title_steps(language: str | None) -> Iterator[_Step]:
    yield "removed emoji", lambda text: EMOJI.sub(" ", text)
    if language in {"en", "de"}:
        rules = _rules(language)
        yield "dropped the shout in front", lambda text: rules.opening.sub("", text)
        yield "dropped the bait at the end", lambda text: rules.closing.sub("", text)
    yield "quietened capitals", lambda text: _quiet(text, language)
    yield from _description_steps(language)
    if language in {"en", "de"}:
        yield "used a plain verb", lambda text: _plain_verbs(text, _rules(language))


def _description_steps(language: str | None) -> Iterator[_Step]:
    yield "removed exclamation marks", _without_exclamation
    if language in {"en", "de"}:
        yield (
            "dropped loud adjectives",
            lambda text: _without_noise(text, _rules(language)),
        )


def _without_exclamation(text: str) -> str:
    text = re.sub(r"\?!+|!+\?", "?", text)
    text = re.sub(r"\s*!+(?=\s*$|[\"”“\u2019»)])", "", text)
    return re.sub(r"\s*!+", ".", text)


def _quiet(text: str, language: str | None) -> str:
    loud = set(loud_words(text))
    if not loud or not any(word.islower() for word in text.split()):
        # A title all in capitals does not tell its names from its words.
        return text
    for word in sorted(loud):
        if len(word) >= _LONG_WORD or _is_common(word, language):
            soft = _soft(word, language)
            text = re.sub(rf"(?<![\w-]){re.escape(word)}(?![\w-])", soft, text)
    return text


def _soft(word: str, language: str | None) -> str:
    if language != "de":
        return word.lower()
    # German writes nouns with a capital; only adjectives we know are surely none.
    adjective = _rules("de").intensifier.match(f"{word.lower()} Wort")
    return word.lower() if adjective else word.capitalize()


def _is_common(word: str, language: str | None) -> bool:
    if language not in {"en", "de"}:
        return False
    return word.lower() in _listed(language)


@cache
def _listed(language: str) -> frozenset[str]:
    names = (f"stopwords.{language}.txt", f"lexicon.{language}.txt")
    return frozenset(tokens_of(" ".join(" ".join(data_lines(name)) for name in names)))


def _unquoted(text: str, step: Callable[[str], str]) -> str:
    """Apply a step outside quotation marks: what somebody said is not ours to edit."""
    parts = _QUOTED.split(text)
    return "".join(p if n % 2 else step(p) for n, p in enumerate(parts))


def _without_noise(text: str, rules: _Rules) -> str:
    return _unquoted(
        text, lambda part: rules.intensifier.sub(_article, rules.prefix.sub("", part))
    )


def _article(match: re.Match[str]) -> str:
    article = match["article"] or ""
    if article.strip().lower() not in {"a", "an"}:
        return article
    follows = match.string[match.end() :]
    right = "an" if _AN.match(follows) else "a"
    return f"{right.capitalize() if article[0].isupper() else right} "


def _plain_verbs(text: str, rules: _Rules) -> str:
    if rules.physical & set(tokens_of(text)):
        return text
    return _unquoted(text, lambda part: _with_verbs(part, rules))


def _with_verbs(text: str, rules: _Rules) -> str:
    for loud, plain in rules.verbs.items():
        text = re.sub(
            rf"(?<=\w )\b{loud}\b(?! (?:into|off|through|past|against|shut|at|open)\b)",
            plain,
            text,
            flags=re.IGNORECASE,
        )
    return text


def _tidy(text: str) -> str:
    text = " ".join(text.split())
    text = re.sub(r"\s+([.,;:?])", r"\1", text).strip(" ,;:\u2013—|+-")
    return text[:1].upper() + text[1:]


@cache
def _rules(language: str) -> _Rules:
    sections = _sections(f"neutral.{language}.txt")
    openings = "|".join(_longest_first(sections["opening"]))
    closings = "|".join(_longest_first(sections["closing"]))
    verbs = [line.partition(" = ") for line in sections["verb"]]
    prefixes = "|".join(_longest_first(sections.get("prefix", []))) or "(?!)"
    return _Rules(
        opening=re.compile(
            rf"^[+\s]*(?:{openings})\s*(?:[!:|]+|\s[\u2013—-]\s|\+\+\+)\s*",
            re.IGNORECASE,
        ),
        closing=re.compile(
            rf"\s*(?:[,:;.!?…\u2013—|-]|\.\.\.)\s*(?:{closings})[.!?…]*\s*$",
            re.IGNORECASE,
        ),
        intensifier=_intensifier(language, sections),
        prefix=re.compile(rf"\b(?:{prefixes})-(?=[A-ZÄÖÜ])"),
        verbs={loud: plain for loud, _, plain in verbs},
        physical=frozenset(sections.get("physical", [])),
    )


def _intensifier(language: str, sections: dict[str, list[str]]) -> re.Pattern[str]:
    adverbs = "|".join(_longest_first(sections["adverb"]))
    words = "|".join(_longest_first(sections["intensifier"]))
    if language == "de":
        return re.compile(
            rf"(?P<article>)(?<![\w-])(?:(?:{adverbs})e?[rnsm]? )?"
            rf"(?:(?i:{words})e[rnsm]?) (?=[A-ZÄÖÜ][a-zäöüß])"
        )
    return re.compile(
        rf"(?P<article>\b(?:an?|the) )?{_NOT_BEFORE_EN}(?<![\w-])"
        rf"(?:(?:{adverbs}) )?(?:{words}) (?=[a-z]){_NOT_AFTER_EN}",
        re.IGNORECASE,
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
