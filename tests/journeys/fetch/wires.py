"""A wire that records: the guard's whole surroundings, without a network.

Names are answered from a script. Sockets for public addresses are connected to a
publisher on loopback instead, so that code under test believes to be on the internet.
Every other address is written down in ``reached`` and never dialled: were the guard
broken, a test would see it there and no packet would leave.
"""

import socket
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any

from feedloom.fetch import Wire
from feedloom.fetch.guard import AddressInfo, is_public
from tests.publisher import Publisher


class Diverted(socket.socket):
    """A socket that dials its publisher whatever it is told to dial."""

    instead: tuple[str, int] = ("", 0)

    def connect(self, address: Any, /) -> None:  # noqa: ARG002 - that is the point
        super().connect(self.instead)


@dataclass
class RecordingWire:
    """Answers of names, one after the other, the last one repeating."""

    publisher: Publisher
    names: dict[str, Sequence[Sequence[str]]] = field(default_factory=dict)
    asked: Counter[str] = field(default_factory=Counter)
    dialled: list[str] = field(default_factory=list)
    reached: list[str] = field(default_factory=list)

    @property
    def wire(self) -> Wire:
        return Wire(lookup=self.lookup, open_socket=self.open_socket)

    async def lookup(self, host: str) -> Sequence[str]:
        if host not in self.names:
            raise socket.gaierror(socket.EAI_NONAME, "no such name here")
        answers = self.names[host]
        turn = min(self.asked[host], len(answers) - 1)
        self.asked[host] += 1
        return answers[turn]

    def open_socket(self, info: AddressInfo) -> socket.socket:
        family, _, _, _, (address, *_) = info
        self.dialled.append(address)
        if not is_public(ip_address(address)):
            self.reached.append(address)
            raise OSError("a forbidden address was about to be dialled")
        made = Diverted(family, socket.SOCK_STREAM)
        host = "::1" if family == socket.AF_INET6 else "127.0.0.1"
        self.publisher.url(host=host)
        made.instead = (host, self.publisher.port)
        return made
