"""Which representation a request asks for: a page, a part of a page, or JSON."""

from starlette.requests import Request


def is_htmx(request: Request) -> bool:
    """Tell whether htmx asks for a part; a restored history entry is a whole page."""
    return (
        request.headers.get("hx-request") == "true"
        and request.headers.get("hx-history-restore-request") != "true"
    )


def wants_html(request: Request) -> bool:
    """Tell whether HTML is asked for: by htmx, or by name. ``*/*`` means JSON."""
    # htmx restores history with this one header and no other that names what it wants.
    asks = ("hx-request", "hx-history-restore-request")
    if any(request.headers.get(name) == "true" for name in asks):
        return True
    ranges = ",".join(request.headers.getlist("accept")).split(",")
    return any(_is_html(part) for part in ranges)


def _is_html(part: str) -> bool:
    name, *parameters = (piece.strip().lower() for piece in part.split(";"))
    if name not in {"text/html", "application/xhtml+xml"}:
        return False
    return not any(p.replace(" ", "") in {"q=0", "q=0.0"} for p in parameters)
