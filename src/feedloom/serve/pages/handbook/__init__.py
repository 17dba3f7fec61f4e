"""What explains the program: the documentation site and the API document."""

from feedloom.serve.pages.handbook import api_docs, site
from feedloom.serve.routes import Route

ROUTES: tuple[Route, ...] = (*api_docs.ROUTES, *site.ROUTES)
