"""The circuit breaker: after repeated failures, no calls until one probe succeeds.

Holds state in memory only and never calls anything. Each admitted call must end in
exactly one of ``succeeded``, ``failed`` and ``released``.
"""

import time
from collections.abc import Callable

from feedloom.model.errors import ModelResting


class Breaker:
    """Counts failures in a row and decides whether a call may be tried."""

    def __init__(
        self,
        *,
        threshold: int = 5,
        wait_s: float = 60.0,
        longest_wait_s: float = 900.0,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._threshold = threshold
        self._first_wait_s = wait_s
        self._longest_wait_s = longest_wait_s
        self._monotonic = monotonic
        self._failures = 0
        self._wait_s = wait_s
        self._closed_until = 0.0
        self._probing = False

    @property
    def is_open(self) -> bool:
        """True while calls are refused, but for a probe now and then."""
        return self._failures >= self._threshold

    def admit(self) -> None:
        """Let a call pass, or raise ``ModelResting``."""
        if not self.is_open:
            return
        if self._probing or self._monotonic() < self._closed_until:
            raise ModelResting(detail="breaker open")
        self._probing = True

    def succeeded(self) -> None:
        """Note that the provider answered: all is well again."""
        self._failures = 0
        self._wait_s = self._first_wait_s
        self._probing = False

    def failed(self) -> None:
        """Note that the provider failed; each failed probe doubles the wait."""
        self._failures += 1
        if self._probing:
            self._wait_s = min(self._wait_s * 2, self._longest_wait_s)
        if self.is_open:
            self._closed_until = self._monotonic() + self._wait_s
        self._probing = False

    def released(self) -> None:
        """Note that a call ended without saying anything about the provider."""
        self._probing = False
