import pytest

from feedloom.serve.origin import client_address, is_https, own_address, own_hosts
from tests.unit.serve.requests_made import make_request, networks, surroundings

pytestmark = pytest.mark.threat("A12")

TRUSTING = {"trusted_proxies": networks("192.0.2.0/24", "2001:db8::/32")}


@pytest.mark.parametrize(
    ("forwarded", "peer", "told"),
    [
        ("", "192.0.2.1", "192.0.2.1"),
        ("203.0.113.9", "192.0.2.1", "203.0.113.9"),
        ("198.51.100.7, 203.0.113.9", "192.0.2.1", "203.0.113.9"),
        ("203.0.113.9, 192.0.2.7", "192.0.2.1", "203.0.113.9"),
        ("192.0.2.8, 192.0.2.7", "192.0.2.1", "192.0.2.8"),
        ("garbage", "192.0.2.1", "192.0.2.1"),
        ("203.0.113.9, garbage", "192.0.2.1", "192.0.2.1"),
        ("203.0.113.9", "198.51.100.1", "198.51.100.1"),
        ("2001:db9::1", "2001:db8::1", "2001:db9::1"),
        ("203.0.113.9", "", ""),
    ],
)
def test_only_trusted_proxies_say_who_asks(forwarded, peer, told):
    request = make_request(
        headers={"X-Forwarded-For": forwarded}, peer=peer, services=surroundings(**TRUSTING)
    )

    assert client_address(request) == told


def test_nobody_is_trusted_by_default():
    headers = {
        "X-Forwarded-For": "203.0.113.9",
        "X-Forwarded-Proto": "https",
        "X-Forwarded-Host": "evil.example",
    }
    request = make_request(headers=headers)

    assert client_address(request) == "192.0.2.1"
    assert not is_https(request)
    assert own_hosts(request) == {"feeds.example"}
    assert own_address(request) == "http://feeds.example"


def test_a_trusted_proxy_says_under_which_address_we_are_known():
    headers = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "News.example"}
    request = make_request(headers=headers, services=surroundings(**TRUSTING))

    assert is_https(request)
    assert own_hosts(request) == {"feeds.example", "news.example"}
    assert own_address(request) == "https://News.example"


def test_the_base_address_decides_when_it_is_set():
    given = surroundings(base_url="https://read.example")
    request = make_request(headers={"Host": "127.0.0.1:8000"}, services=given)

    assert is_https(request)
    assert own_address(request) == "https://read.example"
    assert own_hosts(request) == {"read.example", "127.0.0.1:8000"}
