"""The native library under this package, and how it fails."""

from typing import Protocol


class Native(Protocol):
    """The library that parses, filters and serialises."""

    def clean(self, html: str) -> str:
        """Return markup of which only what is allowed is left."""
        ...


def is_panic(error: BaseException) -> bool:
    """Tell a panic of native code from an interrupt or an exit.

    A panic is no ``Exception``, and its class cannot be imported.
    """
    return type(error).__name__ == "PanicException"
