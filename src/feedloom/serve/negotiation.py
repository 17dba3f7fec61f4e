"""Content negotiation: a page, a part of a page, or JSON."""

from starlette.requests import Request

# htmx restores history with the second one and no other that names what it wants.
_HTMX_ASKS = frozenset({b"hx-request", b"hx-history-restore-request"})


def is_htmx(request: Request) -> bool:
    """Tell whether htmx asks for a part; a restored history entry is a whole page."""
    return (
        request.headers.get("hx-request") == "true"
        and request.headers.get("hx-history-restore-request") != "true"
    )


def wants_html(request: Request) -> bool:
    """Tell whether HTML is asked for: by htmx, or by name. ``*/*`` means JSON."""
    named = ""
    # As they came: this is asked for every list, and mostly nothing of it is there.
    for name, value in request.scope["headers"]:
        if name in _HTMX_ASKS and value == b"true":
            return True
        if name == b"accept" and b"html" in value.lower():
            named += f",{value.decode('latin-1')}"
    return bool(named) and any(map(_is_html, named.split(",")))


def _is_html(part: str) -> bool:
    name, *parameters = (piece.strip().lower() for piece in part.split(";"))
    if name not in {"text/html", "application/xhtml+xml"}:
        return False
    return not any(p.replace(" ", "") in {"q=0", "q=0.0"} for p in parameters)
