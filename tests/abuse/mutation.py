"""Requests as nobody sends them: made from the table of routes, changed at random.

    mutator = Mutator(seed, ids)
    request = mutator.request()          # a Request with method, path, headers and body

The same seed makes the same requests.
"""

import ast
import json
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_from_bytes, urlencode

import feedloom
from feedloom.serve.routes import Route
from tests.journeys.web.matrix import Row, address, body, rows

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "get")
TYPES = (
    "application/json",
    "application/json; charset=utf-7",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=b",
    "multipart/form-data",
    "multipart/form-data; boundary=" + "b" * 300,
    "text/xml",
    "text/plain",
    "application/x-www-form-urlencoded; charset=nothing",
    "",
    "/",
    ";;;",
)
TARGETS = ("main#main", "div#feed", "li#row-1", "body", "", "#", "x" * 300, "a.b>c")
HEADERS = (
    "Accept", "Accept-Encoding", "Accept-Language", "Authorization", "Content-Encoding",
    "Content-Type", "Cookie", "Forwarded", "HX-Boosted", "HX-Current-URL", "HX-Request",
    "HX-Target", "HX-Trigger", "If-Match", "If-Modified-Since", "If-None-Match", "Origin",
    "Range", "Referer", "Sec-Fetch-Dest", "Sec-Fetch-Mode", "Sec-Fetch-Site", "User-Agent",
    "X-Auth-Token", "X-CSRF-Token", "X-Forwarded-For", "X-Forwarded-Host",
    "X-Forwarded-Proto", "X-Hub-Signature",
)  # fmt: skip
LITTLE = (
    "", "0", "1", "-1", "00", "1.5", "1e9", "2147483647",
    "2147483648", "9" * 19, "9" * 400, "٣", "½",
    "NaN", "null", "true", "None", "[]", "{}", "[1]", "'", '"', "\\", "%", "%00", "\x00",
    "\ud800", "\u202e", "☃", "a\r\nb: c", "..", "../..", "a/b", "*", "tag:", "feed/",
    "user/-/label/", "user/-/state/com.google/read", "inbox", "unread", "all", "x" * 5_000,
    "http://127.0.0.1:9/x", "http://[", "http://a:b@127.0.0.1:9/", "javascript:1", "//x",
    "2026-02-30", "0001-01-01", "99999-12-31", "1970-01-01T00:00:00Z", "on", "off", "desc",
    "<b>", "(((", "(a+)+$", "a" * 70_000,
)  # fmt: skip
_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9_.\-\[\]]{0,24}")


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent."""

    route: Route
    method: str
    path: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def __str__(self) -> str:
        return f"{self.method} {self.path[:300]} {self.headers} {self.body[:300]!r}"

    def raw(self, extra: dict[str, str]) -> bytes:
        """Write it for the wire; without line breaks inside its lines."""
        names = {"Host": "127.0.0.1", "Connection": "close"} | extra
        if self.body or self.method in {"POST", "PUT", "PATCH"}:
            names["Content-Length"] = str(len(self.body))
        lines = [f"{self.method} {self.path} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in (*names.items(), *self.headers)]
        head = "\r\n".join(re.sub(r"[\r\n\x00]", "", line) for line in lines)
        return head.encode("utf-8", "surrogatepass") + b"\r\n\r\n" + self.body


def words() -> list[str]:
    """List all short texts of the pages and routes: names of fields are among them."""
    found = set()
    for file in (Path(feedloom.__file__).parent / "serve").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found |= {node.value} if _NAME.fullmatch(node.value) else set()
    return sorted(found)


class Mutator:
    """Makes requests about somebody's things."""

    def __init__(self, seed: int, ids: dict[str, str]) -> None:
        self.random = random.Random(seed)
        self.ids = ids
        self.rows = rows()
        self.words = words()

    def request(self) -> Request:
        pick = self.random
        row = pick.choice(self.rows)
        method = row.method if pick.random() < 0.9 else pick.choice(METHODS)
        path = self._path(row)
        kind, content = self._body(row)
        headers = [("Content-Type", kind)] if content or pick.random() < 0.1 else []
        headers += [
            (pick.choice(HEADERS), self._value()[:3_000])
            for _ in range(pick.choice((0, 0, 1, 2, 5)))
        ]
        if pick.random() < 0.4:
            headers.append(("HX-Request", "true"))
            headers.append(("HX-Target", pick.choice(TARGETS)))
        if pick.random() < 0.6:
            kinds = ("text/html", "application/json", "*/*", "image/*;q=x")
            headers.append(("Accept", pick.choice(kinds)))
        return Request(row.route, method, path, tuple(headers), content)

    def _path(self, row: Row) -> str:
        pick = self.random
        path = address(row, self.ids)
        if pick.random() < 0.25:
            parts = path.split("/")
            place = pick.randrange(max(0, len(parts) - 2), len(parts))
            parts[place] = self._quoted(self._value()[:2_000])
            path = "/".join(parts) or "/"
        if not path.startswith("/"):
            path = f"/{path}"
        path = quote(path, safe="/%:@!$&'()*+,;=~-._")
        if pick.random() < 0.6:
            path += f"?{self._form(pick.choice((1, 2, 4)))}"
        return path

    def _body(self, row: Row) -> tuple[str, bytes]:
        pick = self.random
        if row.method in {"GET", "HEAD"} and pick.random() < 0.95:
            return "", b""
        made: tuple[str, bytes] = pick.choice(
            (self._as_it_should_be, self._as_it_should_be, self._json_body, self._parts,
             self._list, self._noise)
        )(body(row))  # fmt: skip
        return made

    def _as_it_should_be(self, given: Mapping[str, Any]) -> tuple[str, bytes]:
        if "json" in given:
            return TYPES[0], json.dumps(given["json"] | self._object()).encode()
        known = urlencode({k: str(v) for k, v in given.get("data", {}).items()})
        return TYPES[2], f"{known}&{self._form(3)}".encode()

    def _json_body(self, _given: Mapping[str, Any]) -> tuple[str, bytes]:
        pick = self.random
        made = pick.choice((self._object(), [self._object()], self._value()))
        text = json.dumps(made)
        return TYPES[0], text[: pick.choice((len(text), len(text) // 2))].encode()

    def _list(self, _given: Mapping[str, Any]) -> tuple[str, bytes]:
        title, url = self._quoted(self._value()[:500]), self._value()[:500]
        text = f"<opml><body><outline text='{title}' xmlUrl='{url}'/></body></opml>"
        return self.random.choice(TYPES), text.encode("utf-8", "replace")

    def _noise(self, _given: Mapping[str, Any]) -> tuple[str, bytes]:
        size = self.random.choice((1, 30, 3_000))
        return self.random.choice(TYPES), self.random.randbytes(size)

    def _parts(self, _given: Mapping[str, Any]) -> tuple[str, bytes]:
        name, file = self.random.choice(self.words), self._quoted(self._value()[:200])
        value = self._value().encode("utf-8", "replace")
        named = self.random.choice((f"; name={name}", "", f'; name="{name}'))
        filed = self.random.choice((f"; filename={file}", "", "; filename"))
        head = f"--b\r\nContent-Disposition: form-data{named}{filed}\r\n\r\n".encode()
        end = self.random.choice((b"\r\n--b--\r\n", b"", b"\r\n--b"))
        return TYPES[3], head + value + end

    def _form(self, count: int) -> str:
        pick = self.random
        return "&".join(
            f"{pick.choice(self.words)}{pick.choice(('=', '=', '=', '', '[]=', '=='))}"
            f"{self._quoted(self._value()[:3_000])}"
            for _ in range(count)
        )

    def _object(self) -> dict[str, object]:
        return {
            self.random.choice(self.words): self._json(2)
            for _ in range(self.random.choice((0, 1, 3)))
        }

    def _json(self, depth: int) -> object:
        match self.random.randrange(8 if depth else 6):
            case 0:
                return self.random.choice((None, True, False, 0, -1, 1.5, 2**31, 2**63, 10**400))
            case 6:
                return [self._json(depth - 1)] * self.random.choice((0, 1, 300))
            case 7:
                return {self._value()[:50]: self._json(depth - 1)}
            case _:
                return self._value()

    def _value(self) -> str:
        pick = self.random
        match pick.randrange(4):
            case 0:
                return pick.choice(self.words)
            case 1:
                return pick.choice(list(self.ids.values()))
            case _:
                return pick.choice(LITTLE)

    def _quoted(self, text: str) -> str:
        if self.random.random() < 0.1:
            return quote_from_bytes(self.random.randbytes(4))
        return quote(text.encode("utf-8", "surrogatepass"))
