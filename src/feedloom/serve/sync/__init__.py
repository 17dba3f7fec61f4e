"""Programs that sync come in here: one package per protocol, all with app passwords."""

from feedloom.serve.doors import Door

DOORS: tuple[Door, ...] = ()
"""Every address of every protocol, in the order they are tried."""
