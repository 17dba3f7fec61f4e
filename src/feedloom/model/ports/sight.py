"""What a piece of work saw of the store, and whether that was one and the same state.

A store notes with each read the *version* it was of. Reads of equal versions saw the
same rows, all of them: nothing was committed in between. Who wants to know starts to
``watch`` before the first read. A store that notes nothing is never taken for unchanged.
"""

from collections.abc import Hashable
from contextvars import ContextVar


class Sight:
    """The versions that one piece of work saw."""

    __slots__ = ("_is_torn", "_version")

    def __init__(self) -> None:
        self._version: Hashable | None = None
        self._is_torn = False

    @property
    def version(self) -> Hashable | None:
        """The one version of all reads so far; None without one."""
        return None if self._is_torn else self._version

    def note(self, version: Hashable | None) -> None:
        """Note that something was read of a version; None when that cannot be told."""
        if version is None or self._version not in {None, version}:
            self._is_torn = True
        self._version = version


_SIGHT: ContextVar[Sight | None] = ContextVar("sight", default=None)


def watch() -> Sight:
    """Note from here on what this task, and tasks it starts, see of the store."""
    sight = Sight()
    _SIGHT.set(sight)
    return sight


def watching() -> Sight | None:
    """Return where reads are to be noted, if anybody wants to know."""
    return _SIGHT.get()
