"""A sentence and the articles it cites in; where they say it, word for word, out.

Only a whole sentence of an article, or its title, supports a claim: capitals, spaces, the
form of marks, emoji and a label in front may differ, nothing else. Whatever compares
words lets lies pass, as leaving out one word ("denies", "may", "if") can make one.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from feedloom.distill.offline.typography import EMOJI, without_label
from feedloom.distill.offline.words import sentences
from feedloom.model.distilled.requests import Claim, DigestArticle, Evidence, Part

_MARKS = str.maketrans(
    "\u201c\u201d\u201e\u00ab\u00bb\u2018\u2019\u201a\u2039\u203a\u2010\u2011\u2013\u2014\u2212",
    "\"\"\"\"\"'''''-----",
)
_REPEATED = re.compile(r"[!?]{2,}")


def prove(sentence: str, articles: Sequence[DigestArticle]) -> tuple[Evidence, ...]:
    """Return the passages that say a sentence; none when no article does."""
    wanted = _normal(sentence)
    found = (_first(wanted, article) for article in articles)
    return tuple(one for one in found if one is not None)


def is_proven(claim: Claim) -> bool:
    """Tell whether the kept words of a claim are intact, of what it cites, and say it."""
    if not claim.evidence or not all(one.is_intact for one in claim.evidence):
        return False
    if {one.article_id for one in claim.evidence} != set(claim.article_ids):
        return False
    said = {_normal(one.words) for one in claim.evidence}
    told = [claim.text] if _normal(claim.text) in said else sentences(claim.text)
    return bool(told) and all(_normal(sentence) in said for sentence in told)


def find_words(article: DigestArticle, told: str) -> Evidence | None:
    """Find the very words in an article's title or text."""
    if told == article.title:
        return Evidence.of(article.id, Part.TITLE, 0, told)
    start = article.excerpt.find(told)
    return Evidence.of(article.id, Part.TEXT, start, told) if start >= 0 else None


def _first(wanted: str, article: DigestArticle) -> Evidence | None:
    if not wanted:
        return None
    return next((one for one in _passages(article) if _normal(one.words) == wanted), None)


def _passages(article: DigestArticle) -> Iterator[Evidence]:
    """Yield the title and the sentences that the article says itself."""
    if article.title:
        yield Evidence.of(article.id, Part.TITLE, 0, article.title)
    start = 0
    marked = article.excerpt.translate(_MARKS)
    for told in sentences(article.excerpt):
        place = article.excerpt.find(told, start)
        if place < 0:
            continue
        start = place + len(told)
        # What somebody is quoted with in several sentences has its marks far away.
        if marked.count('"', 0, place) % 2 == 0:
            yield Evidence.of(article.id, Part.TEXT, place, told)


def _normal(text: str) -> str:
    plain = EMOJI.sub(" ", without_label(unicodedata.normalize("NFC", text)))
    plain = _REPEATED.sub(_once, plain.translate(_MARKS).replace("\u2026", "..."))
    return " ".join(plain.casefold().split()).rstrip(" .!")


def _once(match: re.Match[str]) -> str:
    return "?" if "?" in match[0] else "!"
