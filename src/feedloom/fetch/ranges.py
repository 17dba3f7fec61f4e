"""Which IP addresses belong to the public internet (pure).

An address goes in, yes or no comes out. IPv4 is judged by a list of what is closed,
IPv6 the other way round: only global unicast is open, less the parts of it that are
reserved. IPv4 carried inside IPv6 is taken out and judged as well, because a gateway
on the way would deliver to it. Nothing here looks at names or touches the network.

The lists are written out instead of asking ``ipaddress.is_global``: that changes
between versions of Python and says yes to ``2002:a9fe:a9fe::`` and ``fec0::1``.
"""

from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

_CLOSED_V4 = tuple(
    IPv4Network(text)
    for text in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # carrier-grade NAT, and one cloud's metadata
        "127.0.0.0/8",  # loopback
        "168.63.129.16/32",  # one cloud's host agent, on a public-looking address
        "169.254.0.0/16",  # link-local, and most clouds' metadata
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments, and one cloud's metadata
        "192.0.2.0/24",  # documentation
        "192.88.99.0/24",  # retired 6to4 relays
        "192.168.0.0/16",  # private
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and broadcast
    )
)
_OPEN_V6 = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
_SIX_TO_FOUR = IPv6Network("2002::/16")
_TEREDO = IPv6Network("2001::/32")
_CLOSED_V6 = (
    # Protocol assignments (benchmarks, ORCHID …) but for Teredo, which is unwrapped.
    *IPv6Network("2001::/23").address_exclude(_TEREDO),
    IPv6Network("2001:db8::/32"),  # documentation
    IPv6Network("3fff::/20"),  # documentation
)
_ISATAP = frozenset({0x0000_5EFE, 0x0200_5EFE})
_LOW_32 = 0xFFFF_FFFF


@lru_cache(maxsize=8192)
def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Tell whether an address is one that anybody on the internet could reach."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _CLOSED_V4)
    if address.scope_id is not None:
        return False
    inner = address.ipv4_mapped
    if inner is None and address in _NAT64:
        inner = IPv4Address(int(address) & _LOW_32)
    if inner is not None:
        return is_public(inner)
    if address not in _OPEN_V6 or any(address in network for network in _CLOSED_V6):
        return False
    return all(is_public(carried) for carried in _carried(address))


@lru_cache(maxsize=8192)
def read_ip(text: str) -> IPv4Address | IPv6Address | None:
    """Read an IP address; IPv4 mapped into IPv6 as the IPv4 the kernel would dial."""
    try:
        address = ip_address(text)
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.scope_id is None:
        return address.ipv4_mapped or address
    return address


def _carried(address: IPv6Address) -> tuple[IPv4Address, ...]:
    bits = int(address)
    if address in _SIX_TO_FOUR:
        return (IPv4Address(bits >> 80 & _LOW_32),)
    if address in _TEREDO:
        # The server stands in the clear, the client with all its bits turned.
        return (IPv4Address(bits >> 64 & _LOW_32), IPv4Address(~bits & _LOW_32))
    if bits >> 32 & _LOW_32 in _ISATAP:
        return (IPv4Address(bits & _LOW_32),)
    return ()
