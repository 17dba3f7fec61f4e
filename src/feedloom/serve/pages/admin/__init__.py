"""Pages for operators: state, people, registration, topics, proxies, spending."""

from feedloom.serve.pages.admin import people, proxies, registration, spending, state, topics
from feedloom.serve.routes import Route

ROUTES: tuple[Route, ...] = (
    *state.ROUTES,
    *people.ROUTES,
    *registration.ROUTES,
    *topics.ROUTES,
    *proxies.ROUTES,
    *spending.ROUTES,
)
"""Every route of this package."""
