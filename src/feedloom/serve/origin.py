"""Where a request comes from: peer, proxies that are believed, scheme, own address.

In: a request. Out: the ports, the client's address, whether it travelled by TLS. Never
believes a forwarding header that an untrusted peer sent.
"""

from ipaddress import IPv4Network, IPv6Network, ip_address
from typing import cast
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection

from feedloom.serve.services import Services

Network = IPv4Network | IPv6Network


def services(request: HTTPConnection) -> Services:
    """Return what this application's doors are given."""
    # An attribute of its own: this is asked several times for each request.
    return cast("Services", request.scope["app"].services)


def client_address(request: HTTPConnection) -> str:
    """Tell who asks: the peer, or whom a trusted proxy names."""
    trusted = services(request).trusted_proxies
    address = peer = _peer(request)
    if not _is_trusted(peer, trusted):
        return peer
    named = ",".join(request.headers.getlist("x-forwarded-for")).split(",")
    for hop in reversed([name.strip() for name in named]):
        if not _is_address(hop):
            return address
        address = hop
        if not _is_trusted(hop, trusted):
            return address
    return address


def is_https(request: HTTPConnection) -> bool:
    """Tell whether the browser speaks TLS, with us or with a proxy before us."""
    if services(request).base_url.startswith("https://"):
        return True
    if request.scope.get("scheme") == "https":
        return True
    return _forwarded(request, "x-forwarded-proto") == "https"


def own_hosts(request: HTTPConnection) -> frozenset[str]:
    """Name the hosts (with port) under which the browser may know this site."""
    base = urlsplit(services(request).base_url).netloc.lower()
    asked = request.headers.get("host", "").lower()
    forwarded = _forwarded(request, "x-forwarded-host").lower()
    return frozenset({base, asked, forwarded} - {""})


def own_address(request: HTTPConnection) -> str:
    """Return the address of this site without a slash at the end."""
    base = services(request).base_url
    if base:
        return base
    scheme = "https" if is_https(request) else "http"
    host = _forwarded(request, "x-forwarded-host") or request.url.netloc
    return f"{scheme}://{host}"


def _peer(request: HTTPConnection) -> str:
    client = request.scope.get("client")
    return client[0] if client else ""


def _forwarded(request: HTTPConnection, name: str) -> str:
    if not _is_trusted(_peer(request), services(request).trusted_proxies):
        return ""
    return request.headers.get(name, "").split(",")[-1].strip()


def _is_trusted(address: str, trusted: tuple[Network, ...]) -> bool:
    if not trusted or not _is_address(address):
        return False
    parsed = ip_address(address)
    return any(parsed in network for network in trusted)


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
