"""Every way in which clients say parameters: the same values, said differently.

Each form turns values into a query, headers and a body as they are on the wire. Lists
are said once per member where there is no JSON; nothing (None) is an empty value there.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

from tests.journeys.sync.desk import URLENCODED, multipart

Said = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Wire:
    """What of a request carries its parameters."""

    query: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


def pairs(said: Said, *, php: bool = False) -> list[tuple[str, object]]:
    """Say every value as a pair; lists as PHP names them, if that is wanted."""
    found: list[tuple[str, object]] = []
    for name, value in said.items():
        members = value if isinstance(value, list) else [value]
        end = "[]" if php and isinstance(value, list) else ""
        found += [(name + end, "" if one is None else one) for one in members]
    return found


def _encoded(said: Said, *, php: bool = False) -> str:
    return urlencode([(n, _plain(v)) for n, v in pairs(said, php=php)])


def _plain(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else value


def _json(said: Said) -> bytes:
    return json.dumps(dict(said)).encode()


def _multipart(said: Said) -> Wire:
    headers, body = multipart([(n, _plain(v)) for n, v in pairs(said)])
    return Wire(headers=headers, body=body)


JSON = {"Content-Type": "application/json; charset=utf-8"}
FORMS: dict[str, Callable[[Said], Wire]] = {
    "query": lambda said: Wire(_encoded(said)),
    "query beside nothing of JSON": lambda said: Wire(_encoded(said), JSON),
    "query beside {}": lambda said: Wire(_encoded(said), JSON, b"{}"),
    "query beside a form": lambda said: Wire(_encoded(said), URLENCODED, b"T="),
    "form": lambda said: Wire("", URLENCODED, _encoded(said).encode()),
    "form of PHP": lambda said: Wire("", URLENCODED, _encoded(said, php=True).encode()),
    "form without a type": lambda said: Wire("", {}, _encoded(said).encode()),
    "multipart": _multipart,
    "JSON": lambda said: Wire("", JSON, _json(said)),
    "JSON said to be a form": lambda said: Wire("", URLENCODED, _json(said)),
    "JSON without a type": lambda said: Wire("", {}, _json(said)),
}
"""Each name of a form, and how it is written."""

EMPTY_FORMS = (
    "query",
    "query beside nothing of JSON",
    "query beside {}",
    "query beside a form",
    "multipart",
)
"""Those that differ when there is nothing to say."""


def _upload(document: bytes) -> Wire:
    head = (
        b'--edge\r\nContent-Disposition: form-data; name="file"; filename="f.opml"\r\n'
        b"Content-Type: text/x-opml\r\n\r\n"
    )
    kind = {"Content-Type": "multipart/form-data; boundary=edge"}
    return Wire(headers=kind, body=head + document + b"\r\n--edge--\r\n")


DOCUMENT_FORMS: dict[str, Callable[[bytes], Wire]] = {
    "text/xml": lambda text: Wire("", {"Content-Type": "text/xml"}, text),
    "text/x-opml": lambda text: Wire("", {"Content-Type": "text/x-opml"}, text),
    "without a type": lambda text: Wire("", {}, text),
    "said to be a form": lambda text: Wire("", URLENCODED, text),
    "uploaded": _upload,
}
"""How a document comes as a body."""
