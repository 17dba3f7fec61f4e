"""A title in; the same words without shouting out.

Only typography changes: capitals of whole words, repeated marks, emoji around the title
and labels such as ``WATCH:``. No word is replaced, none that says something is left out,
quotations stay as they are, and in doubt so does the title.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from feedloom.distill.offline.quotations import PLACE, put_away, put_back
from feedloom.distill.offline.spellings import WORD, Spellings, key_of, learned_spellings
from feedloom.distill.offline.words import data_lines, stop_words

_LONGEST_TITLE = 500
_EMOJI = (
    "[\U0001f300-\U0001f3c4\U0001f3c6-\U0001f946\U0001f94a-\U0001faff"
    "\u26a0\u26a1\u2757\u2755\u2728\u2764][\ufe0f\u200d\U0001f3fb-\U0001f3ff\u2640\u2642]*"
)
EMOJI = re.compile(_EMOJI)
_LEADING = re.compile(rf"\A(?:{_EMOJI}\s*)+(?=[^\W_]|[\"“„«'\u2018¿¡#+{PLACE.pattern[1:-1]}])")
_TRAILING = re.compile(rf"(?P<before>\S)\s*(?:\s?{_EMOJI})+\s*\Z")
_REPEATED = re.compile(r"(?<=\S)[!?\uff01\uff1f]{2,}|[¡¿]{2,}")
_UPPER = "A-Z\u00c0-\u1fff\u2070-\U0010ffff"
# Nearly all titles are quiet. This finds all that are not, and some more: two letters that
# may be capitals, one sign that may be an emoji, two marks in a row.
_MAY_SHOUT = re.compile(
    rf"[{_UPPER}]['\u2019]?[{_UPPER}]|[\u2600-\u27bf\U0001f300-\U0001faff]"
    r"|[!?\uff01\uff1f]{2}|\+\+\+"
)
_SHORT = 3
_LONG = 6
_LEAST_LETTERS = 12
_LEAST_WORDS = 3
_MOST_UNKNOWN = 1 / 3
_LONGEST_ACRONYM = 6
# Words that capitals turn into something else. Only the article can tell.
_AMBIGUOUS = frozenset(
    [
        "us",
        "it",
        "who",
        "am",
        "pm",
        "may",
        "will",
        "mark",
        "bill",
        "rob",
        "frank",
        "pat",
        "grant",
        "chase",
        "nice",
        "reading",
        "bath",
        "turkey",
        "china",
        "polish",
        "march",
        "august",
        "jobs",
        "apple",
        "amazon",
        "shell",
        "gap",
        "target",
        "visa",
        "swift",
        "aids",
        "ice",
        "fed",
        "bush",
        "brown",
        "rice",
        "orange",
        "sun",
        "times",
        "guardian",
        "start",
        "act",
        "ones",
        "once",
        "seal",
        "path",
        "wind",
        "pride",
        "ideas",
        "patriot",
        "mice",
        "forum",
        "page",
        "test",
        "fast",
        "dare",
        "salt",
        "fox",
        "mad",
        "nuts",
        "met",
        "era",
        "cast",
        "can",
    ]
)
_SMALL_IN_TITLES = frozenset(
    ["a", "an", "the", "of", "and", "or", "in", "on", "at", "to", "for", "by", "with", "as", "but"]
)
# Some of them stand for something else altogether; a first capital does not help.
_OTHER_WORDS = frozenset(
    ["us", "it", "who", "am", "pm", "aids", "ice", "fed", "swift", "once", "act", "met"]
)
_ROMAN = re.compile(r"[IVXLC]+\Z")
_STATE = re.compile(r", (?:OR|IN|ME|HI|OK)\b")
"""An American state that is a word, too: "IN SALEM, OR"."""
_BEGINNING = re.compile(r"\A(?:[odl]['\u2019])?\w")
"""Of a name, with what is put before some: O'Brien."""
_UNCASED = re.compile("[\u10a0-\u10ff\u1c90-\u1cbf]")


@dataclass(frozen=True, slots=True)
class Calmed:
    text: str
    changes: tuple[str, ...]
    loud: tuple[str, ...]
    """The words whose capitals are shouting."""


def may_shout(title: str) -> bool:
    return _MAY_SHOUT.search(title) is not None


def calm_title(title: str, language: str | None, texts: Sequence[str]) -> Calmed:
    """Return a title without shouting; ``texts`` tell how its words are written."""
    if len(title) > _LONGEST_TITLE:
        return Calmed(title, (), ())
    if not may_shout(title):
        return Calmed(title, (), ())
    text, quotes = put_away(title)
    changes = []
    for name, step in _STEPS:
        after = step(text)
        if after != text and WORD.search(after):
            changes.append(name)
            text = after
    recased, loud = _recased(text, language, texts)
    if recased != text:
        changes.append("quietened capitals")
    if not changes:
        return Calmed(title, (), loud)
    return Calmed(put_back(_begun(recased, text), quotes), tuple(changes), loud)


def _begun(text: str, before: str) -> str:
    """Return a text that begins with a capital where the louder one did."""
    first = WORD.search(text)
    louder = WORD.search(before)
    if not first or not louder or first.start() != louder.start():
        return text
    if not louder[0].isupper() or not first[0].islower():
        return text
    at = first.start()
    return f"{text[:at]}{text[at].upper()}{text[at + 1 :]}"


@cache
def _label() -> re.Pattern[str]:
    labels = "|".join(re.escape(label) for label in data_lines("labels.txt"))
    return re.compile(
        rf"\A(?:\+\+\+\s*(?i:{labels})\s*(?:\+\+\+|:)\s*|[\[(](?:{labels})[\])]:?\s+"
        rf"|(?:{labels})\s*(?:!+:?|:|\||\s[\u2013\u2014-]+(?=\s))\s*)(?=\S+\s+\S)"
    )


def _without_label(text: str) -> str:
    while (after := _label().sub("", text, 1)) != text:
        text = after
    return text.removesuffix("+++").rstrip() if text.endswith(" +++") else text


def _without_emoji(text: str) -> str:
    if not EMOJI.search(text) or "emoji" in text.casefold():
        return text
    leading = _LEADING.match(text)
    if leading and not text[leading.end()].islower():
        text = text[leading.end() :]
    match = _TRAILING.search(text)
    if match is None:
        return text
    kept = text[: match.end("before")]
    words = WORD.findall(kept)
    is_single = len(EMOJI.findall(text)) == 1
    # "Word of the year is 😂": there it is the point.
    if not words or (is_single and words[-1].lower() in stop_words("en") | stop_words("de")):
        return text
    return kept


def _once(match: re.Match[str]) -> str:
    return next((mark for mark in match[0] if mark in "?\uff1f¿"), match[0][0])


_STEPS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("removed emoji", _without_emoji),
    ("dropped the label in front", _without_label),
    ("removed emoji", _without_emoji),
    ("reduced repeated marks", lambda text: _REPEATED.sub(_once, text)),
)


def _recased(text: str, language: str | None, texts: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return the text with its shouted words quiet, and these words."""
    words = list(WORD.finditer(text))
    loud = [match for match in words if _is_capitals(match)]
    if not loud:
        return text, ()
    case = _Case(language, Spellings(texts))
    letters = sum(len(match[0]) for match in loud)
    has_small = any(len(m[0]) > 1 and not m[0].isupper() for m in words)
    if has_small or len(loud) < _LEAST_WORDS or letters < _LEAST_LETTERS:
        return _quietened(text, loud, case)
    return _quietened_whole(text, words, case)


def _is_capitals(match: re.Match[str]) -> bool:
    word = match[0]
    if len(word) < 2 or not word.isupper() or _UNCASED.search(word):  # noqa: PLR2004
        return False
    around = match.string[max(0, match.start() - 2) : match.end() + 2]
    return word.lower() != word and not re.search(r"[\d_@#&/+]|\w\.\w", around)


class _Case:
    """Decides how a shouted word is written quietly; None where it is kept."""

    def __init__(self, language: str | None, spellings: Spellings) -> None:
        self.language = language
        self._spellings = spellings

    def told(self, word: str) -> str | None:
        """Return what the article's texts say; capitals there are no shouting."""
        form = self._spellings.written(word)
        if form is None or form.casefold() != word.casefold().replace("\u2019", "'"):
            return None
        return form

    def count(self, word: str) -> int:
        return self._spellings.count(word)

    def is_emphatic(self, word: str) -> bool:
        return self.language in {"en", "de"} and word.lower() in _emphatic()

    def is_small(self, word: str) -> bool:
        key = word.lower()
        return key not in _AMBIGUOUS and key in stop_words(self.language or "en")

    def learned(self, word: str) -> str | None:
        """Return how English writes a word, as far as that is known."""
        key = key_of(word)
        if self.language == "de" and key in stop_words("de"):
            return key
        if self.language != "en" or key in _AMBIGUOUS:
            return None
        known = learned_spellings()
        base = key.removesuffix("'s")
        if key in stop_words("en") or base in known.ordinary or self.is_emphatic(word):
            return key
        if base in known.acronyms:
            return word if key == base else f"{base.upper()}'s"
        # The letters of "LA" are a place's as well as an article's.
        is_name = base in known.names and len(base) > 2  # noqa: PLR2004
        return _capitalised(base) + key[len(base) :] if is_name else None


@cache
def _emphatic() -> frozenset[str]:
    return frozenset(" ".join(data_lines("emphatic.txt")).split())


def _quietened(text: str, loud: list[re.Match[str]], case: _Case) -> tuple[str, tuple[str, ...]]:
    """Quieten single words, where it is sure that they shout."""
    quiet = {}
    for n, match in enumerate(loud):
        word = match[0]
        beside = [m for m in loud[max(0, n - 1) : n + 2] if m is not match]
        is_run = any(_touch(match, other) for other in beside)
        told = case.told(word)
        if told is None:
            # "DO NOT": what touches an emphatic word is as loud.
            if case.is_emphatic(word) or (
                is_run
                and len(word) <= _SHORT
                and case.is_small(word)
                and any(case.is_emphatic(m[0]) for m in beside)
            ):
                quiet[match.start()] = word.lower()
        elif told.islower():
            may_be_short = is_run or case.count(word) > 1
            is_sure = case.is_emphatic(word) or len(word) >= _LONG
            is_plain = len(word) > _SHORT and key_of(word) not in _AMBIGUOUS
            if is_sure or (may_be_short and is_plain):
                quiet[match.start()] = told
    in_title_case = case.language == "en" and _has_title_case(text, loud)
    return _with(text, loud, quiet, in_title_case=in_title_case)


def _touch(one: re.Match[str], other: re.Match[str]) -> bool:
    first, second = sorted((one, other), key=lambda match: match.start())
    return first.string[first.end() : second.start()] in {" ", "-"}


def _quietened_whole(
    text: str, words: list[re.Match[str]], case: _Case
) -> tuple[str, tuple[str, ...]]:
    """Quieten a title all in capitals, where nearly every word is known.

    Unless the article has all its words, an English title keeps their first capitals:
    names may be among them.
    """
    if _STATE.search(text):
        return text, ("capitals",)
    quiet = {}
    unknown = 0
    is_guessed = False
    is_english = case.language == "en"
    loud = [m for m in words if len(m[0]) > 1 or is_english]
    for match in loud:
        word = match[0]
        told = case.told(word)
        is_guessed |= told is None and not case.is_small(word)
        form = told or case.learned(word)
        if form is None and _ROMAN.match(word):
            form = word
        if form is None:
            key = key_of(word)
            is_long = len(key.removesuffix("'s")) > _LONGEST_ACRONYM
            if not is_english or key in _OTHER_WORDS or not (is_long or key in _AMBIGUOUS):
                return text, ("capitals",)
            unknown += key not in _AMBIGUOUS
            form = _capitalised(word)
        if len(word) > 1 or (word == "A" and _follows_word(match)):
            quiet[match.start()] = form
    if unknown > _MOST_UNKNOWN * len(loud):
        return text, ("capitals",)
    return _with(text, loud, quiet, in_title_case=is_english and is_guessed)


def _capitalised(word: str) -> str:
    return _BEGINNING.sub(lambda match: match[0].upper(), word.lower())


def _follows_word(match: re.Match[str]) -> bool:
    return match.string[: match.start()].endswith(" ") and match.end() < len(match.string)


def _with(
    text: str, loud: list[re.Match[str]], quiet: dict[int, str], *, in_title_case: bool
) -> tuple[str, tuple[str, ...]]:
    parts = []
    at = 0
    for match in loud:
        form = quiet.get(match.start(), match[0])
        if form in {"a", "A"}:
            form = "a" if match.start() else "A"
        if form != match[0] and form.casefold() == match[0].casefold():
            if (in_title_case and form not in _SMALL_IN_TITLES) or _starts_sentence(match):
                form = form[0].upper() + form[1:]
        else:
            form = match[0]
        parts += [text[at : match.start()], form]
        at = match.end()
    shouted = tuple(m[0] for m in loud if quiet.get(m.start(), m[0]) != m[0])
    return "".join((*parts, text[at:])), shouted


def _has_title_case(text: str, loud: list[re.Match[str]]) -> bool:
    taken = {match.start() for match in loud}
    rest = [m[0] for m in WORD.finditer(text) if m.start() and m.start() not in taken]
    long = [word for word in rest if len(word) > _SHORT]
    return len(long) > 1 and all(word[0].isupper() for word in long)


def _starts_sentence(match: re.Match[str]) -> bool:
    before = match.string[: match.start()].rstrip(" \"“„«'\u2018(¿¡")
    return not before or before[-1] in ".!?:…|+\u2013\u2014"
