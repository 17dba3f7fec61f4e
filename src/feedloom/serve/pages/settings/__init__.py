"""Settings: appearance, folders and tags, import and export, rules, sharing."""

from feedloom.serve.pages.settings import folders, preferences, rules, shared_feeds

ROUTES = (*preferences.ROUTES, *folders.ROUTES, *rules.ROUTES, *shared_feeds.ROUTES)
