"""Ids in addresses and forms: an invalid id is just not found."""

from starlette.requests import Request

from feedloom.model.errors import NotFound

_LARGEST = 2**31 - 1
_LONGEST = 10


def path_id(request: Request, name: str = "id") -> int:
    """Return an id of the path; ``NotFound`` when it is none."""
    return as_id(str(request.path_params[name]))


def as_id(text: str) -> int:
    """Read an id; what is none belongs to nobody: ``NotFound``."""
    number = read_number(text)
    if number is None or number < 1:
        raise NotFound
    return number


def read_number(text: str) -> int | None:
    if not text.isascii() or not text.isdecimal() or len(text) > _LONGEST:
        return None
    number = int(text)
    return number if number <= _LARGEST else None
