"""Text in; text that may stand in XML or HTML out. Never raises on any text."""

import html
import re
from datetime import UTC, datetime
from email.utils import format_datetime

from feedloom.model.errors import BadAddress
from feedloom.model.urls import normalise, without_credentials

# What XML 1.0 forbids, and what it advises against because it is never meant.
_FORBIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)


def legible(value: str) -> str:
    """Return a value without what XML forbids, and without space around it."""
    if not value.isprintable():
        value = _FORBIDDEN.sub("", value).replace("\r", "\n")
    return value.strip()


def first_of(*values: str) -> str:
    return next((found for value in values if (found := legible(value))), "")


def text(value: str) -> str:
    value = legible(value)
    return value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def attribute(value: str) -> str:
    value = text(value).replace('"', "&quot;")
    return value.replace("\n", "&#10;").replace("\t", "&#9;")


def html_text(value: str) -> str:
    """Return plain text for an element whose content readers take for HTML."""
    return text(html.escape(value, quote=False))


def web_address(url: str | None) -> str:
    if not url:
        return ""
    try:
        return without_credentials(normalise(url))
    except BadAddress:
        return ""


def rfc822(moment: datetime) -> str:
    """Return a time as RSS wants it, in whole seconds and in GMT."""
    return format_datetime(moment.astimezone(UTC).replace(microsecond=0), usegmt=True)


def rfc3339(moment: datetime) -> str:
    """Return a time as Atom and JSON want it, in UTC."""
    told = moment.astimezone(UTC).isoformat(timespec="seconds")
    return told.replace("+00:00", "Z")
