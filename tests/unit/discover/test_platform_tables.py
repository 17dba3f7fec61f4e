"""The provider tables against the adapters."""

from functools import partial

import pytest

from feedloom.discover import Discovery, Page, Reply, platform_candidates, read_input
from feedloom.discover.platforms import PROVIDERS, Provider, candidates_from, external_candidates
from feedloom.model.stages import FetchResponse, Origin
from feedloom.model.urls import read_address
from tests.unit.discover import platform_rows, platform_rows_more
from tests.unit.discover.making import entry, feed
from tests.unit.discover.memory_web import NOW
from tests.unit.discover.platform_rows import HUB, WITH_PAGE_NOT_MATCHING

MATCHING = [*platform_rows.MATCHING, *platform_rows_more.MORE_MATCHING]
NOT_MATCHING = [*platform_rows.NOT_MATCHING, *platform_rows_more.MORE_NOT_MATCHING]
WITH_PAGE = [*platform_rows.WITH_PAGE, *platform_rows_more.MORE_WITH_PAGE]
EXTERNAL = [
    *platform_rows.EXTERNAL,
    *((url, path and f"{HUB}/{path}") for url, path in platform_rows_more.MORE_EXTERNAL),
]


def test_there_are_at_least_150_rows_for_at_least_18_providers():
    rows = len(MATCHING) + len(NOT_MATCHING) + len(WITH_PAGE) + len(WITH_PAGE_NOT_MATCHING)

    assert rows + len(EXTERNAL) >= 150
    assert len({provider.name for provider in PROVIDERS}) >= 18


@pytest.mark.parametrize(("url", "feeds"), MATCHING)
def test_an_address_of_a_provider_leads_to_its_feeds(url, feeds):
    found = platform_candidates(url)

    assert [one.url for one in found] == feeds
    assert [one.rank for one in found] == list(range(len(feeds)))
    assert {one.origin for one in found} == {Origin.PLATFORM}
    assert all(one.title for one in found)


@pytest.mark.parametrize("url", NOT_MATCHING)
def test_look_alikes_and_other_pages_lead_nowhere(url):
    assert platform_candidates(url) == ()


@pytest.mark.parametrize("url", [url for url, _ in MATCHING])
def test_the_same_address_on_a_host_that_looks_alike_leads_nowhere(url):
    host = read_address(url).host

    for other in (
        f"{host}.evil.example",
        f"evil.example/{host}",
        f"{host}@evil.example",
        f"{host.replace('.', '-')}.example",
        f"x{host.rpartition('.')[0].replace('.', '')}.example",
    ):
        assert platform_candidates(url.replace(host, other, 1)) == ()


@pytest.mark.parametrize(
    "provider", [one for one in PROVIDERS if one.hosts or one.parents], ids=lambda one: one.name
)
def test_every_provider_has_rows_that_match_and_rows_that_do_not(provider):
    alone = partial(candidates_from, (provider,))
    others = (*NOT_MATCHING, *(url for url, _ in WITH_PAGE_NOT_MATCHING))
    matched = [url for url, _ in MATCHING if list(alone(url))]
    with_page = [url for url, text, _ in WITH_PAGE if list(alone(url, Page(url=url, text=text)))]

    assert matched or with_page
    assert any(_names(provider, url) and not list(alone(url)) for url in others)


def _names(provider: Provider, url: str) -> bool:
    """Tell whether an address has to do with a provider, rightly or not."""
    known = (*provider.hosts, *provider.parents)
    return any(name.removeprefix("www.").partition(".")[0] in url for name in known)


@pytest.mark.parametrize(("url", "text", "feeds"), WITH_PAGE)
def test_page_data_completes_what_the_address_does_not_tell(url, text, feeds):
    found = platform_candidates(url, Page(url=url, text=text))

    assert [one.url for one in found] == feeds


@pytest.mark.parametrize(("url", "text"), WITH_PAGE_NOT_MATCHING)
def test_page_data_does_not_make_up_for_a_wrong_host_or_value(url, text):
    assert platform_candidates(url, Page(url=url, text=text)) == ()


def _reply(url: str, pages: dict[str, str], right: str) -> Reply:
    if url == right:
        headers = {"content-type": "application/rss+xml"}
        return Reply(FetchResponse(url, 200, headers, b""), feed(entry(), site_url=None))
    status = 200 if url in pages else 404
    body = pages.get(url, "").encode()
    return Reply(FetchResponse(url, status, {"content-type": "text/html"}, body))


@pytest.mark.parametrize(
    ("url", "text", "feeds"), [*((url, "", feeds) for url, feeds in MATCHING), *WITH_PAGE]
)
def test_an_example_page_of_each_row_leads_to_its_feed_in_few_requests(url, text, feeds):
    pages = dict.fromkeys(read_input(url).urls, f"<title>Ann</title>{text}")
    discovery = Discovery(read_input(url), now=NOW)

    while asked := discovery.next_requests():
        for request in asked:
            discovery.answer(request.url, _reply(request.url, pages, feeds[0]))

    found = discovery.result()
    assert found.canonical is not None
    assert found.canonical.url == feeds[0]
    assert found.requests <= 1 + len(feeds)


@pytest.mark.parametrize(("url", "right", "others"), platform_rows_more.OF_ADDRESS)
def test_what_a_platform_keeps_for_an_address_wins_over_what_all_its_pages_name(url, right, others):
    head = "".join(
        f'<link rel="alternate" type="application/rss+xml" title="{title}" href="{other}">'
        for other, title in others.items()
    )
    discovery = Discovery(read_input(url), now=NOW)

    while asked := discovery.next_requests():
        for request in asked:
            is_feed = request.url in {right, *others}
            reply = _reply(request.url, {url: head}, request.url if is_feed else "")
            discovery.answer(request.url, reply)

    canonical = discovery.result().canonical
    assert canonical is not None
    assert canonical.url == right


@pytest.mark.parametrize(("url", "feed"), EXTERNAL)
def test_routes_of_an_rsshub(url, feed):
    found = external_candidates(url, HUB + "/")

    assert [one.url for one in found] == ([feed] if feed else [])
    assert {one.origin for one in found} <= {Origin.EXTERNAL}


def test_without_an_rsshub_there_are_no_routes():
    assert external_candidates("https://x.com/ann", None) == ()
    assert external_candidates("https://x.com/ann", "") == ()
