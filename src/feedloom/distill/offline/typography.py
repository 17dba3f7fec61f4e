"""A title in; the same words without shouting out.

Only typography changes: capitals of whole words, repeated marks, emoji around the title
and labels such as ``WATCH:``. No word is replaced, none that says something is left out,
quotations stay as they are, and in doubt so does the title.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from feedloom.distill.offline.spellings import WORD, Spellings, key_of, learned_spellings
from feedloom.distill.offline.words import data_lines, stop_words

_PLACES = "\U000f0000"
PLACE = re.compile("[\U000f0000-\U000ffffd]")
_QUOTED = re.compile(
    r"\"[^\"]*\"|“[^”“]*[”“]|„[^“”\"]*[“”\"]|”[^”]*”|«[^»]*»|»[^«]*«"
    r"|\u2039[^\u203a]*\u203a|\u203a[^\u2039]*\u2039|「[^」]*」|『[^』]*』"
    # These marks are apostrophes too; one inside a word neither opens nor closes.
    r"|[\u2018\u201a].*[\u2018\u2019](?!\w)"
    r"|(?<![\w'\u2019])['\u2019](?=\S).*(?<=\S)['\u2019](?!\w)"
    # What is never closed is quoted to the end.
    r"|[\"“„”«»].*",
    re.DOTALL,
)


def put_away(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the text with one character for each quotation, and the quotations.

    A text that uses these characters itself is put away as a whole.
    """
    if PLACE.search(text):
        return _PLACES, (text,)
    quotes: list[str] = []

    def place(match: re.Match[str]) -> str:
        quotes.append(match[0])
        return chr(ord(_PLACES) + len(quotes) - 1)

    return _QUOTED.sub(place, text), tuple(quotes)


def put_back(text: str, quotes: tuple[str, ...]) -> str:
    return PLACE.sub(lambda match: quotes[ord(match[0]) - ord(_PLACES)], text)


_LONGEST_TITLE = 500
_EMOJI = (
    "[\U0001f300-\U0001f3c4\U0001f3c6-\U0001f946\U0001f94a-\U0001faff"
    "\u26a0\u26a1\u2757\u2755\u2728\u2764][\ufe0f\u200d\U0001f3fb-\U0001f3ff\u2640\u2642]*"
)
EMOJI = re.compile(_EMOJI)
_LEADING = re.compile(rf"\A\s*(?:{_EMOJI}\s*)+(?=[^\W_]|[\"“„«'\u2018¿¡#+{PLACE.pattern[1:-1]}])")
_TRAILING = re.compile(rf"(?P<before>\S)\s*(?:\s?{_EMOJI})+\s*\Z")
# Chess judges moves by such marks: "23.Qxf7!!".
_REPEATED = re.compile(
    r"(?<=\S)(?<![a-h][1-8])(?:[!\uff01\u203c?\uff1f\u061f\u2047-\u2049]\ufe0f?){2,}"
    r"|(?<=\S)[\u203c\u2047-\u2049]\ufe0f?|[¡¿]{2,}|[\u055c\u055e]{2,}"
)
_ONCE = str.maketrans("\u203c\u2047\u2048\u2049", "!???")
_QUESTIONS = "?\uff1f\u061f¿\u055e"
_UPPER = "A-Z\u00c0-\u1fff\u2070-\U0010ffff"
# Nearly all titles are quiet. This finds all that are not, and some more: two letters that
# may be capitals, one sign that may be an emoji, two marks in a row.
_MAY_SHOUT = re.compile(
    rf"[{_UPPER}]['\u2019]?[{_UPPER}]|[\u2600-\u27bf\U0001f300-\U0001faff]"
    r"|[!?\uff01\uff1f\u061f\u055c\u055e]{2}|[\u203c\u2047-\u2049]|\+\+\+"
)
_SHORT = 3
_LONG = 6
_LEAST_LETTERS = 12
_LEAST_WORDS = 3
_MOST_UNKNOWN = 1 / 3
_LONGEST_ACRONYM = 6
_SMALL_IN_TITLES = frozenset(
    ["a", "an", "the", "of", "and", "or", "in", "on", "at", "to", "for", "by", "with", "as", "but"]
)
_ROMAN = re.compile(r"[IVXLC]+\Z")
_SURNAMES = frozenset(["XI", "LI", "LIV", "VI", "CIC"])
_ORDINALS = frozenset(["ST", "ND", "RD", "TH"])
_CODE = re.compile(r"[\d_@#&/+`=<>$\\]|\w\.\w|--|(?<!\w):\w")
_JOINED_BEFORE = re.compile(r"(?:[\d_@#&/+]|\w\.)\Z")
_JOINED_AFTER = re.compile(r"[\d_@#&/+]|\.\w")
_ABBREVIATED = re.compile(r"\b(?:\w\.){2,}\Z")
_NAMED = re.compile(
    r" (?:Act|Inc|Ltd|Co|Corp|Group|Games|Hotels|plc|AG|GmbH|SE|Tour|Festival|Awards?|trials?"
    r"|study|studies|app|album|single|EP|LP|type|keyword|macro|gates?)\b"
)
"""What shows that the word before is a name, or a word of a programming language."""
_ARTICLE = re.compile(r"(?:\b(?:a|an|the)|['\u2019]s)\s\Z", re.IGNORECASE)
_ADVERBS = re.compile(
    r"(?:not|never|always|finally|forever|just|still|again|even|only|must|cannot|every\w*|nobody"
    r"|nothing)\Z",
    re.IGNORECASE,
)
_TURKISH = str.maketrans("i\u0131", "\u0130I")
_STATE = re.compile(r", (?:OR|IN|ME|HI|OK)\b")
"""An American state that is a word, too: "IN SALEM, OR"."""
_BEGINNING = re.compile(r"\A(?:[odl]['\u2019]|mc)?\w")
"""Of a name, with what is put before some: O'Brien, McBride."""
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
    if not louder[0].isupper() or not first[0].islower() or _is_ordinal(louder):
        return text
    at = first.start()
    return f"{text[:at]}{text[at].upper()}{text[at + 1 :]}"


@cache
def _label() -> re.Pattern[str]:
    labels = "|".join(re.escape(label) for label in data_lines("labels.txt"))
    return re.compile(
        rf"\A\s*(?:\+\+\+\s*(?i:{labels})\s*(?:\+\+\+|:)\s*|[\[(](?:{labels})[\])]:?\s+"
        rf"|(?:{labels})\s*(?:!+(?=\s*[^\sa-z!:])|!*:|\||\s[\u2013\u2014-]+(?=\s))\s*)(?=\S+\s+\S)"
    )


def without_label(text: str) -> str:
    """Return a title without ``WATCH:`` and the like in front."""
    while (after := _label().sub("", text, 1)) != text:
        first = WORD.match(after)
        # "LOOK: where it went". Who writes "iPhone" or a name in small letters has reasons.
        ordinary = stop_words("en") | learned_spellings().ordinary
        is_plain = first is not None and first[0] in ordinary
        text = after[0].upper() + after[1:] if is_plain else after
    return text[:-4].rstrip() if text.endswith(" +++") and text.count("+++") == 1 else text


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
    marks = match[0].translate(_ONCE)
    return next((mark for mark in marks if mark in _QUESTIONS), marks[0])


_STEPS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("removed emoji", _without_emoji),
    ("dropped the label in front", without_label),
    ("removed emoji", _without_emoji),
    ("reduced repeated marks", lambda text: _REPEATED.sub(_once, text)),
)


def _recased(text: str, language: str | None, texts: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return the text with its shouted words quiet, and these words."""
    words = list(WORD.finditer(text))
    loud = [match for match in words if _is_capitals(match)]
    if not loud:
        return text, ()
    case = _Case(language, texts)
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
    return word.lower() != word and not _CODE.search(around)


class _Case:
    """Decides how a shouted word is written quietly; None where it is kept."""

    def __init__(self, language: str | None, texts: Sequence[str]) -> None:
        self.language = language
        self._spellings = Spellings(texts)
        self._has_dotless = any("\u0131" in text for text in texts)

    def told(self, word: str) -> str | None:
        """Return what the article's texts say; capitals there are no shouting."""
        form = self._spellings.written(word)
        if form is None and word.endswith(("'S", "\u2019S")):
            base = self.told(word[:-2])
            return base and f"{base}{word[-2]}s"
        if form is None or form.casefold() != word.casefold().replace("\u2019", "'"):
            return None
        if self._has_dotless and form.translate(_TURKISH).upper() != word:
            # "SINIR" is a border, "sinir" a nerve.
            return None
        return form

    def count(self, word: str) -> int:
        return self._spellings.count(word)

    def is_emphatic(self, word: str) -> bool:
        return self.language in {"en", "de"} and word.lower() in _emphatic()

    def is_small(self, word: str) -> bool:
        key = word.lower()
        return key not in _ambiguous() and key in stop_words(self.language or "en")

    def is_acronym(self, word: str) -> bool:
        return self.told(word) == word or key_of(word) in learned_spellings().acronyms

    def learned(self, word: str) -> str | None:
        """Return how English writes a word, as far as that is known."""
        key = key_of(word)
        if self.language == "de" and key in stop_words("de"):
            return key
        base = key.removesuffix("'s")
        is_doubtful = base in _ambiguous() and (base == key or key not in stop_words("en"))
        if self.language != "en" or is_doubtful:
            return None
        known = learned_spellings()
        if base in known.mixed:
            return known.mixed[base] + key[len(base) :]
        if key in stop_words("en") or base in known.ordinary or self.is_emphatic(word):
            return key
        if base in known.acronyms:
            return word if key == base else f"{base.upper()}'s"
        # The letters of "LA" are a place's as well as an article's.
        is_name = base in known.names and len(base) > 2  # noqa: PLR2004
        return _capitalised(base) + key[len(base) :] if is_name else None


@cache
def _ambiguous() -> frozenset[str]:
    return frozenset(" ".join(data_lines("ambiguous.txt")).split())


@cache
def _emphatic() -> frozenset[str]:
    return frozenset(" ".join(data_lines("emphatic.txt")).split())


def _quietened(text: str, loud: list[re.Match[str]], case: _Case) -> tuple[str, tuple[str, ...]]:
    """Quieten single words, and words in a row, where it is sure that they shout."""
    quiet: dict[int, str] = {}
    for run in _runs(loud):
        forms = [_quiet_form(match, run, case) for match in run]
        if any(form is None for form in forms) or all(map(str.isupper, filter(None, forms))):
            # Half of "JUST STOP OIL" is no name any more.
            continue
        quiet |= {match.start(): form for match, form in zip(run, forms, strict=True) if form}
    left = [match[0] for match in loud if match.start() not in quiet]
    if case.language and any(map(case.is_small, left)):
        # "AND, OR and NOT gates": here capitals have another reason.
        return text, ()
    in_title_case = case.language == "en" and _has_title_case(text, loud)
    return _with(text, loud, quiet, in_title_case=in_title_case)


def _runs(loud: Sequence[re.Match[str]]) -> Iterator[list[re.Match[str]]]:
    """Yield the words in capitals, together where nothing else stands between them."""
    run: list[re.Match[str]] = []
    for match in loud:
        if run and match.string[run[-1].end() : match.start()] not in {" ", "-"}:
            yield run
            run = []
        run.append(match)
    yield run


def _quiet_form(match: re.Match[str], run: Sequence[re.Match[str]], case: _Case) -> str | None:
    word = match[0]
    told = case.told(word)
    is_run = len(run) > 1
    if _NAMED.match(match.string, match.end()):
        return None
    if told is None:
        if case.is_emphatic(word):
            # "The EVERY company": what follows an article is a name.
            is_name = _ADVERBS.match(word) and _ARTICLE.search(match.string[: match.start()])
            return None if is_name else word.lower()
        if is_run and case.is_acronym(word):
            return word
        # "DO NOT": what touches an emphatic word is as loud.
        is_beside = is_run and case.is_small(word) and any(case.is_emphatic(m[0]) for m in run)
        return word.lower() if is_beside else None
    if not told.islower():
        return told if is_run else None
    may_be_short = is_run or case.count(word) > 1
    is_sure = case.is_emphatic(word) or len(word) >= _LONG
    is_plain = len(word) > _SHORT and key_of(word) not in _ambiguous()
    is_part = is_run and case.is_small(word)
    return told if is_sure or (may_be_short and is_plain) or is_part else None


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
    loud = [m for m in words if len(m[0]) > 1 or is_english or _is_told_small(m, case)]
    for match in loud:
        word = match[0]
        if _is_ordinal(match):
            quiet[match.start()] = word.lower()
            continue
        if _JOINED_BEFORE.search(text[: match.start()]) or _JOINED_AFTER.match(text, match.end()):
            continue
        told = case.told(word)
        is_guessed |= told is None and not case.is_small(word)
        form = told or case.learned(word)
        if form is None and _ROMAN.match(word) and match.start() and word not in _SURNAMES:
            form = word
        if form is None:
            if not is_english or not _may_be_guessed(word):
                return text, ("capitals",)
            unknown += key_of(word) not in _ambiguous()
            form = _capitalised(word)
        if len(word) > 1 or not is_english or (word == "A" and _follows_word(match)):
            quiet[match.start()] = form
    if unknown > _MOST_UNKNOWN * len(loud):
        return text, ("capitals",)
    return _with(text, loud, quiet, in_title_case=is_english and is_guessed)


def _may_be_guessed(word: str) -> bool:
    """Tell whether only a first capital is missing in a word that nobody told."""
    key = key_of(word)
    if key in _ambiguous():
        return key not in data_lines("ambiguous.txt")[0].split()
    base = key.removesuffix("'s")
    known = learned_spellings()
    # "JETBLUE" and "BLACKROCK" have a capital inside.
    is_joined = any(
        all(part in known.ordinary or part in known.names for part in (base[:at], base[at:]))
        for at in range(_SHORT, len(base) - _SHORT + 1)
    )
    return len(base) > _LONGEST_ACRONYM and not is_joined and not base.startswith("mac")


def _is_told_small(match: re.Match[str], case: _Case) -> bool:
    """Tell whether a single letter is a word, such as "y" or "e"."""
    told = case.told(match[0])
    return told is not None and told.islower() and _follows_word(match)


def _capitalised(word: str) -> str:
    return _BEGINNING.sub(lambda match: match[0][:-1].title() + match[0][-1].upper(), word.lower())


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
        if form == match[0] or form.casefold() != match[0].casefold():
            form = match[0]
        elif (
            (form.islower() or form[1:2] in {"'", "\u2019"})
            and not _is_ordinal(match)
            and (_starts_sentence(match) or (in_title_case and not _is_small_in_title(match)))
        ):
            form = form[0].upper() + form[1:]
        parts += [text[at : match.start()], form]
        at = match.end()
    shouted = tuple(m[0] for m in loud if quiet.get(m.start(), m[0]) != m[0])
    return "".join((*parts, text[at:])), shouted


def _is_ordinal(match: re.Match[str]) -> bool:
    return match[0] in _ORDINALS and match.string[: match.start()][-1:].isdigit()


def _is_small_in_title(match: re.Match[str]) -> bool:
    is_joined = match.string.startswith("-", match.end())
    return match[0].lower() in _SMALL_IN_TITLES and not is_joined


def _has_title_case(text: str, loud: list[re.Match[str]]) -> bool:
    taken = {match.start() for match in loud}
    rest = [m[0] for m in WORD.finditer(text) if m.start() and m.start() not in taken]
    long = [word for word in rest if len(word) > _SHORT]
    return len(long) > 1 and all(word[0].isupper() for word in long)


def _starts_sentence(match: re.Match[str]) -> bool:
    before = match.string[: match.start()].rstrip(" \"“„«'\u2018(¿¡")
    return not before or (before[-1] in ".!?:…|+\u2013\u2014" and not _ABBREVIATED.search(before))
