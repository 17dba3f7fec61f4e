import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedloom.distill.plain_text import clean_text, cut

LINK = re.compile(r"://|\]\(|[<>]|\bwww\.\S|javascript:\S", re.IGNORECASE)
pieces = st.sampled_from(
    [
        "<", ">", "&lt;", "&amp;", "&#60;", "script", "[a]", "](", ")", "!", "http://x",
        "https:", "//", "javascript:", "www.", "x.example/", " ", "a", "]]>", "&gt;", "\n",
    ]
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Plain words stay.", "Plain words stay."),
        ("AT&T and R&D", "AT&T and R&D"),
        ("Prices rise 5 % (again)", "Prices rise 5 % (again)"),
        ("See [1] and [2, 3].", "See [1] and [2, 3]."),
        ("Amazon.com reports", "Amazon.com reports"),
        ("a [link](https://x.example) here", "a [link] here"),
        ("now https://x.example/a?b=c then", "now then"),
        ("<b>bold</b> text", "bold text"),
        ("Ärger für Müller – „ja“", "Ärger für Müller – „ja“"),  # noqa: RUF001 - the text of a headline
        ("😀 stays", "😀 stays"),
        ("1https://x.example and xjavascript:y", "and"),
        ("", ""),
    ],
)
def test_words_stay_and_links_go(text: str, expected: str):
    assert clean_text(text, 200) == expected


@pytest.mark.threat("L3")
@given(st.lists(pieces, max_size=30).map("".join) | st.text(max_size=200))
def test_no_link_and_no_markup_is_ever_left(text: str):
    cleaned = clean_text(text, 500)

    assert not LINK.search(cleaned)
    assert clean_text(cleaned, 500) == cleaned


@given(st.text(), st.integers(min_value=10, max_value=100))
def test_nothing_is_longer_than_its_limit(text: str, limit: int):
    assert len(cut(text, limit)) <= limit


def test_a_text_is_cut_between_words():
    assert cut("one two three four", 12) == "one two…"


def test_endless_layers_are_taken_apart_all_the_same():
    text = "<"
    for _ in range(30):
        text = text.replace("&", "&amp;").replace("<", "&lt;")
    cleaned = clean_text(f"{text}script{text}", 500)

    assert not LINK.search(cleaned)
    assert "&" not in cleaned
