"""A title or description in; the same with its noise taken out, and what was done.

Only what can be left out, or said in a plain word, without harm to the sense is
touched; in doubt the original stays. Quotations, names, signs, questions and what is
denied are never changed. Knows English and German.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from feedloom.distill.offline.lexicon import tokens_of
from feedloom.distill.offline.noise import NoiseRules, noise_rules
from feedloom.distill.offline.patterns import EMOJI, loud_words
from feedloom.distill.offline.quotations import PLACE, put_away, put_back
from feedloom.distill.offline.words import data_lines, sentences, stop_words

_FEWEST_WORDS = 3
_SMALLEST_SHARE = 0.4
_LONG_WORD = 6
_LONGEST_TITLE = 500
_LONGEST_DESCRIPTION = 3_000
_LEFT_ALONE = ",;:|+\u2013—-"
# "No massive layoffs" may be layoffs all the same.
_DENIED = re.compile(
    r"\b(?:no|not|never|none|nor|neither|cannot|without|hardly|barely|scarcely|nothing"
    r"|nobody|few|less|den(?:y|ies|ied|ying)|rul(?:e|es|ed|ing) out|avoid\w*|avert\w*"
    r"|(?!won['\u2019]t believe)\w+n['\u2019]t|kein\w*|nicht\w*|nie|niemals"
    r"|niemand\w*|ohne|weder|kaum|dementier\w*|bestreite\w*|bestritt\w*"
    r"|ausgeschlossen|verhinder\w*)\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?…])(\s+)")
_NAMED = ("Yahoo", "Jeopardy", "Panic", "Wham", "Mamma Mia", "Moulin Rouge", "Ja")
_REQUESTS = re.compile(
    r"^(?:read more|click here|subscribe|sign up|watch the video|follow us|mehr dazu"
    r"|hier klicken|jetzt lesen|weiterlesen|jetzt abonnieren|folgen sie uns)\b",
    re.IGNORECASE,
)
_AN = re.compile(
    r"(?:[aeio]|u(?!n[ai]|s[ae]|r[aio]|ro)|hour|honest|heir)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Neutral:
    text: str
    changes: tuple[str, ...]


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
    return Neutral(*_applied(description, language, _description_steps))


_Step = tuple[str, Callable[[str], str]]


def _applied(
    original: str,
    language: str | None,
    steps: Callable[[str, str | None], Iterator[_Step]],
) -> tuple[str, tuple[str, ...]]:
    text, quotes = put_away(original)
    changes = []
    for name, step in steps(original, language):
        after = _tidy(step(text))
        if after and after != _tidy(text):
            changes.append(name)
            text = after
    if not changes:
        return original, ()
    return put_back(_begun(text, original), quotes), tuple(changes)


def _title_steps(title: str, language: str | None) -> Iterator[_Step]:
    yield "removed emoji", lambda text: EMOJI.sub(" ", text)
    if language in {"en", "de"}:
        rules = noise_rules(language)
        yield "dropped the shout in front", lambda text: rules.opening.sub("", text)
        yield "dropped the bait at the end", lambda text: _without_bait(text, rules)
    yield "quietened capitals", lambda text: _quiet(text, language)
    yield from _plain_steps(language)
    if language in {"en", "de"} and not _is_physical(title, noise_rules(language)):
        yield "used a plain verb", lambda text: _with_verbs(text, noise_rules(language))


def _description_steps(_: str, language: str | None) -> Iterator[_Step]:
    yield "dropped requests to click", _without_requests
    yield from _plain_steps(language)


def _plain_steps(language: str | None) -> Iterator[_Step]:
    yield "removed exclamation marks", _without_exclamation
    if language in {"en", "de"}:
        yield (
            "dropped loud adjectives",
            lambda text: _without_noise(text, noise_rules(language)),
        )


def _without_requests(text: str) -> str:
    return " ".join(s for s in sentences(text) if not _REQUESTS.match(s))


def _without_bait(text: str, rules: NoiseRules) -> str:
    # "Pope dead? What we know" asks; without its mark it would say so.
    return rules.closing.sub(lambda m: "?" if "?" in m["mark"] else "", text)


def _without_exclamation(text: str) -> str:
    text = re.sub(r"\?!+|!+\?", "?", text)
    text = re.sub(r"\s*!+(?=\s*$|\))", lambda m: m[0] if _is_named(m) else "", text)
    return re.sub(rf"\s*!+(?=\s+(?:[A-ZÄÖÜ]|{PLACE.pattern}))", _full_stop, text)


def _full_stop(match: re.Match[str]) -> str:
    sentence = re.split(r"[.!?…:]\s", match.string[: match.start()])[-1]
    # One word with one mark may be a name that nobody listed: Oh! Wonder.
    is_doubtful = len(sentence.split()) == 1 and match[0] == "!"
    return match[0] if is_doubtful or _is_named(match) else "."


def _is_named(match: re.Match[str]) -> bool:
    return match[0] == "!" and match.string.endswith(_NAMED, 0, match.start())


def _quiet(text: str, language: str | None) -> str:
    loud = set(loud_words(text))
    if not loud or not any(word.islower() for word in text.split()):
        # A title all in capitals does not tell its names from its words.
        return text
    for word in sorted(loud):
        if len(word) >= _LONG_WORD or _is_common(word, language):
            text = re.sub(
                rf"(?<![\w-]){re.escape(word)}(?![\w-])",
                lambda match: _soft(match, language),
                text,
            )
    return text


def _soft(match: re.Match[str], language: str | None) -> str:
    word = match[0]
    is_small = _is_small(word, language) and not _starts_sentence(match)
    return word.lower() if is_small else word.capitalize()


def _is_small(word: str, language: str | None) -> bool:
    """Tell whether a word is surely written small; one nobody listed may be a name."""
    if language != "de":
        return _is_common(word, language)
    # German writes nouns with a capital; only adjectives we know are surely none.
    adjective = noise_rules("de").intensifier.match(f"{word.lower()} Wort")
    return adjective is not None or word.lower() in stop_words("de")


def _starts_sentence(match: re.Match[str]) -> bool:
    before = match.string[: match.start()].rstrip()
    return not before or before[-1] in ".!?:…|+\u2013—-("


def _is_common(word: str, language: str | None) -> bool:
    if language not in {"en", "de"}:
        return False
    return word.lower() in _listed(language)


@cache
def _listed(language: str) -> frozenset[str]:
    names = (f"stopwords.{language}.txt", f"lexicon.{language}.txt")
    return frozenset(tokens_of(" ".join(" ".join(data_lines(name)) for name in names)))


def _without_noise(text: str, rules: NoiseRules) -> str:
    parts = _SENTENCE_END.split(text)
    return "".join(
        part
        if n % 2 or _is_denied(*parts[n : n + 3])
        else _begun(_plain(part, rules), part)
        for n, part in enumerate(parts)
    )


def _is_denied(sentence: str, *follows: str) -> bool:
    # A question and its answer are one: "Massive layoffs? No, says the chief".
    answer = "".join(follows) if sentence.endswith("?") else ""
    return _DENIED.search(sentence + answer) is not None


def _plain(sentence: str, rules: NoiseRules) -> str:
    return rules.intensifier.sub(_article, rules.prefix.sub("", sentence))


def _article(match: re.Match[str]) -> str:
    article = match["article"] or ""
    loud = match["loud"]
    is_capitalised = loud[0].isupper() and not loud.isupper()
    if is_capitalised and (article or not _starts_sentence(match)):
        # A capital where none is due makes a name: the Staggering Girl.
        return match[0]
    if article.strip().lower() not in {"a", "an"}:
        return article
    follows = match.string[match.end() :]
    right = "an" if _AN.match(follows) else "a"
    return f"{right.capitalize() if article[0].isupper() else right} "


def _is_physical(title: str, rules: NoiseRules) -> bool:
    """Tell whether something in a title, quoted or not, may really blast or slam."""
    return not rules.physical.isdisjoint(tokens_of(title))


def _with_verbs(text: str, rules: NoiseRules) -> str:
    for loud, plain in rules.verbs.items():
        text = re.sub(
            rf"(?<=\w )\b{loud}\b(?! (?:into|off|through|past|against|shut|at|open)\b)",
            plain,
            text,
        )
    return text


def _tidy(text: str) -> str:
    """Return a text without the marks that a step has left alone.

    Those that touch a word belong to it: -40 °C, Disney+.
    """
    text = re.sub(r"\s+([.,;:?])(?=\s|$)", r"\1", text)
    words = text.split()
    while words and not words[0].strip(_LEFT_ALONE):
        del words[0]
    while words and not words[-1].strip(_LEFT_ALONE):
        del words[-1]
    return " ".join(words).rstrip(",;:")


def _begun(text: str, original: str) -> str:
    """Return a text with a capital, where the original did not begin small.

    Names keep their capitals where they have them: iPhone.
    """
    if original[:1].islower() or not text.partition(" ")[0].islower():
        return text
    return text[:1].upper() + text[1:]
