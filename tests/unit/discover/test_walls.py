"""Which answers come from a consent wall, and how one gets past it."""

import pytest

from feedloom.discover import Discovery, Reply, read_input
from feedloom.discover.walls import consent_headers, is_wall, way_through
from feedloom.model.stages import FetchResponse
from tests.unit.discover.memory_web import NOW

ASKED = "https://news.example/"


@pytest.mark.parametrize(
    "url",
    [
        "https://consent.news.example/?return=x",
        "https://consent.youtube.com/m?continue=x",
        "https://guce.portal.example/consent",
        "https://myprivacy.publisher.example/consent/x",
        "https://news.example/consent/",
        "https://www.news.example/zustimmung",
        "https://other.example/collectConsent?sessionId=1",
        "https://news.example/privacy-gate/17",
    ],
)
def test_a_wall_is_known_by_its_address(url):
    assert is_wall(url, ASKED)


@pytest.mark.parametrize(
    "url",
    [
        ASKED,
        "https://www.news.example/",
        "https://news.example/start",
        "https://consenting-adults.example/",
        "https://news.example/articles/consent-forms-are-long",
    ],
)
def test_other_pages_are_no_walls(url):
    assert not is_wall(url, ASKED)


@pytest.mark.parametrize("url", ["https://consent.example/", "https://x.example/consent"])
def test_a_wall_that_was_asked_for_is_a_page(url):
    assert not is_wall(url, url)


def test_consent_is_sent_only_where_it_is_known_to_help():
    assert "SOCS" in consent_headers("https://www.youtube.com/@ann")["cookie"]
    assert consent_headers("https://news.example/") == {}
    assert consent_headers("https://www.youtube.com.evil.example/") == {}


def test_the_way_through_leads_only_to_hosts_that_take_our_consent():
    wall = "https://consent.youtube.com/m?continue="

    assert way_through(wall + "https%3A%2F%2Fwww.youtube.com%2F%40ann") == (
        "https://www.youtube.com/@ann"
    )
    assert way_through(wall + "https%3A%2F%2Fevil.example%2F") is None
    assert way_through(wall + "javascript:x") is None
    assert way_through("https://consent.youtube.com/m") is None


def test_a_channel_behind_the_wall_is_found_by_asking_again_with_consent():
    asked = "https://youtube.com/@ann"
    channel = "https://www.youtube.com/@ann"
    wall = f"https://consent.youtube.com/m?continue={channel}"
    discovery = Discovery(read_input(asked), now=NOW)
    kind = {"content-type": "text/html"}
    discovery.next_requests()
    discovery.answer(asked, Reply(FetchResponse(wall, 200, kind, b"<p>", hops=2)))

    (again,) = discovery.next_requests()
    data = b'{"externalId":"UCabcdefghijklmnopqrstuv"}'
    discovery.answer(channel, Reply(FetchResponse(channel, 200, kind, data)))
    (feed,) = discovery.next_requests()

    assert (again.url, "SOCS" in again.headers["cookie"]) == (channel, True)
    assert feed.url.endswith("?channel_id=UCabcdefghijklmnopqrstuv")
