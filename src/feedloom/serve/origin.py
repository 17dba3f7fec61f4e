"""Where a request comes from: peer, trusted proxies, scheme, our own address.

In: a request. Out: the ports, the client's address, whether it travelled by TLS. Never
believes a forwarding header that an untrusted peer sent.
"""

from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import cast
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection

from feedloom.serve.services import Services

Network = IPv4Network | IPv6Network


def services(request: HTTPConnection) -> Services:
    # An attribute of its own: this is asked several times for each request.
    return cast("Services", request.scope["app"].services)


def client_address(request: HTTPConnection) -> str:
    trusted = services(request).trusted_proxies
    address = peer = _peer(request)
    if not is_trusted(peer, trusted):
        return peer
    named = ",".join(request.headers.getlist("x-forwarded-for")).split(",")
    for proxy in reversed([name.strip() for name in named]):
        if not _is_address(proxy):
            return address
        address = proxy
        if not is_trusted(proxy, trusted):
            return address
    return address


def client_network(request: HTTPConnection) -> str:
    """Tell who asks, for counting: whoever has an IPv6 address has all of its /64."""
    return network_of(client_address(request))


def network_of(address: str) -> str:
    """Return an IPv4 address as it is, and of an IPv6 address the first half."""
    if ":" not in address or not _is_address(address):
        return address
    parsed = ip_address(address)
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ip_network((int(parsed) >> 64 << 64, 64)))


def is_https(request: HTTPConnection) -> bool:
    """Tell whether the browser speaks TLS, with us or with a proxy before us."""
    if services(request).base_url.startswith("https://") or request.scope.get("scheme") == "https":
        return True
    return _forwarded(request, "x-forwarded-proto") == "https"


def own_hosts(request: HTTPConnection) -> frozenset[str]:
    base = urlsplit(services(request).base_url).netloc.lower()
    asked = request.headers.get("host", "").lower()
    forwarded = _forwarded(request, "x-forwarded-host").lower()
    return frozenset({base, asked, forwarded} - {""})


def own_address(request: HTTPConnection) -> str:
    if base := services(request).base_url:
        return base
    scheme = "https" if is_https(request) else "http"
    host = _forwarded(request, "x-forwarded-host") or request.url.netloc
    return f"{scheme}://{host}"


def _peer(request: HTTPConnection) -> str:
    client = request.scope.get("client")
    return client[0] if client else ""


def _forwarded(request: HTTPConnection, name: str) -> str:
    if not is_trusted(_peer(request), services(request).trusted_proxies):
        return ""
    return request.headers.get(name, "").split(",")[-1].strip()


def is_trusted(address: str, trusted: tuple[Network, ...]) -> bool:
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
