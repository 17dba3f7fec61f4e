"""The corpus of feeds: every format, namespace, encoding and oddity we know of.

Each case is one document that shows one thing. ``ordinary`` ones are what publishers
write every day; the fast path must read nearly all of them by itself.
"""

from tests.corpus.feeds.atom_cases import ATOM, ATOM03, ODD_ATOM
from tests.corpus.feeds.damage_cases import DAMAGE
from tests.corpus.feeds.date_cases import DATES
from tests.corpus.feeds.encoding_cases import ENCODINGS
from tests.corpus.feeds.extension_cases import EXTENSIONS
from tests.corpus.feeds.json_cases import JSON
from tests.corpus.feeds.pieces import NOW, URL, Case
from tests.corpus.feeds.rdf_cases import ODD_RDF, RDF
from tests.corpus.feeds.rss_cases import RSS
from tests.corpus.feeds.rss_odd_cases import ODD_RSS

XML = [
    *RSS,
    *ODD_RSS,
    *ATOM,
    *ODD_ATOM,
    *ATOM03,
    *RDF,
    *ODD_RDF,
    *EXTENSIONS,
    *DATES,
    *ENCODINGS,
    *DAMAGE,
]
CASES = [*XML, *JSON]

__all__ = ["CASES", "NOW", "URL", "XML", "Case"]
