"""Spellings of places that must never be dialled, and of places that look like them.

``FORBIDDEN_IPS`` are addresses as a resolver may answer them, ``FORBIDDEN_URLS`` what a
person or a redirect may write, ``PUBLIC_IPS`` the neighbours and look-alikes that stay
open. All are generated from the ranges, so that none is forgotten.
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

CLOSED_V4 = (
    "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16"
    " 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16"
    " 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4"
)
CLOSED_V6 = (
    "::/128 ::1/128 ::/96 100::/64 64:ff9b:1::/48 2001:2::/48 2001:10::/28"
    " 2001:20::/28 2001:db8::/32 3fff::/20 5f00::/16 fc00::/7 fe80::/10 fec0::/10"
    " ff00::/8 ::ffff:0:0:0/96 4000::/3"
)
SPECIAL_V4 = (
    "169.254.169.254 100.100.100.200 192.0.0.192 168.63.129.16 127.0.0.53"
    " 255.255.255.255 0.0.0.0 172.17.0.1 192.168.1.1 169.254.170.2"
)
SPECIAL_V6 = (
    "fe80::1%eth0 fe80::a9fe:a9fe%1 ff02::1 fd00:ec2::254 fd20:ce::254 ::7f00:1"
    " ::ffff:0:127.0.0.1 2606:4700::1111%2"
)
# One of each kind, to be written in every way there is.
WRITTEN_V4 = (
    "127.0.0.1 10.0.0.1 169.254.169.254 192.168.1.1 172.16.0.1 100.100.100.200"
    " 0.0.0.0 168.63.129.16 192.0.0.192 198.18.0.1 224.0.0.1 255.255.255.255"
    " 203.0.113.7 240.0.0.1"
)
TRICKS = (
    "http://good.example@127.0.0.1/",
    "http://good.example:80@127.0.0.1/",
    "http://127.0.0.1\\@good.example/",
    "http://good.example#@127.0.0.1/",
    "http://good.example%2f@127.0.0.1/",
    "http://a@b@127.0.0.1/",
    "http://127.0.0.1%09/",
    "http://127.0.0.1%00.good.example/",
    "http://127.0.\t0.1/",
    "http://127.0.0.1\r\n/",
    "http://127.0.0.1\r\nHost: good.example/",
    "http:///127.0.0.1/",
    "http:/127.0.0.1/",
    "http:127.0.0.1/",
    "http://[v1.x]/",
    "http://[::1",
    "http://::1/",
    "http://[::1]:80:90/",
    "http://127.0.0.1:80:90/",
    "http://127.0.0.1:0/",
    "http://127.0.0.1:99999/",
    "http://127.0.0.1:-80/",
    "http://127.0.0.1:\uff18\uff10/",
    " http://127.0.0.1/ ",
    "\u200bhttp://127.0.0.1/",
    "http://127.0.0.1\u200d/",
    "http://1\u200b27.0.0.1/",
    "//127.0.0.1/",
    "\\\\127.0.0.1\\share",
    "HTTP://127.0.0.1/",
    "hTTps://127.0.0.1/",
    "file:///etc/passwd",
    "FILE:///etc/passwd",
    "ftp://127.0.0.1/",
    "gopher://127.0.0.1:6379/_INFO",
    "dict://127.0.0.1:11211/stats",
    "ldap://127.0.0.1/",
    "unix:/var/run/docker.sock",
    "data:text/xml,<rss/>",
    "javascript:alert(1)",
    "jar:http://127.0.0.1!/",
    "ws://127.0.0.1/",
    f"http://{'a' * 64}.127.0.0.1/",
    f"http://{'x' * 300}.internal/",
)


def _edges_v4() -> list[str]:
    found: list[str] = []
    for text in CLOSED_V4.split():
        network = IPv4Network(text)
        found += [str(network[0]), str(network[-1])]
        found.append(str(network[network.num_addresses // 2]))
    return found


def _edges_v6() -> list[str]:
    found: list[str] = []
    for text in CLOSED_V6.split():
        network = IPv6Network(text)
        found += [str(network[0]), str(network[-1])]
    return found


def wrapped(text: str) -> list[str]:
    """Return the IPv6 addresses that carry an IPv4 one."""
    bits = int(IPv4Address(text))
    low, high = bits & 0xFFFF, bits >> 16
    turned = ~bits & 0xFFFF_FFFF
    return [
        f"::ffff:{text}",
        f"::ffff:{high:x}:{low:x}",
        f"64:ff9b::{text}",
        f"64:ff9b:1::{text}",
        f"2002:{high:x}:{low:x}::1",
        f"2001:0:{high:x}:{low:x}:0:5f00:f7f7:f7f7",
        f"2001:0:808:808:0:5f00:{turned >> 16:x}:{turned & 0xFFFF:x}",
        f"2606:4700::5efe:{text}",
        f"2606:4700::200:5efe:{text}",
        f"::{text}",
        f"::ffff:0:{text}",
    ]


def written(text: str) -> list[str]:
    """Return the ways to write an IPv4 address as the host of a URL."""
    a, b, c, d = (int(part) for part in text.split("."))
    bits = int(IPv4Address(text))
    circled = "⓪①②③④⑤⑥⑦⑧⑨"
    return [
        text,
        f"{text}.",
        str(bits),
        f"{bits:#x}",
        f"0X{bits:X}",
        f"0{bits:o}",
        f"{a:#x}.{b:#x}.{c:#x}.{d:#x}",
        f"0{a:o}.0{b:o}.0{c:o}.0{d:o}",
        f"{a:04d}.{b:04d}.{c:04d}.{d:04d}",
        f"{a}.{b}.{c << 8 | d}",
        f"{a}.{bits & 0xFFFFFF}",
        f"{a:#x}.{bits & 0xFFFFFF}",
        f"0{a:o}.{b:#x}.{c << 8 | d}",
        f"{bits + 2**32}",
        "".join(circled[int(n)] if n.isdigit() else n for n in text),
        "".join(chr(0xFF10 + int(n)) if n.isdigit() else n for n in text),
        text.replace(".", "。"),
        text.replace(".", "\uff0e"),
        text.replace(".", "%2e"),
        "".join(f"%{ord(n):02x}" for n in text),
        f"user:word@{text}",
        f"{text}:80",
        f"{text}:443",
        *(f"[{address}]" for address in wrapped(text)),
    ]


FORBIDDEN_IPS = tuple(
    dict.fromkeys(
        [
            *_edges_v4(),
            *_edges_v6(),
            *SPECIAL_V4.split(),
            *SPECIAL_V6.split(),
            *(ip for text in WRITTEN_V4.split() for ip in wrapped(text)),
        ]
    )
)
FORBIDDEN_URLS = tuple(
    dict.fromkeys(
        [
            *(f"http://{host}/" for t in WRITTEN_V4.split() for host in written(t)),
            # A zone is no part of a URL's address; without it, the last is public.
            *(f"http://[{ip}]/" for ip in (*_edges_v6(), *SPECIAL_V6.split()[:-1])),
            *(f"https://{ip}/" for ip in (*_edges_v4(), *SPECIAL_V4.split())),
            *TRICKS,
        ]
    )
)


_STEPS = (1, 2, 0xFF, 0x100, 0xFFFF, 0x10000)
"""How far from a closed range its neighbours are."""


def _neighbours() -> list[str]:
    closed = [IPv4Network(text) for text in CLOSED_V4.split()]
    found: list[str] = []
    for network in closed:
        first, last = int(network[0]), int(network[-1])
        for step in _STEPS:
            for bits in (first - step, last + step):
                if not 0 <= bits < 2**32:
                    continue
                address = IPv4Address(bits)
                if not any(address in other for other in closed):
                    found.append(str(address))
    return found


def _public_v6() -> list[str]:
    below_documentation = IPv6Address(int(IPv6Address("2001:db8::")) - 1)
    return [
        "2606:4700::1111",
        "2606:4700:4700::1111",
        "2001:4860:4860::8888",
        "2620:fe::fe",
        "2a00:1450:4001:82a::200e",
        "2001:200::1",
        str(below_documentation),
        "2001:db9::1",
        "2000::1",
        "3ffe:ffff::1",
        "3fff:1000::1",
        "2003::1",
        "2600::",
        "2400:cb00:2048:1::c629:d7a2",
    ]


LOOK_ALIKES = (
    "1.1.1.1 8.8.8.8 9.9.9.9 93.184.216.34 151.101.1.69 12.7.0.1",
    "11.0.0.1 172.15.0.1 172.32.0.1 192.167.1.1 192.169.1.1 169.253.169.254",
    "169.255.169.254 100.63.0.1 100.128.0.1 198.17.0.1 198.20.0.1 223.255.255.254",
    "192.1.0.1 192.0.1.1 192.0.3.1 198.51.99.1 198.51.101.1 203.0.112.1 203.0.114.1",
    "1.0.0.0 126.255.255.255 128.0.0.0 168.63.129.15 168.63.129.17 192.88.98.1",
)
PUBLIC_V4 = tuple(
    dict.fromkeys([*_neighbours(), *(ip for line in LOOK_ALIKES for ip in line.split())])
)


def _public_wrapped(text: str) -> list[str]:
    """Return the carriers that stay open when what they carry is public."""
    low = int(IPv4Address(text)) & 0xFFFF
    high = int(IPv4Address(text)) >> 16
    return [f"::ffff:{text}", f"64:ff9b::{text}", f"2002:{high:x}:{low:x}::1"]


PUBLIC_IPS = tuple(
    dict.fromkeys(
        [*PUBLIC_V4, *_public_v6(), *(ip for text in PUBLIC_V4 for ip in _public_wrapped(text))]
    )
)
