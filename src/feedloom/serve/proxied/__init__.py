"""Proxied feeds for everybody: ``/rss`` and the lookups of browser plug-ins.

No cookie is looked at and any page may ask. When a token is set, it is asked for. What
is answered comes from rows and memory: nothing here reaches the network or a model.
"""

from feedloom.serve.doors import Door
from feedloom.serve.proxied import documents, lookups
from feedloom.serve.proxied.front import Front
from feedloom.serve.proxied.shelf import Shelf

__all__ = ["DOORS", "Front", "Shelf"]

DOORS: tuple[Door, ...] = (*documents.DOORS, *lookups.DOORS)
"""Every door of this package."""
