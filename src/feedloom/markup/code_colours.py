"""Colours of code: the classes that highlighters write in; a few of our own out.

Pages colour ``code-…`` classes inside ``pre`` and nothing else, so a publisher can colour
words of code and reach no other style of ours.
"""

_SOURCES = {
    "comment": "hljs-comment hljs-quote comment prolog doctype cdata c c1 ch cm cp cpf cs pl-c",
    "keyword": (
        "hljs-keyword hljs-literal hljs-selector-tag hljs-meta keyword boolean important atrule"
        " k kc kd kn kp kr ow pl-k"
    ),
    "type": "hljs-type hljs-built_in hljs-class class-name builtin kt nc nb bp ne",
    "string": (
        "hljs-string hljs-regexp string char attr-value regex url"
        " s s1 s2 sa sb sc sd dl se sh si sr ss sx pl-s pl-pds"
    ),
    "number": "hljs-number hljs-symbol number constant symbol m mb mf mh mi mo il no pl-c1",
    "name": (
        "hljs-title hljs-name hljs-attr hljs-attribute hljs-variable hljs-property hljs-section"
        " function tag attr-name property selector variable"
        " fm na nd nf nt nv vc vg vi pl-e pl-en pl-ent pl-smi pl-v"
    ),
    "removed": "hljs-deletion deleted gd pl-md",
    "added": "hljs-addition inserted gi pl-mi1",
}
CODE_CLASSES = {
    word: f"code-{kind}" for kind, words in _SOURCES.items() for word in [*words.split()]
} | {f"code-{kind}": f"code-{kind}" for kind in _SOURCES}


def code_class(value: str) -> str | None:
    """Return our class for what a highlighter calls a word, if it is one we know."""
    return next(filter(None, map(CODE_CLASSES.get, value[:200].split())), None)
