"""Ids in addresses: read once, so that what is no id is simply not found."""

from starlette.requests import Request

from feedloom.model.errors import NotFound

_LARGEST = 2**31 - 1
_LONGEST = 10


def path_id(request: Request, name: str = "id") -> int:
    """Return an id of the path; ``NotFound`` when it is none."""
    text = str(request.path_params[name])
    if not text.isascii() or not text.isdecimal() or len(text) > _LONGEST:
        raise NotFound
    number = int(text)
    if not 1 <= number <= _LARGEST:
        raise NotFound
    return number
