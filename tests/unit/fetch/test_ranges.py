from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedloom.fetch.guard import is_public, read_ip
from tests.unit.fetch.spellings import FORBIDDEN_IPS, PUBLIC_IPS, PUBLIC_V4, wrapped


@pytest.mark.threat("S1", "S2", "S3")
@pytest.mark.parametrize("text", FORBIDDEN_IPS)
def test_forbidden_address_is_not_public(text):
    assert not is_public(ip_address(text))


@pytest.mark.threat("S1")
@pytest.mark.parametrize("text", PUBLIC_IPS)
def test_neighbour_or_look_alike_stays_public(text):
    assert is_public(ip_address(text))


def test_tables_are_as_large_as_promised():
    assert len(FORBIDDEN_IPS) >= 200
    assert len(PUBLIC_IPS) >= 130


@given(st.ip_addresses(v=4))
def test_carriers_are_never_more_open_than_what_they_carry(address):
    carriers = [ip_address(text) for text in wrapped(str(address))]

    opened = [str(carrier) for carrier in carriers if is_public(carrier)]

    assert not opened or is_public(address)


@given(st.ip_addresses())
def test_nothing_the_standard_library_calls_private_is_public(address):
    if address.is_private or address.is_multicast or address.is_loopback:
        inner = getattr(address, "ipv4_mapped", None)
        assert not is_public(inner or address)


@pytest.mark.parametrize("text", ["", "example.com", "127.1", "1.2.3.4.5", "0x7f.1"])
def test_what_is_no_address_is_read_as_none(text):
    assert read_ip(text) is None


def test_mapped_address_is_read_as_the_one_the_kernel_dials():
    assert read_ip("::ffff:10.0.0.1") == ip_address("10.0.0.1")


def test_public_table_holds_both_sides_of_the_ranges():
    assert {"9.255.255.255", "11.0.0.0", "126.255.255.255"} <= set(PUBLIC_V4)
