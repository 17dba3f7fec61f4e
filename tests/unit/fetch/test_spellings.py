from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedloom.fetch.client import _written
from feedloom.fetch.redirects import Hop
from feedloom.model.errors import BadAddress
from feedloom.model.urls import Address, normalise, read_address
from tests.unit.fetch.spellings import FORBIDDEN_URLS, PUBLIC_IPS

pytestmark = pytest.mark.threat("S4", "S5", "S6")

HTTP = ["HTTP/1.1"]
OTHER_DIGITS = ["http://1\uff127.0.0.1/", "http://a.example:\u0668\u0660/x"]


def read(text: str) -> str:
    try:
        return str(read_address(text))
    except BadAddress:
        return "refused"


def shortcut(text: str) -> str:
    try:
        return normalise(text)
    except BadAddress:
        return "refused"


@pytest.mark.parametrize("url", [*FORBIDDEN_URLS, *OTHER_DIGITS])
def test_shortcut_to_the_canonical_spelling_is_the_strict_reading(url):
    assert shortcut(url) == read(url)


@given(st.from_regex(r"https?://[\w.:\[\]@%-]{1,40}/[\w?=/.]{0,9}", fullmatch=True))
def test_shortcut_and_strict_reading_agree_on_anything(url):
    assert shortcut(url) == read(url)


def sent(address: Address) -> list[str]:
    head = _written(Hop(address, "GET", {"accept": "*/*"}, None), once=False)
    return head.decode("ascii").split("\r\n")


@given(st.from_regex(r"https?://[\w.:\[\]@%-]{1,40}/[\w?=/. \n]{0,9}", fullmatch=True))
def test_request_names_the_host_that_was_judged(url):
    if read(url) == "refused":
        return
    address = read_address(url)._replace(userinfo="")

    first, host, accept, *rest = sent(address)

    assert first.split(" ") == ["GET", str(address).partition(address.origin)[2], *HTTP]
    assert host == f"Host: {address.netloc}"
    assert (accept, rest) == ("Accept: */*", ["", ""])


@pytest.mark.parametrize("ip", PUBLIC_IPS)
def test_request_names_the_address_that_was_judged(ip):
    address = read_address(f"http://[{ip}]/" if ":" in ip else f"http://{ip}/")

    host = sent(address)[1].removeprefix("Host: ").strip("[]")

    assert ip_address(host) == ip_address(ip)


@pytest.mark.parametrize("value", ["a\r\nX-More: b", "a\nb", "a\rb"])
def test_value_that_would_be_several_lines_is_never_sent(value):
    hop = Hop(read_address("http://a.example/"), "GET", {"user-agent": value}, None)

    with pytest.raises(ValueError, match="several lines"):
        _written(hop, once=False)
