"""What the sanitiser allows: elements, attributes and address schemes.

Only tables of names. The rule behind them: no element here makes a browser read what
follows as anything but ordinary markup (no raw text, no foreign content with scripts),
so the serialised result cannot turn into something else when it is parsed again.
MathML stays for that reason; SVG does not, because of its links, animations and styles.
"""

import re


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


BLOCKS = _names(
    "address article aside blockquote br caption center dd details div dl dt figcaption"
    " figure footer h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary"
    " table tbody td tfoot th thead tr ul"
)
"""Elements that begin a new line of text."""

VOID = _names(
    "area base basefont bgsound br col embed frame hr img input keygen link meta param"
    " source track wbr"
)

RAW_TEXT = _names("iframe noembed noframes noscript plaintext script style textarea title xmp")
"""Elements whose content is not markup; it is never shown."""

_MATH = _names(
    "math menclose merror mfenced mfrac mi mmultiscripts mn mo mover mpadded mphantom"
    " mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext"
    " mtr munder munderover none semantics"
)

_INLINE = _names(
    "a abbr acronym audio b bdi bdo big cite code col colgroup del dfn em i img ins kbd"
    " mark picture q rp rt ruby s samp small source span strike strong sub sup time tt"
    " u var video wbr"
)

TAGS = BLOCKS | _INLINE | _MATH

DROPPED_WITH_CONTENT = RAW_TEXT | _names(
    "annotation annotation-xml applet button canvas datalist dialog head"
    " object option select svg template"
)

_MATH_ATTRIBUTES = _names(
    "accent accentunder columnalign columnspan depth display displaystyle fence form"
    " height linethickness lspace mathvariant maxsize minsize movablelimits notation"
    " rowspan rspace scriptlevel separator stretchy symmetric voffset width"
)

ATTRIBUTES: dict[str, frozenset[str]] = {
    "*": frozenset({"dir", "id", "lang", "title"}),
    "a": frozenset({"href", "hreflang", "name"}),
    "audio": frozenset({"src"}),
    "blockquote": frozenset({"cite"}),
    "col": frozenset({"align", "span"}),
    "colgroup": frozenset({"align", "span"}),
    "del": frozenset({"cite", "datetime"}),
    "details": frozenset({"open"}),
    "img": frozenset({"alt", "height", "sizes", "src", "srcset", "width"}),
    "ins": frozenset({"cite", "datetime"}),
    "li": frozenset({"value"}),
    "ol": frozenset({"reversed", "start", "type"}),
    "q": frozenset({"cite"}),
    "source": frozenset({"media", "sizes", "src", "srcset", "type"}),
    "span": frozenset({"class"}),
    "table": frozenset({"align"}),
    "td": frozenset({"align", "colspan", "rowspan", "valign"}),
    "th": frozenset({"align", "colspan", "rowspan", "scope", "valign"}),
    "time": frozenset({"datetime"}),
    "tr": frozenset({"align", "valign"}),
    "video": frozenset({"height", "poster", "src", "width"}),
} | dict.fromkeys(_MATH, _MATH_ATTRIBUTES)

LAZY_SOURCES = ("data-src", "data-lazy-src", "data-original", "data-orig-src")
"""Where scripts for lazy loading keep the address the image really has."""

LAZY_SRCSETS = ("data-srcset", "data-lazy-srcset")

JUDGED = ATTRIBUTES | {"img": ATTRIBUTES["img"] | {*LAZY_SOURCES, *LAZY_SRCSETS, "style"}}
"""What is looked at; what images have here and not above is gone once they are settled."""

SCHEMES = frozenset({"http", "https", "mailto", "tel"})

# The most frequent stand first, and case matters, because every article passes here.
UNUSUAL = re.compile(
    r"<(?!!--|/?(?:p|a|img|li|em|strong|b|i|span|div|br|ul|ol|h[1-6]|code|pre|figure"
    r"|figcaption|blockquote|abbr|acronym|address|article|aside|bdi|bdo|big|button"
    r"|center|circle|cite|dd|del|details|dfn|dl|dt|font|footer|g|header|hr|ins|kbd|line"
    r"|link|main|mark|meta|nav|nobr|noscript|path|picture|polygon|polyline|q|rect"
    r"|s|samp|script|section|small|source|strike|style|sub|summary|sup|svg|time|tt"
    r"|u|use|var|wbr)[\s/>])"
    r"[a-zA-Z/!?]"
)
"""A tag, or what may be one, after which cleaning must be checked for being final.

The others were found to give the same tree when their serialisation is parsed again, in
any order and nesting. Tables are not among them, nor is anything we do not know.
"""
