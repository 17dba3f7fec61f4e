"""Ports: what the flow needs from outside, where there is more than one implementation.

Stores have one, so they are typed by their own classes and handed over by ``app``.
All methods are coroutines on one event loop unless said otherwise. Times are aware
and UTC. Errors are those of ``feedloom.model.errors``; anything else is a bug.
"""

from feedloom.model.ports.world import Clock, Fetcher, HostRateLimit, Parser

__all__ = ["Clock", "Fetcher", "HostRateLimit", "Parser"]
