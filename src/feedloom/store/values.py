"""JSON columns: what should be there, or a sign that it cannot be read.

A row that somebody changed by hand, or that a broken disk changed, must cost only itself.
"""

import json
from typing import Any

_UNREADABLE = (ValueError, TypeError, RecursionError)


def read_object(text: Any) -> dict[str, Any] | None:
    """Read a JSON object; None when the column holds anything else."""
    found = _read(text)
    return found if isinstance(found, dict) else None


def read_list(text: Any) -> list[Any] | None:
    """Read a JSON array; None when the column holds anything else."""
    found = _read(text)
    return found if isinstance(found, list) else None


def _read(text: Any) -> object:
    try:
        return json.loads(text)
    except _UNREADABLE:
        return None
