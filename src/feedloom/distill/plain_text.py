"""Text by a model or a page in; short, plain, harmless text out.

No markup, no links and no addresses survive, however they are nested or escaped.
"""

import re

from feedloom.markup import plain, to_text

_TAG = re.compile(r"<[^<>]*>|<[a-z/!?][^<>]{0,200}\Z", re.IGNORECASE)
_TARGET = re.compile(r"\]\([^()]*\)|\]\[[^\[\]]*[^\[\]\d\s,][^\[\]]*\]")
_ADDRESS = re.compile(
    r"\S*:/\S*"
    r"|\S*(?:javascript|vbscript):\S*"
    r"|\b(?:data|mailto|tel|file|blob):\S+"
    r"|\bwww\.\S+"
    r"|\b(?:[a-z0-9-]+\.)+[a-z]{2,24}/\S*",
    re.IGNORECASE,
)
_ANGLES = re.compile(r"[<>]")
_STRUCTURE = re.compile(r"[\[\]<>&:/]")
_MOST_LAYERS = 10


def clean_text(text: str, limit: int) -> str:
    """Return the text without markup and links, at most ``limit`` characters long."""
    for _ in range(_MOST_LAYERS):
        # Markup may be escaped inside markup, and what is left of one link may make
        # another: each turn peels a layer, until nothing changes any more.
        peeled = _peeled(text)
        if peeled == text:
            return cut(text, limit)
        text = peeled
    return cut(_STRUCTURE.sub(" ", text), limit)


def _peeled(text: str) -> str:
    text = plain(_TAG.sub(" ", to_text(text)), markup=False)
    text = _TARGET.sub("]", _ADDRESS.sub(" ", _TARGET.sub("]", _ANGLES.sub(" ", text))))
    return " ".join(text.replace("![", "[").replace("](", "] (").split())


def cut(text: str, limit: int) -> str:
    """Cut a text at a word, with an ellipsis, always at the same place."""
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    at = head.rfind(" ", limit // 2)
    return f"{head[:at] if at > 0 else head}".rstrip(" ,;:-") + "…"
