"""Words in dates: the months of some languages, and the zones people write."""
# ruff: noqa: RUF001 - Cyrillic and Greek letters are meant

import re
from functools import lru_cache

_LANGUAGES = (
    "jan feb mar apr may jun jul aug sep oct nov dec",  # English
    "januar februar märz april mai juni juli august september oktober november dezember",
    "jän feber mär april mai juni juli aug sept okt nov dez",  # German, Austrian
    "janv févr mars avr mai juin juil août sept oct nov déc",  # French
    "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
    "ene feb mar abr may jun jul ago sept oct nov dic",  # Spanish
    "gen feb mar apr mag giu lug ago set ott nov dic",  # Italian
    "jan fev mar abr mai jun jul ago set out nov dez",  # Portuguese
    "jan feb maart apr mei jun jul aug sep okt nov dec",  # Dutch
    "jan feb mrt apr mei jun jul aug sep okt nov dec",
    "sty lut mar kwi maj cze lip sie wrz paź lis gru",  # Polish
    "led úno bře dub kvě čer červenec srp zář říj lis pro",  # Czech
    "jan feb mars apr maj juni juli aug sept okt nov dec",  # Swedish, Danish
    "tammi helmi maalis huhti touko kesä heinä elo syys loka marras joulu",  # Finnish
    "január február március április május június július augusztus szept október nov dec",
    "янв фев мар апр мая июн июл авг сен окт ноя дек",  # Russian
    "січ лют бер кві тра чер лип сер вер жов лис гру",  # Ukrainian
    "ιαν φεβ μάρ απρ μάι ιούν ιούλ αύγ σεπ οκτ νοε δεκ",  # Greek
    "ιαν φεβ μαρ απρ μαϊ ιουν ιουλ αυγ σεπ οκτ νοε δεκ",
    "oca şub mar nis may haz tem ağu eyl eki kas ara",  # Turkish
)


def _months() -> dict[str, int]:
    table: dict[str, int] = {}
    for language in _LANGUAGES:
        for number, word in enumerate(language.split(), start=1):
            table.setdefault(word, number)
    return table


MONTHS = _months()

_ZONE_NAMES = {
    -10: "hst",
    -9: "akst",
    -8: "pst pt akdt",
    -7: "mst mt pdt",
    -6: "cst ct mdt",
    -5: "est et cdt",
    -4: "ast edt",
    -3: "brt art adt",
    0: "z ut utc gmt wet",
    1: "west bst cet mez",
    2: "cest mesz eet sast",
    3: "eest msk",
    5: "pkt",
    7: "ict wib",
    8: "hkt sgt awst",
    9: "jst kst",
    10: "aest",
    11: "aedt",
    12: "nzst",
    13: "nzdt",
}
_ZONES_H = {name: hours for hours, names in _ZONE_NAMES.items() for name in names.split()}
_FARTHEST_S = 15 * 3600
_NUMERIC = re.compile(r"(?:utc|gmt|z)?\s*([+-])(\d\d?):?(\d\d)?")


@lru_cache(maxsize=256)
def zone_offset(zone: str) -> int | None:
    """Return a zone's offset from UTC in seconds, or None for an unknown one."""
    zone = zone.strip().lower()
    if zone in _ZONES_H:
        return _ZONES_H[zone] * 3600
    if zone == "ist":
        return 19_800
    match = _NUMERIC.fullmatch(zone)
    if match is None:
        return None
    offset = int(match[2]) * 3600 + int(match[3] or 0) * 60
    if offset > _FARTHEST_S:
        return None
    return offset if match[1] == "+" else -offset
