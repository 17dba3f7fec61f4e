"""Character references: text with ``&amp;`` and ``&#38;`` in, the characters out.

Never raises, whatever number a reference names.
"""

import html
import re

_LONG = re.compile(r"&#([0-9]{8,}+);?")
_LONGEST = 7
"""Digits of the last character there is."""


def unescaped(text: str) -> str:
    try:
        return html.unescape(text)
    except ValueError:
        # Python refuses to read numbers of more than 4,300 digits.
        return html.unescape(_LONG.sub(_shortened, text))


def _shortened(reference: re.Match[str]) -> str:
    digits = reference[1].lstrip("0") or "0"
    return f"&#{digits};" if len(digits) <= _LONGEST else "\ufffd"
