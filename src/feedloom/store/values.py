"""JSON columns: what should be there, or a sign that it cannot be read.

A row that somebody changed by hand, or that a broken disk changed, must cost only itself.
"""

import json
from typing import Any

from feedloom.model.feed import Asked

_UNREADABLE = (ValueError, TypeError, RecursionError)


def read_object(text: Any) -> dict[str, Any] | None:
    """Read a JSON object; None when the column holds anything else."""
    found = _read(text)
    return found if isinstance(found, dict) else None


def read_list(text: Any) -> list[Any] | None:
    """Read a JSON array; None when the column holds anything else."""
    found = _read(text)
    return found if isinstance(found, list) else None


def read_asked(text: Any) -> Asked:
    """Read what a publisher asks; what cannot be read asks nothing."""
    found = read_object(text) or {}
    try:
        return Asked(
            ttl_s=int(found["ttl_s"]) if found.get("ttl_s") else None,
            skip_hours=frozenset(map(int, found.get("skip_hours", ()))),
            skip_days=frozenset(map(int, found.get("skip_days", ()))),
        )
    except _UNREADABLE:
        return Asked()


def write_asked(asked: Asked) -> str | None:
    """Write what a publisher asks; None when that is nothing."""
    named = {
        "ttl_s": asked.ttl_s,
        "skip_hours": sorted(asked.skip_hours),
        "skip_days": sorted(asked.skip_days),
    }
    said = {name: value for name, value in named.items() if value}
    return json.dumps(said) if said else None


def _read(text: Any) -> object:
    try:
        return json.loads(text)
    except _UNREADABLE:
        return None
