"""The native library under this package, and how it fails."""

from typing import Protocol


class Native(Protocol):
    def clean(self, html: str) -> str: ...


def is_panic(error: BaseException) -> bool:
    """Tell a panic of native code from an interrupt or an exit.

    A panic is no ``Exception``, and its class cannot be imported.
    """
    return type(error).__name__ == "PanicException"
