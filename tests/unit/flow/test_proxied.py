"""Looking articles up: the spellings an address may be stored under."""

import pytest

from feedloom.flow.distill.proxies import address_hashes, read_domain
from feedloom.model.errors import BadAddress, InvalidInput
from feedloom.model.urls import url_hash


@pytest.mark.parametrize(
    "asked",
    [
        "https://site.example/story",
        "http://site.example/story",
        "https://site.example/story/",
        "https://SITE.example/story#comments",
        "https://site.example/story?utm_source=feed&fbclid=1",
    ],
)
@pytest.mark.parametrize(
    "stored",
    ["https://site.example/story", "https://site.example/story/", "http://site.example/story"],
)
def test_spellings_of_one_address_meet(asked, stored):
    assert url_hash(stored) in address_hashes(asked)


def test_other_addresses_do_not_meet():
    hashes = address_hashes("https://site.example/story?id=1")

    for other in ("https://site.example/story", "https://site.example/story?id=2"):
        assert url_hash(other) not in hashes


def test_what_is_no_address_is_refused():
    with pytest.raises(BadAddress):
        address_hashes("story")


@pytest.mark.parametrize(
    ("text", "domain"),
    [
        ("Example.ORG", "example.org"),
        (" example.org. ", "example.org"),
        ("bücher.example", "xn--bcher-kva.example"),
    ],
)
def test_domains_are_read_as_people_write_them(text, domain):
    assert read_domain(text) == domain


@pytest.mark.parametrize("text", ["", "a b", "a/b", "a:80", "user@a", "http://a.b", ".."])
def test_what_is_no_domain_is_refused(text):
    with pytest.raises(InvalidInput):
        read_domain(text)
