"""The outbound proxy: which one is used, and what can be checked before it takes over.

A proxy connects for us, so it decides where a name leads. What can be known before is
judged here: literal addresses, names that only exist inside a network, and, unless the
proxy is to look names up alone (``socks5h``), the addresses that names have for us.
"""

import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlsplit

from feedloom.fetch.guard import Lookup, Refused, read_ip
from feedloom.model.errors import ConfigError

_PORTS = {"http": 8080, "https": 443, "socks5": 1080, "socks5h": 1080}
_NOT_A_PROXY = "The outbound proxy must be an http://, https://, socks5:// or socks5h:// address."
_INSIDE = ("localhost", "local", "internal", "intranet", "lan", "home", "corp")
_INSIDE_SUFFIXES = (*(f".{name}" for name in _INSIDE), ".home.arpa")


@dataclass(frozen=True, slots=True)
class Proxy:
    url: str
    """With user name and password, if it wants them."""
    is_socks: bool
    looks_up: bool
    """The proxy alone looks names up."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read an address such as ``socks5://127.0.0.1:1080``; raise ``ConfigError``."""
        try:
            parts = urlsplit(text.strip())
            scheme, host, port = parts.scheme, parts.hostname, parts.port
        except ValueError:
            raise ConfigError(_NOT_A_PROXY) from None
        if scheme not in _PORTS or not host:
            raise ConfigError(_NOT_A_PROXY)
        login, at, _ = parts.netloc.rpartition("@")
        name = f"[{host}]" if ":" in host else host
        place = f"{login}{at}{name}:{port or _PORTS[scheme]}"
        is_socks = scheme.startswith("socks5")
        written = "socks5" if is_socks else scheme
        return cls(f"{written}://{place}", is_socks, looks_up=scheme == "socks5h")


async def judge(host: str, lookup: Lookup | None, admits: Callable[[str], bool]) -> None:
    """Raise ``Refused`` for a host that no proxy may be asked for.

    Without ``lookup`` names are left to the proxy. So are names that we cannot look up:
    it may know more.
    """
    if read_ip(host) is not None:
        if not admits(host):
            raise Refused
        return
    name = host.rstrip(".").lower()
    if "." not in name or name.endswith(_INSIDE_SUFFIXES):
        raise Refused
    if lookup is None:
        return
    try:
        found = await lookup(host)
    except socket.gaierror:
        return
    if found and not any(admits(address) for address in found):
        raise Refused
