"""Checking CSS selectors that people write."""

from selectolax.lexbor import LexborHTMLParser


def is_selector(text: str) -> bool:
    try:
        LexborHTMLParser("<p></p>").css(text)
    except Exception:  # noqa: BLE001 - whatever it says, the selector is of no use
        return False
    return True
