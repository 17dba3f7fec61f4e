"""Programs that sync come in here: one package per protocol, all with app passwords."""

from feedloom.serve.doors import Door
from feedloom.serve.sync import fever, greader, icons, miniflux, nextcloud, views

DOORS: tuple[Door, ...] = (
    *nextcloud.DOORS,
    *greader.DOORS,
    *fever.DOORS,
    *miniflux.DOORS,
    *icons.DOORS,
    *views.DOORS,
)
"""Every address of every protocol, in the order they are tried."""
