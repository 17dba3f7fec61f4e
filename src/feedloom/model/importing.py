"""Lists of feeds that people bring along: what a file says, row by row."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ImportRow:
    """One feed of an imported list."""

    url: str
    title: str = ""
    folders: tuple[str, ...] = ()
    """Names of the folders around it, outermost first."""


ReadOPML = Callable[[bytes], tuple[ImportRow, ...]]
"""Reads a file; raises ``ParseError`` when it is no list of feeds."""
