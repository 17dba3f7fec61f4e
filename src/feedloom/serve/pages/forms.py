"""Reading forms and query strings: text fields and numbers, checked once."""

from collections.abc import Iterable

from starlette.datastructures import FormData, QueryParams, UploadFile

from feedloom.model.errors import InvalidInput
from feedloom.model.reader import MOST_DAYS
from feedloom.serve.ids import read_number

MOST_ITEMS = 1_000
"""How many articles one request may mark by their numbers."""


def as_number(text: str, *, field: str, least: int = 0) -> int:
    """Read a number from a query or form; ``InvalidInput`` when it is none."""
    number = read_number(text.strip())
    if number is None or number < least:
        raise InvalidInput("Invalid query parameters", field=field)
    return number


def as_days(text: str) -> int | None:
    """Read after how many days articles count as read; None when the field is empty."""
    days = as_number(text, field="read_after_days", least=1) if text.strip() else None
    if days is not None and days > MOST_DAYS:
        raise InvalidInput(f"Enter at most {MOST_DAYS} days.", field="read_after_days")
    return days


def as_items(texts: Iterable[str]) -> tuple[int, ...]:
    parts = [part for text in texts for part in text.split(",") if part.strip()]
    if len(parts) > MOST_ITEMS:
        raise InvalidInput("Too many articles at once.", field="item")
    return tuple(as_number(part, field="item", least=1) for part in parts)


def field(form: FormData | QueryParams, name: str) -> str:
    """Return a text field; empty when it is missing or a file.

    A NUL is left out: no keyboard types one, and databases take none.
    """
    value = form.get(name)
    if value is None or isinstance(value, UploadFile):
        return ""
    return value.replace("\x00", "")


def is_on(form: FormData | QueryParams, name: str) -> bool:
    return field(form, name) not in {"", "0", "false", "off"}
