"""The guard: which addresses may be dialled, judged at the moment of dialling.

Names and addresses go in; only addresses that were judged come out, and those are
dialled as they are, so that a second DNS answer can change nothing. It sits in two
places: the resolver (names) and the opening of a socket (everything, also addresses
written in a URL, which never meet a resolver). It never looks at spellings.

When a name has public and private answers, the public ones are dialled. Refusing the
name would be no safer, as the private ones are never dialled either way, and would take
feeds away over one stray record.

IPv4 is judged by a list of what is closed, IPv6 the other way round: only global unicast is
open, less the parts of it that are reserved. IPv4 carried inside IPv6 is taken out and judged
as well, because a gateway on the way would deliver to it. The lists are written out instead of
asking ``ipaddress.is_global``: that changes between versions of Python and says yes to
``2002:a9fe:a9fe::`` and ``fec0::1``.
"""

import socket
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any, Self

from aiohttp.abc import AbstractResolver, ResolveResult

from feedloom.model.errors import BadAddress, ConfigError
from feedloom.model.urls import read_bare_host

AddressInfo = tuple[int, int, int, str, tuple[Any, ...]]
Lookup = Callable[[str], Awaitable[Sequence[str]]]
"""Find the addresses of a host name; raise ``OSError`` when there are none."""
OpenSocket = Callable[[AddressInfo], socket.socket]
"""Make a socket for an address that was judged; the caller connects it."""

MAX_DIALLED = 8
"""A name with hundreds of records gets no more attempts than this."""
_NEITHER = "“{}” is neither a network such as 10.0.0.0/8, an IP address nor a host name."

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


class Refused(OSError):
    """The guard said no. An ``OSError``, so that dialling treats it as a failure.

    It is always the same, whatever was refused: it must not become a map of the
    network it protects.
    """

    def __init__(self) -> None:
        super().__init__("refused")


@dataclass(frozen=True, slots=True)
class AllowList:
    """What an operator opens although it is not public: networks and host names."""

    networks: tuple[IPv4Network | IPv6Network, ...] = ()
    hosts: frozenset[str] = frozenset()

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a list such as ``10.0.0.0/8, ::1, intranet.example``.

        Raises ``ConfigError`` naming the part that cannot be read.
        """
        networks: list[IPv4Network | IPv6Network] = []
        hosts: set[str] = set()
        for part in text.replace(",", " ").split():
            try:
                networks.append(ip_network(part))
            except ValueError:
                try:
                    hosts.add(read_bare_host(part))
                except BadAddress as error:
                    raise ConfigError(_NEITHER.format(part)) from error
        return cls(tuple(networks), frozenset(hosts))

    def admits(self, text: str) -> bool:
        """Tell whether an IP address may be dialled."""
        address = read_ip(text)
        if address is None:
            return False
        return is_public(address) or any(address in net for net in self.networks)


class GuardedResolver(AbstractResolver):
    """Looks names up for the connection pool; returns only addresses that pass."""

    def __init__(self, lookup: Lookup, admits: Callable[[str], bool]) -> None:
        self._lookup = lookup
        self._admits = admits

    async def resolve(
        self, host: str, port: int = 0, family: int = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Look a name up; raise ``Refused`` when no address of it may be dialled."""
        found = await self._lookup(host)
        if not found:
            raise socket.gaierror(socket.EAI_NONAME, "no addresses")
        admitted = [address for address in found if self._admits(address)]
        if not admitted:
            raise Refused
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=family,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for address in admitted[:MAX_DIALLED]
        ]

    async def close(self) -> None:
        """Do nothing: the lookup belongs to the client."""


def guarded(open_socket: OpenSocket, admits: Callable[[str], bool]) -> OpenSocket:
    """Return an opener of sockets that judges the very address about to be dialled."""

    def judge_and_open(info: AddressInfo) -> socket.socket:
        if not admits(info[4][0]):
            raise Refused
        return open_socket(info)

    return judge_and_open


def open_socket(info: AddressInfo) -> socket.socket:
    """Make a TCP socket for an address."""
    family, kind, protocol, _, _ = info
    made = socket.socket(family, kind, protocol)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return made
