"""What the forms of feeds may say, and the sentences for what they may not."""

from dataclasses import dataclass

from feedloom.model.errors import BadAddress
from feedloom.model.urls import normalise

_LONGEST_NAME = 255


@dataclass(frozen=True, slots=True)
class FormErrors:
    """What is wrong with a form, by field."""

    name: str = ""
    url: str = ""
    general: str = ""

    def __bool__(self) -> bool:
        return bool(self.name or self.url or self.general)


def check_feed(name: str, url: str) -> FormErrors:
    """Check a feed's name and address, both trimmed already."""
    return FormErrors(name=name_error(name), url=url_error(url))


def name_error(name: str) -> str:
    """Say what is wrong with a name."""
    if not name:
        return "Feed name is required"
    if len(name) > _LONGEST_NAME:
        return "Feed name must be less than 255 characters"
    return ""


def url_error(url: str) -> str:
    """Say what is wrong with an address."""
    if not url:
        return "Feed URL is required"
    if not url.lower().startswith(("http://", "https://")):
        return BadAddress.default
    try:
        normalise(url)
    except BadAddress:
        return BadAddress.default
    return ""
