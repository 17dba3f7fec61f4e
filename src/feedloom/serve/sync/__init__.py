"""Programs that sync come in here: one package per protocol, all with app passwords."""

from feedloom.serve.doors import Door
from feedloom.serve.sync import fever, greader, icons, miniflux, nextcloud

DOORS: tuple[Door, ...] = (
    *nextcloud.DOORS,
    *greader.DOORS,
    *fever.DOORS,
    *miniflux.DOORS,
    *icons.DOORS,
)
"""Every address of every protocol, in the order they are tried."""
