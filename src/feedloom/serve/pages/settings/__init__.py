"""Settings: appearance, folders and tags, import and export, rules, sharing."""

from feedloom.serve.pages.settings import (
    folders,
    import_export,
    interests,
    preferences,
    rules,
    shared_feeds,
)
from feedloom.serve.routes import Route

ROUTES: tuple[Route, ...] = (
    *preferences.ROUTES,
    *folders.ROUTES,
    *import_export.ROUTES,
    *rules.ROUTES,
    *interests.ROUTES,
    *shared_feeds.ROUTES,
)
