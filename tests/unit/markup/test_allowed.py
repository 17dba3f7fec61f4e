"""One list says which elements stay: what is taken out of it is taken out of articles."""

import re

import pytest

from feedloom.markup.allowed import TAGS
from feedloom.markup.sanitiser import Sanitiser, native_cleaner

_INSIDE_A_TABLE = {
    "caption": "<caption>x</caption>",
    "colgroup": "<colgroup></colgroup>",
    "col": "<colgroup><col></colgroup>",
    "tbody": "<tbody></tbody>",
    "thead": "<thead></thead>",
    "tfoot": "<tfoot></tfoot>",
    "tr": "<tr></tr>",
    "td": "<tr><td>x</td></tr>",
    "th": "<tr><th>x</th></tr>",
}


def sample(tag: str) -> str:
    """Return markup in which a parser finds the element."""
    if tag in _INSIDE_A_TABLE:
        return f"<table>{_INSIDE_A_TABLE[tag]}</table>"
    if tag == "img":
        return '<img src="https://example.org/a.png">'
    element = f"<{tag}>x</{tag}>"
    is_math = tag.startswith("m") and tag not in {"main", "mark", "math"}
    is_math = is_math or tag in {"none", "semantics"}
    return f"<math>{element}</math>" if is_math else element


def stays(tag: str, sanitiser: Sanitiser) -> bool:
    return re.search(rf"<{tag}[ >]", sanitiser.clean(sample(tag))) is not None


@pytest.mark.parametrize("tag", sorted(TAGS))
def test_an_element_stays_exactly_while_the_list_has_it(tag: str):
    without = Sanitiser(native_cleaner(TAGS - {tag}))

    assert stays(tag, Sanitiser(native_cleaner()))
    assert not stays(tag, without)
