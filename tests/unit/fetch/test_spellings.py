import pytest
from hypothesis import given
from hypothesis import strategies as st
from yarl import URL

from feedloom.fetch.client import _written
from feedloom.model.errors import BadAddress
from feedloom.model.urls import normalise, read_address
from tests.unit.fetch.spellings import FORBIDDEN_URLS, PUBLIC_IPS

pytestmark = pytest.mark.threat("S4", "S5", "S6")

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


@given(st.from_regex(r"https?://[\w.:\[\]@%-]{1,40}/[\w?=/. \n]{0,9}", fullmatch=True))
def test_library_reads_the_host_that_was_judged(url):
    if read(url) == "refused":
        return
    address = read_address(url)._replace(userinfo="")

    handed_over = _written(address)

    assert handed_over.raw_host == address.host
    assert handed_over.explicit_port == address.port
    assert handed_over.scheme == address.scheme
    assert URL(str(handed_over)).raw_host == address.host
    assert handed_over.raw_path_qs == str(address).partition(address.origin)[2]


@pytest.mark.parametrize("ip", PUBLIC_IPS)
def test_library_reads_the_address_that_was_judged(ip):
    address = read_address(f"http://[{ip}]/" if ":" in ip else f"http://{ip}/")

    assert _written(address).raw_host == address.host
