"""A second opinion on cleaned markup, by another HTML5 parser than the sanitiser's.

The lists here are written down again on purpose: a test that asked the sanitiser what
is allowed would agree with whatever it does.
"""

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

ELEMENTS = frozenset(
    re.findall(
        r"[\w-]+",
        "a abbr acronym address article aside audio b bdi bdo big blockquote br caption"
        " center cite code col colgroup dd del details dfn div dl dt em figcaption figure"
        " footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main mark nav ol p picture"
        " pre q rp rt ruby s samp section small source span strike strong sub summary sup"
        " table tbody td tfoot th thead time tr tt u ul var video wbr"
        " math menclose merror mfenced mfrac mi mmultiscripts mn mo mover mpadded mphantom"
        " mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext"
        " mtr munder munderover none semantics",
    )
)
ATTRIBUTES = frozenset(
    re.findall(
        r"[\w-]+",
        "align alt cite class colspan controls datetime dir height href hreflang id lang"
        " loading media name open poster preload rel reversed rowspan scope sizes span src"
        " srcset start target title type valign value width"
        " accent accentunder columnalign columnspan depth display displaystyle fence form"
        " linethickness lspace mathvariant maxsize minsize movablelimits notation rspace"
        " scriptlevel separator stretchy symmetric voffset",
    )
)
CLASSES = frozenset(
    re.findall(
        r"[\w-]+",
        "code-comment code-keyword code-type code-string code-number code-name code-removed"
        " code-added",
    )
)
"""Colours of words of code; only ``span`` has a class."""
ANCHOR = re.compile(r"at-[\w:.-]+")
ADDRESSES = frozenset({"cite", "href", "poster", "src"})
SAFE = re.compile(r"https?://[^\s\x00-\x1f\\]+|mailto:[^\s]+|tel:[^\s]+")


def body_of(markup: str) -> LexborNode:
    """Parse markup as the body of a page."""
    body = LexborHTMLParser(f"<!doctype html><body>{markup}").body
    assert body is not None
    return body


def reparsed(markup: str) -> str:
    """Return markup as the other parser writes it."""
    return body_of(markup).inner_html or ""


VOID = frozenset({"br", "col", "hr", "img", "source", "wbr"})
TAG = re.compile(r'<(/?)([a-zA-Z][\w-]*)((?: [\w:-]+(?:="[^"]*"|=0)?)*)>')


def imbalance(markup: str) -> str | None:
    """Name the first tag that has no partner at its place; None when all have one."""
    is_open: list[str] = []
    for tag in TAG.finditer(markup):
        ends, name = tag[1], tag[2]
        if ends and (not is_open or is_open.pop() != name):
            return tag[0]
        if not ends and name not in VOID:
            is_open.append(name)
    if "<" in TAG.sub("", markup):
        return "<"
    return is_open[-1] if is_open else None


def leaves_container(markup: str) -> bool:
    """Tell whether markup changes when it is inside a page, or what comes after it."""
    body = body_of(f"<main><div>{markup}</div><hr></main><footer></footer>")
    main, footer = body.css_first("main"), body.last_child
    inside = main.first_child if main else None
    after = inside.next if inside else None
    return (
        footer is None
        or footer.tag != "footer"
        or after is None
        or after.tag != "hr"
        or after.next is not None
        or inside is None
        or inside.inner_html != reparsed(markup)
    )


def complaints(markup: str) -> list[str]:
    """Say what in the markup could run, lead astray, or reach our own page."""
    found: list[str] = []
    for node in body_of(markup).traverse(include_text=False):
        tag = str(node.tag)
        if tag in {"body", "-comment"}:
            found += ["a comment"] if tag == "-comment" else []
            continue
        if tag not in ELEMENTS:
            found.append(f"element {tag}")
        for name, value in node.attributes.items():
            found += _complaints_about(tag, name, value or "")
        if tag == "a" and "href" in node.attributes:
            rel = (node.attributes.get("rel") or "").split()
            found += [] if {"noopener", "noreferrer"} <= set(rel) else ["a bare link"]
    return found


def _complaints_about(tag: str, name: str, value: str) -> list[str]:
    if name not in ATTRIBUTES:
        return [f"attribute {name} of {tag}"]
    if name in ADDRESSES and not SAFE.fullmatch(value):
        return [f"address {value[:60]!r} in {name} of {tag}"]
    if name in {"class", "id", "name"}:
        colours = name == "class" and tag == "span" and value in CLASSES
        names = name == "id" or (name == "name" and tag == "a")
        is_known = colours or (names and ANCHOR.fullmatch(value))
        return [] if is_known else [f"{name} {value!r} of {tag}"]
    if name == "srcset":
        addresses = [candidate.split()[0] for candidate in value.split(", ")]
        return [f"candidate {a!r}" for a in addresses if not SAFE.fullmatch(a)]
    return []
