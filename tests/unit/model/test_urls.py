"""Addresses: one strict spelling, and keys that agree with it."""

import string
from urllib.parse import urlsplit

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from feedloom.model.errors import BadAddress
from feedloom.model.urls import (
    _CANONICAL,
    MAX_URL,
    has_credentials,
    host_key,
    is_address,
    looks_private,
    normalise,
    read_address,
    registrable_domain,
    resolve,
    strip_tracking,
    url_key,
    without_credentials,
)

LABELS = st.text(string.ascii_letters + string.digits, min_size=1, max_size=12)
HOSTS = st.builds(lambda a, b: f"{a}.{b}.example", LABELS, LABELS)
PATHS = st.lists(st.text(max_size=10), max_size=4).map(lambda parts: "/" + "/".join(parts))
QUERIES = st.lists(st.tuples(LABELS, LABELS), max_size=4)
ADDRESSES = st.builds(
    lambda scheme, host, path, query: (
        f"{scheme}://{host}{path}" + ("?" + "&".join(f"{k}={v}" for k, v in query) if query else "")
    ),
    st.sampled_from(["http", "https", "HTTP", "Https"]),
    HOSTS,
    PATHS,
    QUERIES,
)


def readable(text: str) -> bool:
    try:
        read_address(text)
    except BadAddress:
        return False
    return True


@given(ADDRESSES.filter(readable))
def test_normalising_twice_is_normalising_once(url):
    once = normalise(url)

    assert normalise(once) == once
    assert url_key(once) == url_key(url)


@given(ADDRESSES.filter(readable))
def test_the_canonical_spelling_reads_the_same_everywhere(url):
    address = read_address(url)
    parts = urlsplit(str(address))

    assert parts.hostname == address.host
    assert parts.path == address.path
    assert parts.query == address.query


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text):
    for prefix in ("", "http://", "https://"):
        if readable(prefix + text):
            assert normalise(prefix + text).startswith(("http://", "https://"))


@given(ADDRESSES.filter(readable))
def test_the_shortcut_agrees_with_the_strict_reading(url):
    if _CANONICAL.fullmatch(url) and "/." not in url:
        assert str(read_address(url)) == url


# A path that holds "?" or "#" ends there: what follows is no list of parameters.
@given(HOSTS, PATHS.filter(lambda path: not {"?", "#"} & set(path)), QUERIES)
def test_the_key_is_blind_to_what_does_not_matter(host, path, query):
    pairs = [f"{k}={v}" for k, v in query]
    shuffled = "&".join(reversed(pairs))
    plain = f"http://{host}{path}?{'&'.join(pairs)}"
    assume(readable(plain))

    spellings = [
        f"https://{host}{path}?{shuffled}",
        f"http://{host.upper()}:80{path}?{shuffled}",
        f"{plain}&utm_source=mail&fbclid=1",
        f"{plain}#part",
    ]

    assert {url_key(spelling) for spelling in spellings} == {url_key(plain)}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://site.example/a", "https://site.example/b"),
        ("https://site.example/?a=1", "https://site.example/?a=2"),
        ("https://site.example:8080/", "https://site.example/"),
        ("https://me:pw@site.example/", "https://site.example/"),
        ("https://me:pw@site.example/", "https://me:other@site.example/"),
        ("https://www.site.example/", "https://site.example/"),
    ],
)
def test_different_documents_have_different_keys(one, other):
    assert url_key(one) != url_key(other)


@pytest.mark.threat("S15", "S23")
def test_a_key_holds_no_password():
    assert "hunter2" not in url_key("https://me:hunter2@site.example/feed")


@pytest.mark.threat("S4", "S5")
@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("HTTP://Example.ORG", "http://example.org/"),
        ("https://example.org:443/a/./b/../c", "https://example.org/a/c"),
        ("http://exämple.org/ü?q=ö", "http://xn--exmple-cua.org/%C3%BC?q=%C3%B6"),
        ("http://example.org/a b", "http://example.org/a%20b"),
        ("http://example.org./x", "http://example.org/x"),
        ("  http://example.org/x  ", "http://example.org/x"),
        ("http://[2001:DB8::1]:8080/x", "http://[2001:db8::1]:8080/x"),
        ("http://127.0.0.1/x", "http://127.0.0.1/x"),
        ("http://127。0。0。1/", "http://127.0.0.1/"),
        ("http://example.org/x#y", "http://example.org/x"),
        ("http://faß.de/", "http://xn--fa-hia.de/"),
        ("http://FASS.de/", "http://fass.de/"),
        ("http://βόλος.gr/", "http://xn--nxasmm1c.gr/"),
        ("http://MÜNCHEN.de/", "http://xn--mnchen-3ya.de/"),
        ("http://xn--mnchen-3ya.de/", "http://xn--mnchen-3ya.de/"),
        ("http://日本語。jp/", "http://xn--wgv71a119e.jp/"),
        ("http://עברית.co.il/", "http://xn--5dbqzzl.co.il/"),
        ("http://①②⑦.⓪.⓪.①/", "http://127.0.0.1/"),
        # Browsers take these, though no registry would.
        ("http://😀.la/", "http://xn--e28h.la/"),
        ("http://i❤.ws/", "http://xn--i-7iq.ws/"),
        ("http://-ü-.example/", "http://xn-----xka.example/"),
        ("http://a_b.example/", "http://a_b.example/"),
        ("http://_ü.example/", "http://xn--_-eha.example/"),
        ("http://a_b.ü.example/", "http://a_b.xn--tda.example/"),
        ("http://ab--cd.example/", "http://ab--cd.example/"),
        ("http://xn--a.example/", "http://xn--a.example/"),
    ],
)
def test_known_spellings(text, canonical):
    assert normalise(text) == canonical


@pytest.mark.threat("S6")
@pytest.mark.parametrize(
    "text",
    [
        "",
        "example.org",
        "ftp://example.org/",
        "javascript:alert(1)",
        "http://",
        "http:///path",
        "http://exa mple.org/",
        "http://example.org\\@evil.example/",
        "http://good.example@@evil.example/",
        "http://example.org:0/",
        "http://example.org:99999/",
        "http://example.org:/",
        "http://0x7f.1/",
        "http://2130706433/",
        "http://0177.0.0.1/",
        "http://127.1/",
        "http://1.2.3.256/",
        "http://[v1.x]/",
        "http://[::1/",
        "http://exam\tple.org/",
        "http://example.org/\r\nHost: evil",
        "http://example.org/\x00",
        "http://" + "a" * 64 + ".example/",
        "http://" + "a." * 130 + "example/",
        "http://example.org/" + "a" * 5000,
        "http://-example.org/",
        "http://a..b/",
        "http://example.org../",
        "http://exämple.org../",
        "http://xn--exämple.org/",
        "http://\u0378.org/",
        "http://ü!.org/",
        "http://١٢٣.org/",
        "http://example.org/\ud800",
        "http://\ud800.org/",
        "http://me:\udfff@example.org/",
        "http://example.org/?q=\udc80",
        "http://example.org/" + "ü" * 1000,
        "http://example.org/?" + "{" * 10 + '"' * 2000,
    ],
)
def test_what_cannot_be_read_beyond_doubt_is_refused(text):
    with pytest.raises(BadAddress):
        read_address(text)


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("www.example.org", "example.org"),
        ("a.b.example.co.uk", "example.co.uk"),
        ("me.github.io", "me.github.io"),
        ("co.uk", "co.uk"),
        ("localhost", "localhost"),
        ("127.0.0.1", "127.0.0.1"),
        ("::1", "::1"),
    ],
)
def test_registrable_domains(host, domain):
    assert registrable_domain(host) == domain


def test_politeness_is_counted_by_registrable_domain():
    assert host_key("https://a.example.org/x") == host_key("http://b.example.org:8080/")


@pytest.mark.parametrize(
    ("base", "link", "expected"),
    [
        ("https://site.example/a/b", "c", "https://site.example/a/c"),
        ("https://site.example/a/b", "/c", "https://site.example/c"),
        ("https://site.example/a/b", "//other.example/c", "https://other.example/c"),
        ("https://site.example/a/b", "javascript:alert(1)", None),
        ("https://site.example/a/b", "mailto:me@site.example", None),
        ("https://site.example/a/b", "http://[broken", None),
    ],
)
def test_links_are_resolved_or_refused(base, link, expected):
    assert resolve(base, link) == expected


@pytest.mark.parametrize(
    ("url", "clean"),
    [
        ("https://x.example/?utm_source=a&id=1&fbclid=2", "https://x.example/?id=1"),
        ("https://x.example/?utm_source=a", "https://x.example/"),
        ("https://x.example/?id=1#utm_source=2", "https://x.example/?id=1#utm_source=2"),
        ("https://x.example/utm_source", "https://x.example/utm_source"),
    ],
)
def test_tracking_parameters_are_dropped_and_no_others(url, clean):
    assert strip_tracking(url) == clean


def test_credentials_are_found_and_left_out():
    url = "https://me:pw@site.example/feed"

    assert has_credentials(url)
    assert without_credentials(url) == "https://site.example/feed"


@pytest.mark.parametrize(
    ("url", "private"),
    [
        ("https://blog.example/feed.xml", False),
        ("https://blog.example/2026/11/a-very-long-title-of-an-article/feed", False),
        ("https://blog.example/feed?format=atom&category=news", False),
        ("https://me:pw@blog.example/feed", True),
        ("https://blog.example/feed?token=abc", True),
        ("https://blog.example/feed?access_token=abc", True),
        ("https://blog.example/private/9f86d081884c7d659a2feaa0c55ad015", True),
        ("http://127.0.0.1/feed", True),
        ("http://intranet/feed", True),
    ],
)
def test_addresses_meant_for_one_person_are_recognised(url, private):
    assert looks_private(url) is private


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/" + "a" * MAX_URL,
        "http://" + "a." * 130 + "example/",
        "http://" + "abcdefghi." * 25 + "example/",
        "http://example.org/" + "ü" * 1000,
        "http://example.org/" + "a" * (MAX_URL - 20) + "<",
    ],
)
def test_no_spelling_is_given_that_would_be_refused(url):
    with pytest.raises(BadAddress):
        normalise(url)

    assert not is_address(url)
    assert resolve("http://example.org/", url) is None


@pytest.mark.parametrize("size", [200, 240, 253, 254, 300, MAX_URL])
def test_a_long_address_is_read_as_a_short_one(size):
    url = "http://example.org/".ljust(size, "a")

    assert is_address(url)
    assert normalise(url) == url == str(read_address(url))


@given(st.text(max_size=40), st.integers(1, 500))
def test_a_spelling_can_be_read_again(text, times):
    url = f"http://example.org/{text * times}"
    if is_address(url):
        assert normalise(normalise(url)) == normalise(url)
        assert url_key(normalise(url)) == url_key(url)
