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

_ZONES_H = {
    "z": 0,
    "ut": 0,
    "utc": 0,
    "gmt": 0,
    "wet": 0,
    "west": 1,
    "bst": 1,
    "cet": 1,
    "mez": 1,
    "cest": 2,
    "mesz": 2,
    "eet": 2,
    "sast": 2,
    "eest": 3,
    "msk": 3,
    "pkt": 5,
    "ict": 7,
    "wib": 7,
    "hkt": 8,
    "sgt": 8,
    "awst": 8,
    "jst": 9,
    "kst": 9,
    "aest": 10,
    "aedt": 11,
    "nzst": 12,
    "nzdt": 13,
    "brt": -3,
    "art": -3,
    "ast": -4,
    "adt": -3,
    "est": -5,
    "edt": -4,
    "et": -5,
    "cst": -6,
    "cdt": -5,
    "ct": -6,
    "mst": -7,
    "mdt": -6,
    "mt": -7,
    "pst": -8,
    "pdt": -7,
    "pt": -8,
    "akst": -9,
    "akdt": -8,
    "hst": -10,
}
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
