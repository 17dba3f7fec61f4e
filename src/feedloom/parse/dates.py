"""Dates: what publishers write, read into aware UTC times.

Text and the present time go in; a time or None comes out, never an error. RFC 822 and
ISO 8601 take the short way. None also stands for dates nobody can mean: before 1990,
or more than a day ahead, so that no entry pins itself to the top of a list.
"""

import re
import tomllib
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from importlib import resources

_WORDS = tomllib.loads(resources.files(__package__).joinpath("dates.toml").read_text("utf-8"))
# From the last language to the first, which says what a word of several languages means.
_MONTHS = {
    word: number
    for language in reversed(_WORDS["months"])
    for number, word in enumerate(language.split(), start=1)
}
_ZONES_S = {
    name: round(float(hours) * 3600)
    for hours, names in _WORDS["zones_h"].items()
    for name in names.split()
}
_FARTHEST_S = 15 * 3600
_NUMERIC_ZONE = re.compile(r"(?:utc|gmt|z)?\s*([+-])(\d\d?):?(\d\d)?")
_EARLIEST = datetime(1990, 1, 1, tzinfo=UTC)
_TOLERANCE = timedelta(hours=24)
_LONGEST = 120
_MIDNIGHT = 24
_LEAP_SECOND = 60
_MONTHS_A_YEAR = 12
_CENTURY = 100
_CENTURY_TURN = 70
"""Years of two digits below this are of this century."""

_RFC822 = re.compile(
    r"(?:[A-Za-z]{3,9}\.?,?\s+)?(\d{1,2})\s+([A-Za-z]{3})[a-z]*\.?\s+(\d{4})"
    r"\s+(\d\d):(\d\d)(?::(\d\d))?\s*([+-]\d{4}|[A-Z]{1,5})?",
    re.ASCII,
)
_TIME = re.compile(
    r"(?<![\d:])(\d{1,2})[:h](\d\d)(?:[:.](\d\d)(?:[.,]\d+)?)?(?![\d:])"
    r"\s*([ap]\.?m\b\.?)?"
)
_AFTERNOON = re.compile("오후|下午|午後|μ\\.?μ")
_ZONE = re.compile(r"(?:\b(?:utc|gmt|z))?\s*[+-]\d\d?:?(?:\d\d)?(?!\d)|[a-z]{1,5}\b")
_YEAR_FIRST = re.compile(r"(\d{4})\s*[-/.年년]\s*(\d{1,2})(?:\s*[-/.月월]\s*(\d{1,2}))?")
_DAY_FIRST = re.compile(r"(?<!\d)(\d{1,2})([-/.])\s?(\d{1,2})[-/.]\s?(\d{4}|\d\d)(?!\d)")
_COMPACT = re.compile(r"(\d{4})(\d\d)(\d\d)(?:t?(\d\d)(\d\d)(\d\d)?)?(?!\d)")
_SECONDS = re.compile(r"(\d{10})(?:\d{3})?(?:\.\d+)?")
_WORD = re.compile(r"[^\W\d_]{3,}")
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
_DAY = re.compile(r"(?<!\d)\d{1,2}(?!\d)")
_COMMENT = re.compile(r"\([^()]*\)")


def read_date(text: str | None, *, now: datetime) -> datetime | None:
    """Return the time a text means, or None when there is none or it is absurd."""
    if not text:
        return None
    text = text.strip()
    try:
        read = _strict(text) or _lenient(text[:_LONGEST])
    except (ValueError, OverflowError):
        return None
    if read is None or not _EARLIEST <= read <= now + _TOLERANCE:
        return None
    return read


def _strict(text: str) -> datetime | None:
    if match := _RFC822.fullmatch(text):
        day, word, year, hour, minute, second, zone = match.groups()
        month = _MONTHS.get(word.lower())
        offset = zone_offset(zone) if zone else 0
        if month is None or offset is None or hour == "24" or second == "60":
            return None
        read = datetime(
            *(int(year), month, int(day), int(hour), int(minute), int(second or 0)), tzinfo=UTC
        )
        return read - timedelta(seconds=offset) if offset else read
    if text[4:5] == "-":
        try:
            read = datetime.fromisoformat(text)
        except ValueError:
            return None
        return read.astimezone(UTC) if read.tzinfo else read.replace(tzinfo=UTC)
    return None


def _moment(date: tuple[int, int, int], time: tuple[int, int, int], offset_s: int) -> datetime:
    hour, minute, second = time
    # 24:00 and leap seconds are legal spellings that datetime refuses.
    late = timedelta(seconds=-offset_s)
    if hour == _MIDNIGHT:
        hour, late = 0, late + timedelta(days=1)
    if second == _LEAP_SECOND:
        second, late = 59, late + timedelta(seconds=1)
    return datetime(*date, hour, minute, second, tzinfo=UTC) + late


def _lenient(text: str) -> datetime | None:
    if match := _SECONDS.fullmatch(text):
        return datetime.fromtimestamp(int(match[1]), tz=UTC)
    text = _COMMENT.sub(" ", text.lower().replace("\u00a0", " "))
    if (match := _COMPACT.fullmatch(text.rstrip("z"))) and text[:2] in {"19", "20"}:
        year, month, day, *clock = (int(part or 0) for part in match.groups())
        return _moment((year, month, day), (clock[0], clock[1], clock[2]), 0)
    rest, time, offset = _take_time(text)
    date = _numeric_date(rest) or _worded_date(rest)
    return _moment(date, time, offset) if date else None


def _take_time(text: str) -> tuple[str, tuple[int, int, int], int]:
    match = _TIME.search(text.replace("t", " ", 1) if text[10:11] == "t" else text)
    if match is None:
        return text, (0, 0, 0), 0
    hour, minute, second = (int(part or 0) for part in match.groups()[:3])
    half = "p" if _AFTERNOON.search(text) else match[4]
    if half:
        hour = hour % 12 + (12 if half.startswith("p") else 0)
    after = text[match.end() :].strip()
    zone = _ZONE.match(after)
    offset = zone_offset(zone[0]) if zone else None
    if zone and offset is not None:
        after = after[zone.end() :]
    return f"{text[: match.start()]} {after}", (hour, minute, second), offset or 0


def _numeric_date(text: str) -> tuple[int, int, int] | None:
    if match := _YEAR_FIRST.search(text):
        return int(match[1]), int(match[2]), int(match[3] or 1)
    if match := _DAY_FIRST.search(text):
        first, second, year = int(match[1]), int(match[3]), _full_year(match[4])
        # 7/4/2024 is American, 7.4.2024 and 7-4-2024 are not, and 13 is no month.
        if match[2] == "/" and first <= _MONTHS_A_YEAR:
            return year, first, second
        return year, second, first
    return None


def _worded_date(text: str) -> tuple[int, int, int] | None:
    words = _WORD.findall(text)
    # The last one, because "mar" is a French Tuesday before it is a month.
    month = next((found for word in reversed(words) if (found := _month(word))), None)
    years = _YEAR.findall(text)
    days = _DAY.findall(text)
    if month is None:
        return None
    if years:
        return int(years[0]), month, int(days[0]) if days else 1
    if len(days) > 1:
        return _full_year(days[1]), month, int(days[0])
    return None


def _month(word: str) -> int | None:
    return _MONTHS.get(word) or _MONTHS.get(word[:4]) or _MONTHS.get(word[:3])


def _full_year(text: str) -> int:
    year = int(text)
    if year > _CENTURY:
        return year
    return year + (2000 if year < _CENTURY_TURN else 1900)


@lru_cache(maxsize=256)
def zone_offset(zone: str) -> int | None:
    """Return a zone's offset from UTC in seconds, or None for an unknown one."""
    zone = zone.strip().lower()
    if zone in _ZONES_S:
        return _ZONES_S[zone]
    match = _NUMERIC_ZONE.fullmatch(zone)
    if match is None:
        return None
    offset = int(match[2]) * 3600 + int(match[3] or 0) * 60
    if offset > _FARTHEST_S:
        return None
    return offset if match[1] == "+" else -offset
