"""Validation of the feed forms, with messages."""

from dataclasses import dataclass

from feedloom.model.errors import BadAddress
from feedloom.model.urls import normalise

_LONGEST_NAME = 255
_LONGEST_COOKIE = 4_096


@dataclass(frozen=True, slots=True)
class FormErrors:
    name: str = ""
    url: str = ""
    general: str = ""

    def __bool__(self) -> bool:
        return bool(self.name or self.url or self.general)


def check_feed(name: str, url: str) -> FormErrors:
    return FormErrors(name=name_error(name), url=url_error(url))


def name_error(name: str) -> str:
    if not name:
        return "Feed name is required"
    if len(name) > _LONGEST_NAME:
        return "Feed name must be less than 255 characters"
    return ""


def access_error(cookie: str, user_agent: str) -> str:
    for name, value, longest in (
        ("The cookie", cookie, _LONGEST_COOKIE),
        ("The user agent", user_agent, _LONGEST_NAME),
    ):
        if len(value) > longest:
            return f"{name} must be less than {longest} characters"
        if not (value.isascii() and value.isprintable()) and value:
            return f"{name} may only contain printable ASCII characters"
    return ""


def url_error(url: str) -> str:
    if not url:
        return "Feed URL is required"
    if not url.lower().startswith(("http://", "https://")):
        return BadAddress.default
    try:
        normalise(url)
    except BadAddress:
        return BadAddress.default
    return ""
