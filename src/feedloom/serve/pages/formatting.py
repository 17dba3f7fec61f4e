"""Times, counts and names as pages show them: values in, text out."""

import hashlib
import re
import unicodedata
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from feedloom.model.distilled.requests import DIMENSIONS, AnalyzerResult, Score

_TAG = re.compile(r"<[^>]*>")
_IDEOGRAPHS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
HUES = 12
"""How many colours the letter of a feed may have; the style sheet names them all."""
_MANY = 99_999
_UNITS = (
    (timedelta(days=365), "year"),
    (timedelta(days=30), "month"),
    (timedelta(days=7), "week"),
    (timedelta(days=1), "day"),
    (timedelta(hours=1), "hour"),
    (timedelta(minutes=1), "minute"),
)
_BROWSERS = {
    "edg": "Edge",
    "opr": "Opera",
    "firefox": "Firefox",
    "fxios": "Firefox",
    "chromium": "Chromium",
    "crios": "Chrome",
    "chrome": "Chrome",
    "safari": "Safari",
}
_SYSTEMS = {
    "iphone": "iPhone",
    "ipad": "iPad",
    "android": "Android",
    "windows": "Windows",
    "cros ": "ChromeOS",  # codespell:ignore cros
    "mac os": "macOS",
    "linux": "Linux",
}
"""Words of a user agent, the telling ones first: most browsers name others, too."""


def ago(at: datetime, now: datetime) -> str:
    gap = now - at
    for size, unit in _UNITS:
        if count := abs(gap) // size:
            words = counted(count, unit)
            return f"{words} ago" if gap > timedelta(0) else f"in {words}"
    return "just now" if gap >= timedelta(0) else "any moment now"


def briefly(at: datetime, now: datetime) -> str:
    gap = now - at
    for size, unit in _UNITS:
        if abs(gap) >= size:
            letter = "mo" if unit == "month" else unit[0]
            sign = "" if gap > timedelta(0) else "+"
            return f"{sign}{abs(gap) // size}{letter}"
    return "now"


def on_day(at: datetime) -> str:
    utc = at.astimezone(UTC)
    return f"{utc.day} {utc:%B %Y, %H:%M} UTC"


def counted(number: int, one: str, many: str | None = None) -> str:
    """Write a number with its noun: ``1 article``, ``1,200 articles``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def badge(number: int) -> str:
    return f"{number:,}" if number <= _MANY else f"{_MANY:,}+"


def size(count: int) -> str:
    amount = float(count)
    for unit in ("B", "kB", "MB"):
        if amount < 1_000:  # noqa: PLR2004 - the step between units
            return f"{amount:.0f} {unit}"
        amount /= 1_000
    return f"{amount:.1f} GB"


def playing_time(seconds: int | None) -> str:
    """Write how long something plays: ``4:05``, ``1:02:03``."""
    minutes, rest = divmod(seconds or 0, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def letter(title: str) -> str:
    for character in title:
        if unicodedata.category(character)[0] in "LN":
            return character.upper()[:1]
    return "•"


def hue(title: str) -> int:
    """Pick the colour of that letter: the same title has always the same."""
    return hashlib.blake2b(title.encode(), digest_size=2).digest()[0] % HUES


def host(url: str | None) -> str:
    try:
        return (urlsplit(url or "").hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def minutes(content: str) -> int:
    """Tell how long reading takes: 230 words a minute, or 450 signs without spaces."""
    text = _TAG.sub(" ", content)
    return round(len(text.split()) / 230 + len(_IDEOGRAPHS.findall(text)) / 450)


def first_line(text: str, limit: int = 180) -> str:
    text = " ".join(text.split())
    if len(text) <= limit:
        return text
    cut = text[:limit].rsplit(" ", 1)[0]
    return f"{cut.rstrip(',;:.')}…"


def web(url: str | None) -> str:
    """Return a foreign address for a link, but only when it is one of the web."""
    return url if url and url.lower().startswith(("http://", "https://")) else ""


def browser(user_agent: str) -> str:
    text = user_agent.casefold()
    name = next((name for word, name in _BROWSERS.items() if word in text), "")
    system = next((name for word, name in _SYSTEMS.items() if word in text), "")
    if name and system:
        return f"{name} on {system}"
    return name or first_line(user_agent, 40) or "Unknown browser"


_SIGNS_FROM = 0.5
SIGN_WORDS = {
    "clickbait": "clickbait",
    "framing": "loaded wording",
    "hyper_stimulus": "hype",
    "speculative": "speculation",
    "persuasive": "persuasion",
}


def signs_in(result: AnalyzerResult) -> list[str]:
    """Return what there are signs of in a headline."""
    scores = zip(DIMENSIONS, result.scores, strict=True)
    return [SIGN_WORDS[n] for n, s in scores if (s.value or 0) >= _SIGNS_FROM]


def judged_parts(result: AnalyzerResult) -> list[tuple[str, Score]]:
    scores = dict(zip(DIMENSIONS, result.scores, strict=True))
    return [(words, scores[name]) for name, words in SIGN_WORDS.items()]
