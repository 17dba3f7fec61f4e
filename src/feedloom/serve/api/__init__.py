"""JSON resources: one module each, with its own ``DOORS``."""

from feedloom.serve.api import me, probes
from feedloom.serve.doors import Door

DOORS: tuple[Door, ...] = (*probes.DOORS, *me.DOORS)
"""Every door of this package, in the order they are tried."""
