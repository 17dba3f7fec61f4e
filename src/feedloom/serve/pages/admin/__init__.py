"""Pages for operators: how the installation is, people, feeds, topics, events."""

from feedloom.serve.doors import Door
from feedloom.serve.pages.admin import people, state, topics

DOORS: tuple[Door, ...] = (*state.DOORS, *people.DOORS, *topics.DOORS)
"""Every door of this package."""
