"""CSS selectors that people write."""

from selectolax.lexbor import LexborHTMLParser, LexborNode


def selected(page: bytes | str, selector: str) -> list[LexborNode] | None:
    """Return what a selector finds; None for one that is of no use."""
    try:
        return LexborHTMLParser(page).css(selector)
    except Exception:  # noqa: BLE001 - whatever it says, the selector is of no use
        return None


def is_selector(text: str) -> bool:
    return selected("<p></p>", text) is not None
