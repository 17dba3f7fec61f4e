"""Addresses: one strict reading of them, and keys to compare them by.

Text goes in, a canonical spelling or ``BadAddress`` comes out. The canonical spelling
leaves no room for two parsers to disagree: host in lower-case ASCII, no default port,
no control characters, no backslashes. Nothing here touches the network.
"""

import hashlib
import ipaddress
import re
from functools import cache, lru_cache
from typing import NamedTuple
from urllib.parse import quote, urljoin, urlsplit

import idna
from publicsuffixlist import PublicSuffixList

from feedloom.model.errors import BadAddress

MAX_URL = 4096
_MAX_HOST = 253
_CANNOT_OUTGROW = 300
"""Quoting makes a character at most twelve long, so these never get too long."""
_DEFAULT_PORT = {"http": 80, "https": 443}
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_FORBIDDEN = re.compile(
    r"[\x00-\x1f\x7f-\x9f\\\u200b-\u200f\u2028-\u202e\u2060\ufeff\ud800-\udfff]"
)
_EDGE = " \t\r\n\f\v\u200b\ufeff\u00a0"
_PATH_SAFE = "/%:@!$&'()*+,;=-._~[]|"
_QUERY_SAFE = _PATH_SAFE + "?{}^`"
_CANONICAL = re.compile(
    # Most links in feeds look like this already and need no change.
    r"https?://(?:(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,24}"
    r"|(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!:|/)|(?=[:/]))){4})"
    r"(?::(?!80/|443/|0)\d{2,4})?/[A-Za-z0-9/_.~%:@!$&'()*+,;=-]*"
    r"(?:\?[A-Za-z0-9/_.~%:@!$&'()*+,;=?-]+)?",
    re.ASCII,  # or \d would take digits of other scripts for canonical ones
)
_TRACKING = re.compile(
    r"^(?:utm_\w+|fbclid|gclid|dclid|gbraid|wbraid|msclkid|yclid|twclid|ttclid|igshid"
    r"|mc_cid|mc_eid|_hsenc|_hsmi|vero_id|mkt_tok|oly_enc_id|oly_anon_id|rb_clickid"
    r"|s_cid|ml_subscriber|ml_subscriber_hash|pk_campaign|pk_kwd|pk_source|piwik_\w+"
    r"|at_medium|at_campaign|xtor|wt_mc|ns_source|ns_mchannel|ns_campaign|__twitter_impression)$",
    re.IGNORECASE,
)


class Address(NamedTuple):
    """A web address in its parts, each in canonical spelling."""

    scheme: str
    userinfo: str
    host: str
    """Lower-case ASCII name, or an IP literal (IPv6 without brackets)."""
    port: int | None
    """None when it is the scheme's own."""
    path: str
    query: str

    @property
    def netloc(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port is None else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        """Scheme, host and port: what credentials are bound to."""
        return f"{self.scheme}://{self.netloc}"

    def __str__(self) -> str:
        user = f"{self.userinfo}@" if self.userinfo else ""
        query = f"?{self.query}" if self.query else ""
        return f"{self.scheme}://{user}{self.netloc}{self.path}{query}"


def read_address(text: str) -> Address:
    """Read an absolute http(s) address strictly; raise ``BadAddress`` otherwise."""
    text = text.strip(_EDGE)
    if not text or len(text) > MAX_URL or _FORBIDDEN.search(text):
        raise BadAddress
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise BadAddress from error
    scheme = parts.scheme.lower()
    if scheme not in _DEFAULT_PORT or port == 0 or parts.netloc.endswith(":"):
        raise BadAddress
    userinfo, _, hostport = parts.netloc.rpartition("@")
    if "@" in userinfo or " " in parts.netloc or not hostport:
        raise BadAddress
    if "[" in hostport and ":" not in (parts.hostname or ""):
        raise BadAddress
    address = Address(
        scheme=scheme,
        userinfo=quote(userinfo, safe="%:!$&'()*+,;=-._~"),
        host=_read_host(parts.hostname or ""),
        port=None if port == _DEFAULT_PORT[scheme] else port,
        path=quote(_without_dots(parts.path) or "/", safe=_PATH_SAFE),
        query=quote(parts.query, safe=_QUERY_SAFE),
    )
    if len(text) > _CANNOT_OUTGROW and len(str(address)) > MAX_URL:
        # Its canonical spelling would be too long to be read again.
        raise BadAddress
    return address


def is_address(text: str) -> bool:
    try:
        normalise(text)
    except BadAddress:
        return False
    return True


def host_of(text: str) -> str:
    """Return the host of an address, or an empty string."""
    try:
        return read_address(text).host
    except BadAddress:
        return ""


def normalise(text: str) -> str:
    # An address this short cannot have a host that is too long.
    if len(text) <= _MAX_HOST and _CANONICAL.fullmatch(text) and "/." not in text:
        return text
    return str(read_address(text))


def read_bare_host(text: str) -> str:
    """Read a host that stands alone, without port or path; ``BadAddress`` otherwise."""
    address = read_address(f"http://{text}")
    if ":" in text or str(address) != f"http://{address.host}/":
        raise BadAddress
    return address.host


@lru_cache(maxsize=4096)
def _read_host(host: str) -> str:
    if ":" in host:
        try:
            return ipaddress.IPv6Address(host.partition("%")[0]).compressed
        except ValueError as error:
            raise BadAddress from error
    name = host.lower() if host.isascii() else _ascii_name(host)
    name = name.removesuffix(".")
    labels = name.split(".")
    if len(name) > _MAX_HOST or not all(_LABEL.fullmatch(label) for label in labels):
        raise BadAddress
    if _looks_numeric(labels[-1]):
        # Browsers and resolvers read 0x7f.1 or 2130706433 as IPv4; we read only the
        # plain dotted form, so that what is judged is what is dialled.
        try:
            return str(ipaddress.IPv4Address(name))
        except ValueError as error:
            raise BadAddress from error
    return name


def _ascii_name(host: str) -> str:
    """Spell a host name in ASCII as browsers do.

    Browsers follow UTS 46 (``faß.de`` is not ``fass.de``) and accept characters, such as
    emoji, that registries refuse. So only the mapping is the library's. Stored addresses
    and keys are ASCII and unaffected.
    """
    try:
        labels = idna.uts46_remap(host, std3_rules=False).split(".")
        return ".".join(map(_ascii_label, labels))
    except (idna.IDNAError, UnicodeError) as error:
        raise BadAddress from error


def _ascii_label(label: str) -> str:
    if label.isascii():
        return label
    if label.startswith("xn--"):
        raise BadAddress
    idna.check_bidi(label)
    return f"xn--{label.encode('punycode').decode('ascii')}"


def _looks_numeric(label: str) -> bool:
    return label.isdigit() or re.fullmatch(r"0x[0-9a-f]*", label) is not None


def _without_dots(path: str) -> str:
    if "/." not in path:
        return path
    kept: list[str] = []
    for segment in path.split("/"):
        if segment == "..":
            if len(kept) > 1:
                kept.pop()
        elif segment != ".":
            kept.append(segment)
    if path.endswith(("/.", "/..")):
        kept.append("")
    return "/".join(kept)


def resolve(base: str, link: str) -> str | None:
    """Resolve a link against its base; None if the result is not an http(s) address."""
    link = link.strip(_EDGE)
    try:
        return normalise(urljoin(base, link))
    except (BadAddress, ValueError):
        return None


def strip_tracking(url: str) -> str:
    """Remove query parameters that only track people."""
    if "?" not in url:
        return url
    head, _, rest = url.partition("?")
    query, hash_sign, fragment = rest.partition("#")
    kept = [p for p in query.split("&") if not _TRACKING.match(p.partition("=")[0])]
    mark = "?" if kept else ""
    return f"{head}{mark}{'&'.join(kept)}{hash_sign}{fragment}"


def url_key(text: str) -> str:
    """Return the key that two spellings of the same address share.

    It ignores scheme, default port, trailing slash, fragment, parameter order and tracking
    parameters. Different credentials give different keys, so what was fetched with one
    person's password is never shared with another.
    """
    address = read_address(text)
    query = strip_tracking(f"?{address.query}")[1:]
    query = "&".join(sorted(p for p in query.split("&") if p))
    user = f"{_digest(address.userinfo)}@" if address.userinfo else ""
    path = address.path.rstrip("/")
    return f"{user}{address.netloc}{path}{'?' + query if query else ''}"


def over_https(url: str) -> str | None:
    """Return the https form of an http address, which has the same key.

    None for an address that is https already or has no such form.
    """
    address = read_address(url)
    if address.scheme != "http" or address.port == _DEFAULT_PORT["https"]:
        return None
    secure = str(address._replace(scheme="https"))
    return secure if len(secure) <= MAX_URL else None


def has_default_port(url: str) -> bool:
    """Return whether an address uses its scheme's default port."""
    return read_address(url).port is None


def has_credentials(url: str) -> bool:
    return bool(read_address(url).userinfo)


def hide_credentials(url: str) -> str:
    """Remove user name and password from an address; other text is unchanged."""
    try:
        return without_credentials(url) if "@" in url else url
    except BadAddress:
        # Unreadable, but what may be a password is removed all the same.
        return url.rpartition("@")[2]


def without_credentials(url: str) -> str:
    """Return the address as it may be shown: user name and password left out."""
    if "@" not in url:
        return normalise(url)
    return str(read_address(url)._replace(userinfo=""))


_SECRET_NAME = re.compile(
    r"(?i)(?:^|[_-])(?:token|key|apikey|secret|auth|pass|password|session|sid|signature)$"
)
_SECRET_VALUE = re.compile(r"(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9_-]{24,}")


def shown_address(url: str) -> str:
    """Return an address without user name and password; empty if it is not an address."""
    try:
        return without_credentials(url)
    except BadAddress:
        return ""


def looks_private(url: str) -> bool:
    """Return whether an address seems private: it contains credentials or tokens."""
    address = read_address(url)
    if address.userinfo or "." not in address.host or ":" in address.host:
        return True
    if _looks_numeric(address.host.rpartition(".")[2]):
        return True
    names = (part.partition("=")[0] for part in address.query.split("&"))
    values = (part.partition("=")[2] for part in address.query.split("&"))
    pieces = (*address.path.split("/"), *values)
    return any(map(_SECRET_NAME.search, names)) or any(map(_SECRET_VALUE.fullmatch, pieces))


def host_key(url: str) -> str:
    """Return what rate limits are counted by: the registrable domain or the IP."""
    return registrable_domain(read_address(url).host)


@lru_cache(maxsize=8192)
def registrable_domain(host: str) -> str:
    """Return the registrable domain of a host name; IPs and bare names as they are."""
    if ":" in host or _looks_numeric(host.rpartition(".")[2]):
        return host
    return _suffixes().privatesuffix(host) or host


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def guid_hash(guid: str) -> str:
    return hashlib.md5(guid.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()


def url_hash(url: str) -> str:
    return hashlib.sha256(url.encode("utf-8", "replace")).hexdigest()
