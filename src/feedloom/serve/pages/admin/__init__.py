"""Pages for operators: how the installation is, people, feeds, events."""

from feedloom.serve.doors import Door
from feedloom.serve.pages.admin import people, state

DOORS: tuple[Door, ...] = (*state.DOORS, *people.DOORS)
"""Every door of this package."""
