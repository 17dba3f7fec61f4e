"""Feeds as people manage them: dashboard, list, forms, a feed's own page, directory."""

from feedloom.serve.pages.feeds import about, actions, dashboard, directory

ROUTES = (*dashboard.ROUTES, *directory.ROUTES, *about.ROUTES, *actions.ROUTES)
