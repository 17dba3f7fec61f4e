"""Which way a text runs."""

import pytest

from feedloom.markup import is_rtl


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("שלום עולם", None),
        ("مرحبا بالعالم", "en"),
        ("سلام iPhone 15", None),
        ("שלום world", "en-US"),
        ("ދިވެހި", None),
        ("", "ar"),
        ("2025: 7!", "he-IL"),
        ("...", "ku_Arab"),
        ("", "uz-Arab-UZ"),
        ("", "IW"),
    ],
)
def test_texts_that_run_right_to_left(text: str, language: str | None):
    assert is_rtl(text, language)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Hello world", None),
        ("Hello world", "ar"),
        ("Grüße", "he"),
        ("Привет", None),
        ("日本語", None),
        ("The word שלום in a long English sentence", None),
        ("", None),
        ("", "en"),
        ("2025", "de"),
        ("", "arn"),
    ],
)
def test_texts_that_do_not(text: str, language: str | None):
    assert not is_rtl(text, language)


def test_only_the_beginning_of_a_long_text_is_looked_at():
    assert is_rtl("ש" * 500 + "a" * 100_000)
