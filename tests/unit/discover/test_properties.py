"""Whatever comes in: nothing but our own errors comes out, and always the same."""

import string

from hypothesis import given, settings
from hypothesis import strategies as st

from feedloom.discover import (
    Discovery,
    Reply,
    guesses,
    page_candidates,
    platform_candidates,
    read_input,
    read_page,
)
from feedloom.discover.looks import asked_kind, depth_of, is_within, kind_of, looks_like_feed
from feedloom.model.errors import BadAddress, NotAFeed, Unreachable
from feedloom.model.stages import FetchResponse
from feedloom.model.urls import normalise, resolve
from tests.unit.discover.making import SITE, entry, feed
from tests.unit.discover.memory_web import NOW

_PIECES = st.sampled_from(
    [
        "<link rel=alternate type='application/rss+xml' href='",
        "<a href='",
        "<base href='",
        "<meta http-equiv=refresh content='0;url=",
        "<frameset><frame src='",
        "/feed.xml",
        "feed:",
        "//x.example/rss",
        "https://feedly.com/i/subscription/feed/http:",
        "'>",
        '"',
        "RSS</a>",
        "<!--",
        "-->",
        "<script>",
        "</title>",
        "\x00",
        "\ud7ff",
        "&#xD800;",
        "generator: Discourse",
        "https://api.w.org/",
        "@ann",
        "%",
        "[",
    ]
)
soup = st.lists(_PIECES | st.text(max_size=20), max_size=30).map("".join)
paths = st.text(string.ascii_letters + string.digits + "/._-~@?&=%+:;,$!'()*#[]", max_size=60)
hosts = st.sampled_from(
    ["site.example", "www.youtube.com", "github.com", "gitlab.com", "medium.com", "x.com"]
)
addresses = st.builds(lambda host, path: resolve(f"https://{host}/", "/" + path), hosts, paths)


def fetched(body: bytes, headers: dict[str, str]) -> FetchResponse:
    return FetchResponse(SITE + "/a", 200, headers, body)


@settings(deadline=None)
@given(st.text(max_size=300) | soup)
def test_read_input_gives_strict_addresses_or_bad_address(text):
    try:
        found = read_input(text)
    except BadAddress:
        return

    assert found.urls
    assert all(normalise(url) == url for url in (*found.urls, found.about))


@settings(deadline=None)
@given(
    st.binary(max_size=400) | soup.map(lambda text: text.encode("utf-8", "replace")),
    st.fixed_dictionaries(
        {"content-type": st.text(max_size=40), "link": st.text(max_size=120) | soup}
    ),
)
def test_any_bytes_are_a_page_and_its_candidates_are_strict_addresses(body, headers):
    page = read_page(fetched(body, headers))
    again = read_page(fetched(body, headers))

    found = (*page_candidates(page), *platform_candidates(page.url, page))

    assert again == page
    assert all(normalise(one.url) == one.url for one in found)
    assert all(one.url.startswith(("http://", "https://")) for one in found)


@settings(deadline=None)
@given(addresses, soup)
def test_any_address_can_be_judged(url, text):
    if url is None:
        return
    found = (*platform_candidates(url), *guesses(url))

    assert all(normalise(one.url) == one.url for one in found)
    assert kind_of(url, text) is kind_of(url, text)
    assert depth_of(url) >= 0
    assert isinstance(looks_like_feed(url), bool)
    assert isinstance(is_within(url, url), bool)
    assert asked_kind(url) is asked_kind(url)


replies = st.one_of(
    st.just(Reply(error=Unreachable())),
    st.builds(
        lambda status, body, hops: (status, body, hops),
        st.sampled_from([200, 200, 301, 403, 404, 410, 500, 503]),
        soup,
        st.integers(0, 3),
    ),
)


def _reply(url: str, drawn) -> Reply:
    if isinstance(drawn, Reply):
        return drawn
    status, body, hops = drawn
    is_feed = "feed" in body
    return Reply(
        fetched=FetchResponse(
            url, status, {"content-type": "text/html"}, body.encode("utf-8", "replace"), hops=hops
        ),
        parsed=feed(entry()) if is_feed else None,
        error=None if is_feed else NotAFeed(),
    )


@settings(max_examples=60, deadline=None)
@given(st.data(), addresses)
def test_any_web_is_searched_within_the_budget_and_to_an_end(data, url):
    if url is None:
        return
    discovery = Discovery(read_input(url), now=NOW, hub="https://hub.example")
    rounds = 0
    while requests := discovery.next_requests():
        rounds += 1
        for request in requests:
            discovery.answer(request.url, _reply(request.url, data.draw(replies)))

    found = discovery.result()

    assert discovery.done
    assert found.requests <= 25
    assert rounds <= 25
    assert found == discovery.result()
    assert (found.canonical is not None) is any(one.valid for one in found.candidates)
    assert len({one.url for one in found.candidates}) == len(found.candidates)
