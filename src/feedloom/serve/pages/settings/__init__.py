"""Settings: appearance, folders and tags, import and export, rules, sharing."""

from feedloom.serve.doors import Door
from feedloom.serve.pages.settings import choices, filters, moving, sharing, shelves

DOORS: tuple[Door, ...] = (
    *choices.DOORS,
    *shelves.DOORS,
    *moving.DOORS,
    *filters.DOORS,
    *sharing.DOORS,
)
