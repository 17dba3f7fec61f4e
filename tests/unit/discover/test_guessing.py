"""Where feeds are guessed, in which order and how many."""

import pytest

from feedloom.discover import guesses, read_directory
from feedloom.discover.common_paths import AT_ROOT, MAX_GUESSES, folders_above, guesses_beside
from feedloom.model.stages import Origin
from feedloom.model.urls import MAX_URL, read_address, url_key


def paths(url: str) -> list[str]:
    return [one.url.removeprefix("https://site.example") for one in guesses(url)]


def test_at_the_root_the_likeliest_names_come_first():
    assert paths("https://site.example/")[:6] == [
        "/feed",
        "/rss",
        "/rss.xml",
        "/feed.xml",
        "/index.xml",
        "/atom.xml",
    ]


def test_the_order_is_that_of_the_directory():
    names = [read_address(one.feed_url).path.strip("/") for one in read_directory()]
    counts = [names.count(name) for name in AT_ROOT[:6]]

    assert counts == sorted(counts, reverse=True)


@pytest.mark.parametrize(
    ("url", "first"),
    [
        ("https://site.example/~ann/walk.html", "/~ann/feed"),
        ("https://site.example/~ann/", "/~ann/feed"),
        ("https://site.example/blog", "/blog/feed"),
        ("https://site.example/en/blog/", "/en/blog/feed"),
        ("https://site.example/blog/2024/05/a-walk", "/blog/feed"),
        ("https://site.example/2024/05/a-walk/", "/feed"),
        ("https://site.example/walk.html", "/feed"),
        ("https://site.example/category/tea", "/category/tea/feed"),
    ],
)
def test_folders_that_may_be_sites_come_before_the_root(url, first):
    assert paths(url)[0] == first
    assert "/feed" in paths(url)


def test_guesses_are_few_and_never_the_page_itself():
    for url in (
        "https://site.example/feed",
        "https://site.example/a/b/c/",
        "https://site.example/",
    ):
        found = guesses(url)
        keys = [url_key(one.url) for one in found]

        assert len(found) <= MAX_GUESSES
        assert len(set(keys)) == len(keys)
        assert url_key(url) not in keys
        assert {one.origin for one in found} == {Origin.GUESS}


def test_port_and_credentials_are_kept():
    assert guesses("https://ann:pw@site.example:8080/x?y=1")[5].url == (
        "https://ann:pw@site.example:8080/feed"
    )


def test_guesses_beside_stay_in_the_folder():
    assert {
        one.url.rpartition("/")[0] for one in guesses_beside("https://site.example/~ann/x.html")
    } == {"https://site.example/~ann"}
    assert guesses_beside("https://site.example/") == ()


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://site.example/", ["/"]),
        ("https://site.example/~ann/walk.html", ["/~ann/", "/"]),
        ("https://site.example/blog/2024/05/a-walk", ["/blog/", "/"]),
        ("https://site.example/a/b/c.html", ["/a/b/", "/a/", "/"]),
        ("https://site.example/blog/?page=2", ["/blog/", "/"]),
    ],
)
def test_pages_above(url, expected):
    assert [one.removeprefix("https://site.example") for one in folders_above(url)] == expected


def test_no_guess_is_longer_than_an_address_may_be():
    found = guesses("https://site.example/" + "a" * (MAX_URL - 30) + "/b.html")

    assert found
    assert all(read_address(one.url) for one in found)
