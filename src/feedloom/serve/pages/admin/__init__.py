"""Pages for operators: how the installation is, people, feeds, proxies, AI, events."""

from feedloom.serve.doors import Door
from feedloom.serve.pages.admin import people, proxies, spending, state, topics

DOORS: tuple[Door, ...] = (
    *state.DOORS,
    *people.DOORS,
    *topics.DOORS,
    *proxies.DOORS,
    *spending.DOORS,
)
"""Every door of this package."""
