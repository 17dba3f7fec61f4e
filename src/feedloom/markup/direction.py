"""The direction of a text: right to left or left to right."""

import re
import unicodedata
from itertools import islice

_RTL_LANGUAGES = re.compile(
    r"(?:ar|arc|bal|ckb|dv|fa|glk|he|iw|ks|lrc|mzn|nqo|pnb|ps|sd|syr|ug|ur|yi"
    r"|\w+[-_]arab|\w+[-_]hebr)(?:[-_].*)?",
    re.IGNORECASE,
)
# Hebrew to Arabic Extended-A, the presentation forms, and the scripts above the BMP.
_RTL_LETTER = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff]")
_SAMPLE = 400


def is_rtl(text: str, language: str | None = None) -> bool:
    """Tell whether a text runs right to left.

    The letters decide, because feeds declare languages carelessly; the declared
    language decides only for a text without letters.
    """
    if not text.isascii() and _RTL_LETTER.search(text):
        return _mostly_rtl(text)
    if any(map(str.isalpha, islice(text, _SAMPLE))):
        return False
    return bool(_RTL_LANGUAGES.fullmatch(language or ""))


def _mostly_rtl(text: str) -> bool:
    letters = list(islice(filter(str.isalpha, text), _SAMPLE))
    strong = sum(unicodedata.bidirectional(letter) in {"R", "AL"} for letter in letters)
    return 3 * strong > len(letters)
