"""How often one person may use an expensive route: search, export, discovery.

Counts in this process alone, in windows of a minute: it keeps one person from taking
all, and is no account of anything.
"""

from collections import Counter
from dataclasses import dataclass, field

from feedloom.model.errors import Throttled

_WINDOW_S = 60


@dataclass(slots=True)
class RequestRate:
    per_minute: int
    _window: int = 0
    _uses: Counter[str] = field(default_factory=Counter)

    def note(self, who: str, now_s: float) -> None:
        """Count one use; ``Throttled`` when it is one too many this minute."""
        window, into = divmod(int(now_s), _WINDOW_S)
        if window != self._window:
            self._window = window
            self._uses.clear()
        self._uses[who] += 1
        if self._uses[who] > self.per_minute:
            raise Throttled(retry_after_s=_WINDOW_S - into)
