"""Dates as publishers write them, each in a feed of its own."""

from datetime import UTC, datetime

from tests.corpus.feeds.pieces import Case, item, rss

DAY = datetime(2025, 7, 1, tzinfo=UTC)
TEN = DAY.replace(hour=10)

# name, the text, what it means; "odd" spellings are no standard's.
STANDARD = [
    ("rfc822", "Tue, 01 Jul 2025 10:00:00 GMT", TEN),
    ("rfc822-offset", "Tue, 01 Jul 2025 12:00:00 +0200", TEN),
    ("rfc822-zone", "Tue, 01 Jul 2025 06:00:00 EDT", TEN),
    ("rfc822-no-weekday", "01 Jul 2025 10:00:00 +0000", TEN),
    ("rfc822-one-digit", "Tue, 1 Jul 2025 10:00:00 GMT", TEN),
    ("rfc822-no-seconds", "Tue, 01 Jul 2025 10:00 GMT", TEN),
    ("rfc822-two-digits", "Tue, 01 Jul 25 10:00:00 GMT", TEN),
    ("rfc822-ut", "Tue, 01 Jul 2025 10:00:00 UT", TEN),
    ("rfc822-no-zone", "Tue, 01 Jul 2025 10:00:00", TEN),
    ("rfc822-wrong-weekday", "Fri, 01 Jul 2025 10:00:00 GMT", TEN),
    ("rfc850-words", "Tuesday, 01 July 2025 10:00:00 GMT", TEN),
    ("rfc822-comment", "Tue, 01 Jul 2025 10:00:00 +0000 (UTC)", TEN),
    ("rfc822-padded", "\n  Tue, 01 Jul 2025 10:00:00 GMT \n", TEN),
    ("rfc822-half-hour", "Tue, 01 Jul 2025 15:30:00 +0530", TEN),
    ("iso", "2025-07-01T10:00:00Z", TEN),
    ("iso-offset", "2025-07-01T12:00:00+02:00", TEN),
    ("iso-fraction", "2025-07-01T10:00:00.000Z", TEN),
    ("iso-date", "2025-07-01", DAY),
    ("iso-minutes", "2025-07-01T10:00Z", TEN),
    ("iso-space", "2025-07-01 10:00:00", TEN),
    ("iso-month", "2025-07", DAY),
    ("iso-basic", "20250701T100000Z", TEN),
]
LOOSE = [
    ("offset-colon", "Tue, 01 Jul 2025 12:00:00 +02:00", TEN),
    ("gmt-plus", "Tue, 01 Jul 2025 12:00:00 GMT+0200", TEN),
    ("cest", "Tue, 01 Jul 2025 12:00:00 CEST", TEN),
    ("jst", "Tue, 01 Jul 2025 19:00:00 JST", TEN),
    ("asctime", "Tue Jul  1 10:00:00 2025", TEN),
    ("unix-date", "Tue Jul  1 06:00:00 EDT 2025", TEN),
    ("american", "July 1, 2025 10:00 AM", TEN),
    ("american-evening", "Jul 1, 2025 10:00 PM", TEN.replace(hour=22)),
    ("american-slashes", "07/01/2025 10:00:00", TEN),
    ("impossible-month", "31/12/2024", datetime(2024, 12, 31, tzinfo=UTC)),
    ("german-dots", "01.07.2025 10:00", TEN),
    ("german-month", "Di, 01 Juli 2025 12:00:00 +0200", TEN),
    ("german-umlaut", "Sa, 01 Mär 2025 00:00:00 +0000", DAY.replace(month=3)),
    ("french", "mar., 1 juil. 2025 10:00:00 +0000", TEN),
    ("spanish", "lun, 06 ene 2025 00:00:00 +0000", datetime(2025, 1, 6, tzinfo=UTC)),
    ("russian", "Вт, 01 июл 2025 13:00:00 +0300", TEN),
    ("chinese", "2025年7月1日 10:00", TEN),
    ("korean-afternoon", "2025. 7. 1. 오후 3:00", DAY.replace(hour=15)),
    ("slashes-year-first", "2025/07/01 10:00:00", TEN),
    ("seconds", "1751364000", TEN),
    ("milliseconds", "1751364000000", TEN),
    ("midnight", "Mon, 30 Jun 2025 24:00:00 GMT", DAY),
    ("leap-second", "Mon, 30 Jun 2025 23:59:60 GMT", DAY),
    ("one-digit-iso", "2025-7-1T10:00:00Z", TEN),
    ("iso-space-zone", "2025-07-01T10:00:00 +00:00", TEN),
    ("no-time", "Tue, 01 Jul 2025", DAY),
    ("unknown-zone", "Tue, 01 Jul 2025 10:00:00 XYZT", TEN),
]
ABSURD = [
    ("empty", "", None),
    ("spaces", "   ", None),
    ("words", "yesterday", None),
    ("zeros", "0000-00-00 00:00:00", None),
    ("day-32", "Tue, 32 Jul 2025 10:00:00 GMT", None),
    ("february-30", "2025-02-30T10:00:00Z", None),
    ("hour-25", "Tue, 01 Jul 2025 25:00:00 GMT", None),
    ("epoch", "Thu, 01 Jan 1970 00:00:00 GMT", None),
    ("before-1990", "1989-12-31T23:59:59Z", None),
    ("far-future", "2099-01-01T00:00:00Z", None),
    ("year-9999", "9999-12-31T23:59:59+00:00", None),
    ("year-0", "0000-01-01T00:00:00Z", None),
    ("year-10000", "10000-01-01T00:00:00Z", None),
    ("endless-digits", "9" * 5000, None),
    ("two-days-ahead", "2025-07-12T12:00:01Z", None),
]
MONTHS = [
    *(("Jänner", 1), ("Februar", 2), ("März", 3), ("Mai", 5), ("Dezember", 12)),
    *(("janvier", 1), ("févr.", 2), ("avril", 4), ("août", 8), ("déc.", 12)),
    *(("enero", 1), ("abril", 4), ("agosto", 8), ("diciembre", 12)),
    *(("gennaio", 1), ("maggio", 5), ("luglio", 7), ("ottobre", 10)),
    *(("maart", 3), ("mei", 5), ("oktober", 10), ("fevereiro", 2), ("outubro", 10)),
    *(("stycznia", 1), ("paź", 10), ("января", 1), ("мая", 5), ("серпня", 8)),
]
ZONES = [("IST", 19_800), ("+0530", 19_800), ("+9999", None), ("XYZ", None), ("gmt-3", -10_800)]
ROLLED = {"february-30", "year-10000"}
ROLLED_OVER = "feedparser makes some real day of an impossible one"


def _case(
    name: str, text: str, means: datetime | None, *, ordinary: bool, differs: str = ""
) -> Case:
    return Case(
        f"date-{name}",
        f"the date {text[:60]!r}",
        rss(item(pubDate=text or "\n")).encode(),
        {"published_at": means},
        ordinary=ordinary,
        differs={"date": differs} if differs else {},
    )


DATES = [
    *(_case(*row, ordinary=True) for row in STANDARD),
    *(_case(*row, ordinary=False) for row in LOOSE),
    *(
        _case(*row, ordinary=False, differs=ROLLED_OVER if row[0] in ROLLED else "")
        for row in ABSURD
    ),
]
