"""The guard: which addresses may be dialled, judged at the moment of dialling.

Names and addresses go in; only addresses that were judged come out, and those are
dialled as they are, so that a second DNS answer can change nothing. It sits in two
places: the resolver (names) and the opening of a socket (everything, also addresses
written in a URL, which never meet a resolver). It never looks at spellings.

When a name has public and private answers, the public ones are dialled. Refusing the
name would be no safer, as the private ones are never dialled either way, and would take
feeds away over one stray record.
"""

import socket
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Any, Self

from aiohttp.abc import AbstractResolver, ResolveResult

from feedloom.fetch.ranges import is_public, read_ip
from feedloom.model.errors import BadAddress, ConfigError
from feedloom.model.urls import read_bare_host

AddressInfo = tuple[int, int, int, str, tuple[Any, ...]]
Lookup = Callable[[str], Awaitable[Sequence[str]]]
"""Find the addresses of a host name; raise ``OSError`` when there are none."""
OpenSocket = Callable[[AddressInfo], socket.socket]
"""Make a socket for an address that was judged; the caller connects it."""

MAX_DIALLED = 8
"""A name with hundreds of records gets no more attempts than this."""


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
                hosts.add(_read_host(part))
        return cls(tuple(networks), frozenset(hosts))

    def admits(self, text: str) -> bool:
        """Tell whether an IP address may be dialled."""
        address = read_ip(text)
        if address is None:
            return False
        return is_public(address) or any(address in net for net in self.networks)


def _read_host(part: str) -> str:
    try:
        return read_bare_host(part)
    except BadAddress as error:
        msg = f"“{part}” is neither a network such as 10.0.0.0/8, an IP address nor a host name."
        raise ConfigError(msg) from error


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
