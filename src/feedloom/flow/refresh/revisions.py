"""What an article said before its publisher changed it, where that is worth keeping. Pure.

Counters, dates, advertisements, links to other articles and white space are not the
article: a publisher who changes nothing else has changed nothing.
"""

import re
import unicodedata
import zlib
from collections.abc import Iterable, Mapping

from feedloom.markup import to_text
from feedloom.model.feed import CleanHTML
from feedloom.model.stages import NewArticle, NewRevision, Wording

_MOST_CHARS = 100_000
_SHORT_LINE = 200
_LONGEST_LABEL = 40
_FEW_WORDS = 4
"""So few around a counter or a date say nothing else: "This article has 1,200 views"."""
# All repetitions are bounded: a publisher writes the texts that these are looked for in.
_ALIKE = str.maketrans(
    dict.fromkeys('"`\u00ab\u00b4\u00bb\u2018\u2019\u201a\u201c\u201d\u201e\u2039\u203a', "'")
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015", "-")
    | {"\xad": None}
)
_NUMBER = r"\d[\d.,]{0,12}\s?[km]?"
_COUNTED = (
    "(?:views?|reads?|comments?|replies|reply|shares?|likes?|upvotes?|reactions?|followers?"
    "|subscribers?|downloads?|clicks?|min(?:ute)?s? read|people (?:are )?(?:watching|reading)"
    "|aufrufe?|kommentare?|antworten|minuten lesezeit|vues?|commentaires?|vistas?|comentarios?)"
)
_UNIT = "(?:second|sec|minute|min|hour|hr|day|week|month|year)s?"
_DATE = (
    r"(?:\d{1,4}(?:[./:T-]\d{1,4}){1,5}Z?|\d{1,4}(?:st|nd|rd|th|\.)?"
    "|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|jän|mär|mai|okt|dez|févr|avr|juin|juil"
    r"|août|ene|abr|ago|dic)[a-zäéû]{0,7}\.?|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}"
    r"|(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)|today|yesterday|heute"
    r"|gestern|[ap]\.?m\.?|uhr|gmt|utc|ces?t|[ep][sd]t|[+-]\d{2}:?\d{2})(?!\w)"
)
_BETWEEN = r"(?:[\s,.|/()-]|\b(?:on|at|am|um|den|the|le|el|vom|der)\b){0,6}"
_DATES = rf"{_DATE}(?:{_BETWEEN}{_DATE}){{0,8}}"
_AGO = (
    rf"(?:\b(?:an?|one|\d{{1,3}})\s?{_UNIT} ago\b|\bjust now\b|\bgerade eben\b"
    r"|\bvor (?:\d{1,3}|eine[rmn]?) (?:sekunde|minute|stunde|tag|woche|monat|jahr)(?:e?n)?\b"
    r"|\bil y a \d{1,3} \w{1,9}|\bhace \d{1,3} \w{1,9})"
)
_PASSING = re.compile(
    rf"\b{_NUMBER}\s?{_COUNTED}\b|{_AGO}"
    rf"|\b(?:{_COUNTED}|points?|votes?|score|punkte|stimmen)\s?[:(]\s?{_NUMBER}\)?"
    r"|\b(?:last )?(?:updated|modified|edited|published|posted|aktualisiert|veröffentlicht"
    r"|geändert|stand|mis à jour|publié|actualizado|publicado)\b"
    rf"[\s:]{{0,3}}{_BETWEEN}(?:{_AGO}|{_DATES})",
    re.IGNORECASE,
)
_ONLY_DATES = re.compile(rf"{_BETWEEN}{_DATES}{_BETWEEN}", re.IGNORECASE)
_ADDRESS = re.compile(r"(https?://[^\s?#]{1,500})[?#]\S{0,2000}")
_ONLY_LINKS = re.compile(
    r"<(li|p|div|h[1-6]|td)>\s*(?:<a\b[^>]*>[^<]*</a>[^\w<]*)+</\1>", re.IGNORECASE
)
_LABEL = re.compile(
    r"\W{0,5}(?:advertisement|advertising|sponsored|promoted|ad|anzeige|werbung|publicité"
    r"|publicidad)\b\W{0,5}",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"\W{0,5}(?:(?:advertisement|sponsored(?: content)?|promoted|anzeige|werbung|publicité"
    r"|publicidad) ?[:|\])-]|sponsored by|read (?:more|also|next)|also read|see also"
    r"|related (?:stories|articles|posts|links)|recommended for you|more from|you (?:may|might)"
    r" (?:also )?like|subscribe to|sign up for|follow us|lesen sie auch|mehr zum thema"
    r"|(?:à )?lire aussi|ver también)",
    re.IGNORECASE,
)
_CUT_OFF = re.compile(r"(?:…|\.\.\.)[\])]?(?: ?(?:read more|continue reading))?\W{0,5}$")
_COUNT_BEHIND = re.compile(r"\s?[(\[]\d[\d.,]{0,9}[)\]]$")
_WORD = re.compile(r"\w+")


def revisions_of(
    wordings: Mapping[str, Wording], articles: Iterable[NewArticle]
) -> dict[str, NewRevision]:
    """Return by GUID hash what is worth keeping of the wordings that these replace."""
    found = {}
    for article in articles:
        old = wordings.get(article.guid_hash)
        revision = _revision(old, article) if old else None
        if revision is not None:
            found[article.guid_hash] = revision
    return found


def _revision(old: Wording, new: NewArticle) -> NewRevision | None:
    has_headline = not (old.summary.startswith(old.title) and new.summary.startswith(new.title))
    new_title = has_headline and _headline(old.title) != _headline(new.title)
    new_text = old.content != new.content and is_rewritten(old.content, new.content)
    if not (new_title or new_text):
        return None
    text = zlib.compress(text_alone(old.content, new.content).encode()) if new_text else None
    return NewRevision(old.title, text)


def _headline(title: str) -> str:
    title = _PASSING.sub("", _folded(title))
    return " ".join(_COUNT_BEHIND.sub("", title.strip()).split())


def is_rewritten(old: CleanHTML, new: CleanHTML) -> bool:
    """Tell whether two texts say different things, and neither is an excerpt of the other."""
    before, after = _lines(old), _lines(new)
    if not (before and after):
        return False
    was, now = _news(before, set(after)), _news(after, set(before))
    if was == now:
        return False
    shorter, longer = sorted((was, now), key=len)
    end = (before if shorter is was else after)[-1]
    sure = max(0, len(shorter) - 1)
    return not (_CUT_OFF.search(end[-60:]) and longer[:sure] == shorter[:sure])


def _news(lines: list[str], others: set[str]) -> list[str]:
    """Return the words of those lines that the other version does not have."""
    told = _told(lines, others, only_news=True)
    return [word for _, said in told for word in _WORD.findall(said)]


def text_alone(content: CleanHTML, other: CleanHTML | None = None) -> str:
    """Return the lines of a text that are the article; ``other`` is its other version."""
    return "\n".join(
        line for line, _ in _told(_lines(content), set(_lines(other) if other else ()))
    )


def _lines(content: CleanHTML) -> list[str]:
    text = to_text(_ONLY_LINKS.sub("", content), limit=_MOST_CHARS)
    return text.split("\n") if text else []


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).translate(_ALIKE)


def _told(lines: list[str], others: set[str], *, only_news: bool = False) -> list[tuple[str, str]]:
    """Keep the lines that are the article, each with what it says apart from counters."""
    kept: list[tuple[str, str]] = []
    after_label = False
    for line in lines:
        if only_news and line in others and len(line) > _LONGEST_LABEL:
            after_label = False
            continue
        said = _folded(line)
        is_label = bool(_LABEL.fullmatch(said))
        # What stands under "Advertisement" is one, unless it was there without it, too.
        is_advertised = after_label and line not in others
        after_label = is_label
        if not (is_label or is_advertised or _ASIDE.match(said)):
            rest, passing = _PASSING.subn("", said)
            is_new = not (only_news and line in others)
            if is_new and not _is_passing(said, rest if passing else None):
                kept.append((line, _ADDRESS.sub(r"\1", rest)))
    return kept


def _is_passing(said: str, rest: str | None) -> bool:
    if len(said) > _SHORT_LINE:
        return False
    if _ONLY_DATES.fullmatch(said):
        return True
    return rest is not None and len(_WORD.findall(rest)) <= _FEW_WORDS
