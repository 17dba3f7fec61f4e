"""What people paste, and what is made of it."""

import pytest

from feedloom.discover import read_input
from feedloom.discover.pasted import (
    EMPTY,
    HANDLE_WITHOUT_HOST,
    NOT_AN_ADDRESS,
    TOO_LONG,
    WRONG_SCHEME,
)
from feedloom.model.errors import BadAddress

_BARE = ("https://site.example/a", "http://site.example/a", "https://www.site.example/a")
_WEBFINGER = "://social.example/.well-known/webfinger?resource=acct:ann@social.example"
_HANDLE = (
    "https" + _WEBFINGER,
    "https://social.example/@ann",
    "http" + _WEBFINGER,
    "http://social.example/@ann",
)


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        ("https://site.example/a", ("https://site.example/a",)),
        ("HTTPS://Site.Example/a#top", ("https://site.example/a",)),
        ("http://site.example/a", ("http://site.example/a", "https://site.example/a")),
        ("https://ann:pw@site.example/a", ("https://ann:pw@site.example/a",)),
        ("  https://site.example/a\n", ("https://site.example/a",)),
        ("<https://site.example/a>", ("https://site.example/a",)),
        ('"https://site.example/a"', ("https://site.example/a",)),
        ("\u201chttps://site.example/a\u201d,", ("https://site.example/a",)),
        ("(['https://site.example/a'])", ("https://site.example/a",)),
        ("https://site.example/a\u200b", ("https://site.example/a",)),
        ("[my site](https://site.example/a)", ("https://site.example/a",)),
        ("[x](https://site.example/a_(b))", ("https://site.example/a_(b)",)),
        ('<a href="https://site.example/a">x</a>', ("https://site.example/a",)),
        ("Read https://site.example/a, it is good!", ("https://site.example/a",)),
        ("feed:https://site.example/a", ("https://site.example/a",)),
        ("FEED:https://site.example/a", ("https://site.example/a",)),
        ("feed:http://site.example/a", ("http://site.example/a", "https://site.example/a")),
        ("feeds://site.example/a", ("https://site.example/a",)),
        ("feeds:site.example/a", ("https://site.example/a",)),
        ("feed://site.example/a", _BARE),
        ("pcast://site.example/a", _BARE),
        ("rss:site.example/a", _BARE),
        ("view-source:https://site.example/a", ("https://site.example/a",)),
        ("site.example/a", _BARE),
        ("//site.example/a", _BARE),
        ("http:/site.example/a", ("http://site.example/a", "https://site.example/a")),
        ("https:site.example/a", ("https://site.example/a",)),
        ("https//site.example/a", ("https://site.example/a",)),
        ("http://https://site.example/a", ("https://site.example/a",)),
        ("news.site.example", ("https://news.site.example/", "http://news.site.example/")),
        ("feeds.site.example/x", ("https://feeds.site.example/x", "http://feeds.site.example/x")),
        ("site.example:8080/a", ("https://site.example:8080/a", "http://site.example:8080/a")),
        ("localhost:8000", ("https://localhost:8000/", "http://localhost:8000/")),
        ("127.0.0.1:80/x", ("https://127.0.0.1:80/x", "http://127.0.0.1/x")),
        ("[::1]:8000", ("https://[::1]:8000/", "http://[::1]:8000/")),
        (
            "b\u00fccher.example",
            (
                "https://xn--bcher-kva.example/",
                "http://xn--bcher-kva.example/",
                "https://www.xn--bcher-kva.example/",
            ),
        ),
        ("@ann@social.example", _HANDLE),
        ("ann@social.example", _HANDLE),
        ("acct:ann@social.example", _HANDLE),
        ("r/tea", ("https://www.reddit.com/r/tea/",)),
        ("/r/tea+coffee/", ("https://www.reddit.com/r/tea+coffee/",)),
        ("u/ann", ("https://www.reddit.com/user/ann/",)),
        (
            "!tea@social.example:8000",
            ("https://social.example:8000/c/tea", "http://social.example:8000/c/tea"),
        ),
    ],
)
def test_pasted_text_becomes_addresses_to_try_in_order(text, urls):
    assert read_input(text).urls == urls


def test_a_handle_is_about_its_profile_page():
    found = read_input("@ann@social.example")

    assert found.handle == "ann@social.example"
    assert found.about == "https://social.example/@ann"


def test_an_address_is_about_itself():
    found = read_input("site.example")

    assert found.handle is None
    assert found.about == "https://site.example/"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", EMPTY),
        (" \n\t ", EMPTY),
        ("<>", EMPTY),
        ("cooking", NOT_AN_ADDRESS),
        ("how to brew tea", NOT_AN_ADDRESS),
        ("@ann", HANDLE_WITHOUT_HOST),
        ("mailto:ann@site.example", WRONG_SCHEME),
        ("javascript:alert(1)", WRONG_SCHEME),
        ("file:///etc/passwd", WRONG_SCHEME),
        ("ftp://site.example/", WRONG_SCHEME),
        ("data:text/html,x", WRONG_SCHEME),
        ("feed:javascript:alert(1)", WRONG_SCHEME),
        ("https://", NOT_AN_ADDRESS),
        ("http:", NOT_AN_ADDRESS),
        ("https://site.example:99999/", NOT_AN_ADDRESS),
        ("https://0x7f.1/", NOT_AN_ADDRESS),
        ("https://site.example\\@evil.example/", NOT_AN_ADDRESS),
        ("2130706433", NOT_AN_ADDRESS),
        ("site..example", NOT_AN_ADDRESS),
        ("https://site.example/" + "a" * 5000, TOO_LONG),
        ("a" * 1_000_000, TOO_LONG),
    ],
)
def test_what_is_no_address_is_refused_with_a_sentence(text, sentence):
    with pytest.raises(BadAddress) as refused:
        read_input(text)

    assert str(refused.value) == sentence
