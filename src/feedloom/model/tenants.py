"""Tenants: groups of people with feeds of their own beside those everybody shares."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tenant:
    id: int
    slug: str
    name: str
    people: int = 0
    feeds: int = 0
    """Feeds that are the group's own."""
