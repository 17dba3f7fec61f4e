"""The one way out to the network: requests in, whole and bounded answers out.

Every address is judged when it is dialled, whatever name, redirect or spelling led
there. See ``HTTPFetcher`` for what it promises, ``AllowList`` for what operators open.
"""

from feedloom.fetch.client import HTTPFetcher
from feedloom.fetch.connections import Limits, Wire
from feedloom.fetch.guard import AllowList
from feedloom.fetch.proxies import Proxy

__all__ = ["AllowList", "HTTPFetcher", "Limits", "Proxy", "Wire"]
