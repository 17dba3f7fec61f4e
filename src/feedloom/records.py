"""Values that are made thousands of times a second, and never changed.

``@record`` makes a class what ``@dataclass(frozen=True, slots=True)`` makes of it, but
that nothing is assigned to a field later is seen by the type checker, not at run time.
A frozen dataclass is made three times as slowly, field by field through a function: of
a feed's refresh that was a fourteenth.
"""

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: type[T]) -> type[T]:
    """Make a class a value: compared by its fields, and as good a key as they are."""
    return dataclass(slots=True, unsafe_hash=True)(cls)
