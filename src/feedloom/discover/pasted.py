"""What a person pasted: free text in, addresses to try in order out.

People paste more than addresses: quotes and brackets around them, ``feed:`` links, bare host names,
fediverse handles, whole sentences. What cannot be an address raises ``BadAddress`` with a sentence
for that person. Whether an address may be fetched is not judged here.
"""

import re
from dataclasses import dataclass
from urllib.parse import quote

from feedloom.model.errors import BadAddress
from feedloom.model.urls import MAX_URL, normalise, read_address, registrable_domain

EMPTY = "Paste the address of a site or a feed."
TOO_LONG = f"This address is longer than {MAX_URL} characters."
NOT_AN_ADDRESS = (
    "This doesn't look like a web address. To find feeds by keyword, search the directory instead."
)
WRONG_SCHEME = "The address must start with http:// or https://."
HANDLE_WITHOUT_HOST = "Add the server to the handle, like @name@example.social."

_EDGE = "\u200b\u200c\u200d\u2060\ufeff\u00a0"
_PAIRED = "'' \"\" `` <> () [] {} \u201c\u201d \u2018\u2019 \u00ab\u00bb"
_PAIRS = frozenset(_PAIRED.split())
_SUBSCRIBE_SCHEME = re.compile(
    r"(?i)(feeds?|rss|pcast|itpc|podcast|view-source|url):\s*(?=\S)(?!\d+(?:/|$))"
)
_WEB_SCHEME = re.compile(r"(?i)(https?)(?::/*|;//|//+)")
_OTHER_SCHEME = re.compile(r"(?i)[a-z][a-z0-9+.-]*:(?!\d{1,5}(?:[/?#]|$))")
_MARKDOWN = re.compile(r"\[[^\[\]]*\]\(\s*(\S+)\s*\)")
_EMBEDDED = re.compile(r"(?i)\bhttps?://[^\s<>\"'\u201c\u201d]+")
_HANDLE = re.compile(
    r"(?i)(?:acct:|@)?(?P<user>[a-z0-9_](?:[\w.-]*\w)?)@(?P<host>[^\s@/:]+(?::\d+)?)"
)
_COMMUNITY = re.compile(r"(?i)!(?P<name>\w+)@(?P<host>[^\s@/:]+(?::\d+)?)")
_REDDIT = re.compile(r"(?i)/?(?P<kind>r|u|user)/(?P<name>[\w+-]+)/?")
_LONE_HANDLE = re.compile(r"@[\w.-]+")
_HOST_AT_START = re.compile(r"(?:\[[0-9a-fA-F:.]+\]|[^\s/?#]+)")


@dataclass(frozen=True, slots=True)
class Input:
    text: str
    """As pasted, without what stood around it."""
    urls: tuple[str, ...]
    """To try in order; http only when https does not answer."""
    about: str
    """The address the person means: for a handle, the profile page."""
    handle: str | None = None
    """``name@host`` when a fediverse account was named."""


def read_input(text: str) -> Input:
    """Read what was pasted; raise ``BadAddress`` when no address can be made of it."""
    text = _unwrapped(text[: 2 * MAX_URL])
    if not text:
        raise BadAddress(EMPTY)
    if len(text) > MAX_URL:
        raise BadAddress(TOO_LONG)
    if (match := _HANDLE.fullmatch(text)) and _is_host(match["host"]):
        return _from_handle(text, match["user"], match["host"])
    if (match := _COMMUNITY.fullmatch(text)) and _is_host(match["host"]):
        return _from_bare(text, f"{match['host']}/c/{match['name']}")
    if match := _REDDIT.fullmatch(text):
        kind = "r" if match["kind"].lower() == "r" else "user"
        return _from_web(text, f"https://www.reddit.com/{kind}/{match['name']}/")
    if _LONE_HANDLE.fullmatch(text):
        raise BadAddress(HANDLE_WITHOUT_HOST)
    return _read_address(text)


def _unwrapped(text: str) -> str:
    """Take away quotes, brackets and words around an address."""
    before = None
    while text != before:
        before = text
        text = text.strip().strip(_EDGE).rstrip(",;")
        if len(text) > 1 and text[0] + text[-1] in _PAIRS:
            text = text[1:-1]
    linked = _MARKDOWN.search(text)
    if linked:
        return linked[1]
    if " " in text or "\n" in text or "\t" in text or text.startswith("<"):
        embedded = _EMBEDDED.search(text)
        return embedded[0].rstrip(".,;:!?)") if embedded else text
    return text


def _from_handle(text: str, user: str, host: str) -> Input:
    handle = f"{user}@{host}"
    paths = (
        f"{host}/.well-known/webfinger?resource=acct:{quote(handle, safe='@:')}",
        f"{host}/@{user}",
    )
    urls = tuple(_strict(f"{s}://{path}") for s in ("https", "http") for path in paths)
    return Input(text=text, urls=urls, about=urls[1], handle=handle)


def _read_address(text: str) -> Input:
    rest, is_secure = text, False
    subscribe = _SUBSCRIBE_SCHEME.match(rest)
    if subscribe:
        rest = rest[subscribe.end() :].lstrip("/")
        is_secure = subscribe[1].lower() == "feeds"
    web = _WEB_SCHEME.match(rest)
    while web and _WEB_SCHEME.match(rest, web.end()):
        # Typed twice: "http://https://example.org" means the last one.
        rest = rest[web.end() :]
        web = _WEB_SCHEME.match(rest)
    if web:
        return _from_web(text, f"{web[1].lower()}://{rest[web.end() :]}")
    if _OTHER_SCHEME.match(rest):
        raise BadAddress(WRONG_SCHEME)
    rest = rest.lstrip("/")
    host = _HOST_AT_START.match(rest)
    if host is None or not _is_host(host[0]):
        raise BadAddress(NOT_AN_ADDRESS)
    if is_secure:
        return _from_web(text, f"https://{rest}")
    return _from_bare(text, rest)


def _from_web(text: str, address: str) -> Input:
    url = _strict(address)
    # An upgrade is safe to try; a downgrade of what was meant to be secret is not.
    others = (f"https{url[4:]}",) if url.startswith("http:") else ()
    return Input(text=text, urls=(url, *others), about=url)


def _from_bare(text: str, rest: str) -> Input:
    secure = _strict(f"https://{rest}")
    urls = [secure, _strict(f"http://{rest}")]
    address = read_address(secure)
    host = address.host
    if host == registrable_domain(host) and address.port is None and "." in host:
        urls.append(str(address._replace(host=f"www.{host}")))
    is_number = host.replace(".", "").isdigit()
    return Input(text=text, urls=tuple(urls[:2] if is_number else urls), about=secure)


def _strict(address: str) -> str:
    try:
        return normalise(address)
    except BadAddress as error:
        raise BadAddress(NOT_AN_ADDRESS) from error


def _is_host(text: str) -> bool:
    name = text.rpartition("@")[2]
    bare = name.partition(":")[0]
    return name.startswith("[") or "." in bare.strip(".") or bare.lower() == "localhost"
