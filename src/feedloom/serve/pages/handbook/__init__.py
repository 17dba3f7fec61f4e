"""What explains the program: the documentation site and the API document."""

from feedloom.serve.doors import Door
from feedloom.serve.pages.handbook import api_docs, site

DOORS: tuple[Door, ...] = (*api_docs.DOORS, *site.DOORS)
