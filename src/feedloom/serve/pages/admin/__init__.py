"""Pages for operators: state, people, registration, topics, proxies, spending."""

from feedloom.serve.pages.admin import people, proxies, state

ROUTES = (*state.ROUTES, *people.ROUTES, *proxies.ROUTES)
