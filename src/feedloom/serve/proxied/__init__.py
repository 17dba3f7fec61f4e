"""Public access to proxied feeds: ``/rss`` and the lookups of browser plug-ins.

No cookie is looked at and any page may ask. When a token is set, it is asked for. What
is answered comes from rows and memory: nothing here reaches the network or a model.
"""

from feedloom.serve.proxied import documents, lookups
from feedloom.serve.proxied.document_cache import DocumentCache as DocumentCache

ROUTES = (*documents.ROUTES, *lookups.ROUTES)
