"""The documentation site and the page of the API."""

from feedloom.serve.pages.handbook import api_docs, site
from feedloom.serve.routes import Route

ROUTES: tuple[Route, ...] = (*api_docs.ROUTES, *site.ROUTES)
