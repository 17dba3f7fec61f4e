"""Site shapes: small invented sites, each with one oddity and the feed to be found.

A shape is data: per host a map from path (with query) to an answer, what a person
pastes, and the canonical feed, or None when nothing is to be found. Bodies, headers and
addresses hold placeholders, so that the same shape can be served in memory or by real
servers on loopback:

    {base0} {base1} …   scheme, host and port of a host ("http://127.0.0.1:8001")
    {host0} {host1} …   host and port alone
    {day3} {iso3} …     the moment that many days ago, as RSS and as Atom write it

``load_shapes()`` returns all of them; ``Shape.served(bases, now)`` fills the placeholders
in. Give each host of a shape its own name or address: two ports of one address are one
site to us. A host listed in ``down`` must refuse connections. Serve plain HTTP only, so
that what tries https first falls back.
"""

from tests.corpus.sites import (
    anchors,
    choices,
    errors,
    guessable,
    headers,
    kinds,
    links,
    lists,
    moves,
    parts,
    pasted,
    platforms,
    pointers,
)
from tests.corpus.sites.building import Answer, Served, Shape

__all__ = ["Answer", "Served", "Shape", "load_shapes"]

_MODULES = (
    *(links, kinds, choices, headers, anchors, lists, parts, pointers, guessable, pasted),
    *(moves, errors, platforms),
)


def load_shapes() -> tuple[Shape, ...]:
    """Return every shape, in the order of the files."""
    return tuple(shape for module in _MODULES for shape in module.SHAPES)
