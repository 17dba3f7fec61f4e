"""A sentence and the articles it cites in; the words that support it out.

Compares words and nothing else. Every number, every quotation and, where both are of one
language, every amount, every name and most of the words must stand in a few passages of the
articles, and neither may deny what the other says or say the opposite. Of a passage in
another language only numbers and half of the names are compared. It finds what was made up.
It cannot find a sentence that turns the words of its source around.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations

from feedloom.distill.offline.languages import judged_language
from feedloom.distill.offline.words import fold, sentences, stem, terms, words
from feedloom.model.distilled.requests import Claim, DigestArticle, Evidence, Part

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NAME = re.compile(r"(?<![.!?:\u201c\u201e\"] )(?<!^)\b[^\W\d_a-z][^\W\d_]{2,}")
_QUOTED = re.compile(
    r"[\"\u201c\u201e\u00ab]([^\"\u201c\u201d\u201e\u00ab\u00bb]{8,})[\"\u201d\u201c\u00bb]"
)
_LATIN = re.compile(r"[a-z]{3}", re.IGNORECASE)
_DENIES = re.compile(
    r"\b(?:no|not|never|none|nobody|nothing|neither|nor|without|cannot|\w+n['\u2019]t"
    r"|den(?:y|ies|ied)|refuse[sd]?|reject(?:s|ed)?|fail(?:s|ed)?"
    r"|nicht|keine?[nmrs]?|nie|niemals|niemand|nichts|ohne|weder|ablehnt|lehnte?|dementiert)\b",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    r"(\d+(?:[.,]\d+)*|[^\W\d_]+)[\s-]?(%|per ?cent|prozent|hundreds?|hundert|thousands?|tausend"
    r"|million(?:en|s)?|mio|mn|(?:b|tr)illions?|milliarden?|bn|mrd|billionen)(?!\w)",
    re.IGNORECASE,
)
_ALIASES = {
    "%": "percent", "per cent": "percent", "prozent": "percent",
    "mn": "million", "mio": "million", "millionen": "million",
    "bn": "billion", "mrd": "milliarde", "milliarden": "milliarde",
}  # fmt: skip
_RISES = (
    "r(?:ise[sn]?|ose|ising)|increas(?:e[sd]?|ing)|gr(?:ow[sn]?|ew|owth|owing)"
    "|climb(?:s|ed|ing)?|jump(?:s|ed)?|surge[sd]?|soar(?:s|ed)?|gain(?:s|ed)?|higher"
    "|steig(?:t|en)|stiegen?|gestiegen|wächst|wuchs(?:en)?|gewachsen|höher"
)
_FALLS = (
    "f(?:all(?:s|en|ing)?|ell)|drop(?:s|ped)?|declin(?:e[sd]?|ing)|decreas(?:e[sd]?|ing)"
    "|s(?:inks?|ank|unk)|plunge[sd]?|slump(?:s|ed)?|tumble[sd]?|shr(?:inks?|ank|unk)"
    "|lower|fällt|fallen|fielen?|gefallen|sink(?:t|en)|sanken?|gesunken|niedriger"
)
_OPPOSITES = tuple(
    tuple(re.compile(rf"\b(?:{side})\b", re.IGNORECASE) for side in pair)
    for pair in (
        (_RISES, _FALLS),
        ("profits?|gewinne?", "loss(?:es)?|verluste?"),
        ("w(?:ins?|on|inning)|gewinnt|gewann|gewonnen", "los(?:es?|t|ing)|verliert|verlor(?:en)?"),
        ("open(?:s|ed|ing)?|öffnet|geöffnet", "clos(?:e[sd]?|ing)|shut|schließt|geschlossen"),
        ("hir(?:e[sd]?|ing)", "fir(?:e[sd]|ing)|lay(?:s|ing)? off|laid off"),
        ("b(?:uys?|ought|uying)|kauft|gekauft", "s(?:ells?|old|elling)|verkauft"),
        ("kill(?:s|ed)?|dead|d(?:ie[sd]?|ying)|tote[nr]?|getötet|starb(?:en)?|gestorben",
         "hurt|injur(?:ed|ies)|wounded|verletzte?[nr]?|surviv(?:e[sd]?|ing|ors?)"),
        ("more than|at least|mehr als|mindestens",
         "(?:less|fewer) than|at most|weniger als|höchstens"),
        ("before", "after"),
    )
)  # fmt: skip
_FEWEST_WORDS = 0.85
_FEWEST_NAMES = 0.5
_FEWEST_SHARED = 0.25
_MOST_PASSAGES = 2
_MOST_CANDIDATES = 6


def prove(sentence: str, articles: Sequence[DigestArticle], language: str) -> tuple[Evidence, ...]:
    """Return the passages that support a sentence; none when they do not."""
    wanted = _signs(sentence)
    found: list[Evidence] = []
    for article in articles:
        best = _best(sentence, article, wanted, language)
        shared = wanted & frozenset().union(*(_signs(one.words) for one in best))
        if best and len(shared) >= _FEWEST_SHARED * len(wanted):
            found += best
    sources = [article.source for article in articles]
    return tuple(found) if _supports(sentence, found, sources, language) else ()


def is_proven(claim: Claim, sources: Sequence[str], language: str) -> bool:
    """Tell whether the kept words of a claim are intact, of what it cites, and support it."""
    if not claim.evidence or not all(one.is_intact for one in claim.evidence):
        return False
    if {one.article_id for one in claim.evidence} != set(claim.article_ids):
        return False
    if claim.text in {one.words for one in claim.evidence}:
        return True
    told = sentences(claim.text)
    return bool(told) and all(_supports(s, claim.evidence, sources, language) for s in told)


def find_words(article: DigestArticle, told: str) -> Evidence | None:
    """Find the very words in an article's title or text."""
    if told == article.title:
        return Evidence.of(article.id, Part.TITLE, 0, told)
    start = article.excerpt.find(told)
    return Evidence.of(article.id, Part.TEXT, start, told) if start >= 0 else None


def _passages(article: DigestArticle) -> Iterator[Evidence]:
    if article.title:
        yield Evidence.of(article.id, Part.TITLE, 0, article.title)
    start = 0
    for told in sentences(article.excerpt):
        place = article.excerpt.find(told, start)
        if place >= 0:
            start = place + len(told)
            yield Evidence.of(article.id, Part.TEXT, place, told)


def _best(
    sentence: str, article: DigestArticle, wanted: frozenset[str], language: str
) -> list[Evidence]:
    """Choose the fewest passages of an article that support a sentence, or come nearest."""
    passages = list(_passages(article))
    order = sorted(passages, key=lambda one: -len(wanted & _signs(one.words)))
    near = order[:_MOST_CANDIDATES]
    for count in range(1, _MOST_PASSAGES + 1):
        for chosen in combinations(near, count):
            if _supports(sentence, chosen, [article.source], language):
                return list(chosen)
    return near[:1]


def _supports(
    sentence: str, evidence: Sequence[Evidence], sources: Sequence[str], language: str
) -> bool:
    return is_supported(sentence, [*(one.words for one in evidence), *sources], language)


def _signs(text: str) -> frozenset[str]:
    return frozenset((*terms(text), *map(_plain, _NUMBER.findall(text))))


def is_supported(sentence: str, cited: Sequence[str], language: str) -> bool:
    text = "\n".join(cited)
    numbers = set(map(_plain, _NUMBER.findall(text)))
    if not text or not numbers.issuperset(map(_plain, _NUMBER.findall(sentence))):
        return False
    if any(_folded(quoted) not in _folded(text) for quoted in _QUOTED.findall(sentence)):
        return False
    known, said = {stem(fold(word)) for word in words(text)}, set(terms(sentence))
    names = names_in(sentence)
    if judged_language(None, text) == language:
        # In German every noun has a capital letter.
        has_names = language == "de" or names <= known
        shares = bool(said) and len(said & known) >= _FEWEST_WORDS * len(said)
        denies = _DENIES.search(sentence) is not None
        return (
            has_names
            and shares
            and denies == (_DENIES.search(text) is not None)
            and _amounts(sentence) <= _amounts(text)
            and not _says_opposite(sentence, text)
        )
    if not text.isascii() and not _LATIN.search(text):
        return True
    return len(names & known) >= _FEWEST_NAMES * len(names)


def _amounts(text: str) -> set[tuple[str, str]]:
    found = ((_plain(fold(m[1])), fold(m[2])) for m in _AMOUNT.finditer(text))
    return {(number, _ALIASES.get(unit, unit).removesuffix("s")) for number, unit in found}


def _says_opposite(sentence: str, text: str) -> bool:
    """Tell whether a sentence has a word of which the text has only the opposite."""
    return any(
        one.search(sentence) and not one.search(text) and other.search(text)
        for pair in _OPPOSITES
        for one, other in (pair, pair[::-1])
    )


def names_in(text: str) -> frozenset[str]:
    """Return the stems of what has a capital letter within a sentence."""
    return frozenset(stem(fold(name)) for name in _NAME.findall(text))


def _folded(text: str) -> str:
    return " ".join(map(fold, words(text)))


def _plain(number: str) -> str:
    return number.replace(",", "").rstrip(".")
