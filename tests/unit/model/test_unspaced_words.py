"""Texts without spaces between words: any part of them is found."""

import pytest

from feedloom.model.search_query import fold, read_search, words_of
from feedloom.store.queries import like_pattern

TEXTS = (
    ("東京都の新しい図書館が開館した", ("東京", "図書館", "開館", "館", "新しい図書館")),
    ("서울에서 도서관이 새로 문을 열었다", ("서울", "도서관", "열었", "문")),
    ("上海图书馆今天开放", ("图书", "上海图书馆", "放")),
    ("ห้องสมุดแห่งใหม่เปิดแล้ว", ("สมุด", "ใหม่", "ห้องสมุด")),
    ("iPhone充電器のUSB端子", ("充電", "iphone", "usb端子", "充電器の")),
)


@pytest.mark.parametrize(("text", "parts"), TEXTS)
def test_every_part_of_a_text_is_a_phrase_of_its_index(text, parts):
    index = words_of(text)

    for part in parts:
        (term,) = read_search(part).terms
        assert is_phrase(term.words, index, goes_on=term.goes_on), part


def is_phrase(wanted: tuple[str, ...], words: tuple[str, ...], *, goes_on: bool) -> bool:
    for start in range(len(words) - len(wanted) + 1):
        found = words[start : start + len(wanted)]
        ends = found[-1].startswith(wanted[-1]) if goes_on else found[-1] == wanted[-1]
        if found[:-1] == wanted[:-1] and ends:
            return True
    return False


@pytest.mark.parametrize("part", ["京東", "図館", "都新"])
def test_what_does_not_stand_there_is_no_phrase(part):
    (term,) = read_search(part).terms

    assert not is_phrase(term.words, words_of(TEXTS[0][0]), goes_on=term.goes_on)


def test_words_of_other_scripts_stay_whole():
    assert words_of("Kölner Straße, привет हिन्दी") == (
        "kolner",
        "strasse",
        "привет",
        *words_of("हिन्दी"),
    )
    assert fold("한국") == "한국"


def test_bookmarks_are_asked_for_the_text_itself():
    (term,) = read_search("図書館").terms

    assert like_pattern(term.text) == "%図書館%"
