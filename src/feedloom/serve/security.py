"""Protection for browsers: CSRF tokens, headers, local redirects.

A token belongs to a session; people who are not signed in yet have a signed cookie of
their own instead, so that no row is written for them. Tokens are masked: each page shows
another text for the same secret, and compression tells nothing about it.
"""

import base64
import hashlib
import hmac
import secrets
from typing import TypeVar
from urllib.parse import SplitResult, unquote, urlsplit

import msgspec
from python_multipart.multipart import parse_options_header
from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import InvalidInput, StaleForm
from feedloom.serve.auth import maybe_actor
from feedloom.serve.cookies import GUEST, read_cookie, set_cookie
from feedloom.serve.origin import own_hosts, services

T = TypeVar("T")

FORM_FIELD = "csrf_token"
HEADER = "x-csrf-token"
HOME = "/dashboard"
"""Where people land who asked for nothing else."""
_FORMS = {"application/x-www-form-urlencoded", "multipart/form-data"}
_UTF8 = {b"utf-8", b"utf8", b"us-ascii"}
_MOST_FIELDS = 1_000
_MOST_FILES = 10
_DECODINGS = 3


def csrf_token(request: Request) -> str:
    """Return a token for this page's forms; empty for programs, which need none."""
    found = maybe_actor(request)
    if found is not None and found.session is None:
        return ""
    mask = secrets.token_urlsafe(12)
    return f"{mask}.{_signature(_form_secret(request), mask)}"


async def require_csrf(request: Request) -> None:
    """Refuse an unsafe request of a browser without its token: ``StaleForm``."""
    found = maybe_actor(request)
    if found is not None and found.session is None:
        return
    if found is None:
        _require_own_origin(request)
    given = request.headers.get(HEADER) or await _field(request)
    mask, dot, signature = given.partition(".")
    if not dot or not hmac.compare_digest(
        signature.encode(), _signature(_form_secret(request), mask).encode()
    ):
        raise StaleForm


def require_readable_form(request: Request) -> None:
    """Refuse a form in another encoding than UTF-8: ``InvalidInput``.

    The parser would decode it with whatever codec of Python's it names, and some of
    these fail, or make text that no database takes.
    """
    headers = request.scope["headers"]
    given = next((v.decode("latin-1") for n, v in headers if n == b"content-type"), "")
    if "charset" not in given.lower():
        return
    # Read as the parser reads it, so that the two cannot disagree.
    kind, options = parse_options_header(given)
    charset = options.get(b"charset", b"utf-8").strip().lower()
    if kind == b"multipart/form-data" and charset not in _UTF8:
        raise InvalidInput("Send the form in UTF-8. Other encodings are not supported.")


def keep_guest(request: Request, response: Response) -> None:
    """Give the browser the cookie its forms were made for, if it has none yet."""
    nonce = request.scope.get("state", {}).get("new_guest")
    if nonce is not None:
        value = f"{nonce}.{_signature(services(request).secret_key, nonce)}"
        set_cookie(request, response, GUEST, value, max_age_s=None)


def seal(request: Request, value: object, *, life_s: int) -> str:
    now = services(request).clock.now().timestamp()
    packed = msgspec.json.encode([int(now) + life_s, value])
    text = base64.urlsafe_b64encode(packed).decode()
    return f"{text}.{_signature(services(request).secret_key, f'sealed {text}')}"


def unseal(request: Request, sealed: str, kind: type[T]) -> T | None:
    """Return what was sealed, unless it was changed or its time is over."""
    text, _, signature = sealed.partition(".")
    expected = _signature(services(request).secret_key, f"sealed {text}")
    if not hmac.compare_digest(signature.encode(), expected.encode()):
        return None
    packed = base64.urlsafe_b64decode(text)
    try:
        until, value = msgspec.json.decode(packed, type=tuple[int, kind])  # type: ignore[valid-type] # a type at run time
    except msgspec.ValidationError:
        return None  # Something else of ours, from another cookie.
    is_over = until < services(request).clock.now().timestamp()
    return None if is_over else value


def split_address(text: str) -> SplitResult:
    """Take an address from outside apart; one that is none has no parts."""
    try:
        return urlsplit(text)
    except ValueError:
        return urlsplit("")


def local_path(text: str | None, otherwise: str = HOME) -> str:
    """Return an address on this site, or another when it could lead away."""
    return text if text and _is_local(text) else otherwise


def _is_local(text: str) -> bool:
    if not text.startswith("/") or text.startswith("/auth/"):
        return False
    for _ in range(_DECODINGS):
        path = text.partition("?")[0]
        if "//" in path or "\\" in path or not text.isprintable():
            return False
        text = unquote(text)
    parts = split_address(text)
    return bool(parts.path) and not parts.scheme and not parts.netloc


def _form_secret(request: Request) -> bytes:
    found = maybe_actor(request)
    if found is not None and found.session is not None:
        return found.session.csrf_secret.encode()
    key = services(request).secret_key
    return _signature(key, f"form {_guest(request)}").encode()


def _guest(request: Request) -> str:
    made: str | None = getattr(request.state, "new_guest", None)
    if made is not None:
        return made
    nonce, _, signature = read_cookie(request, GUEST).partition(".")
    expected = _signature(services(request).secret_key, nonce)
    if nonce and hmac.compare_digest(signature.encode(), expected.encode()):
        return nonce
    request.state.new_guest = nonce = secrets.token_urlsafe(24)
    return nonce


def _require_own_origin(request: Request) -> None:
    if request.headers.get("sec-fetch-site") in {"same-origin", "none"}:
        return
    origin = request.headers.get("origin")
    if origin is None:
        return
    if split_address(origin).netloc.lower() not in own_hosts(request):
        raise StaleForm(detail="The Origin header names another site.")


async def _field(request: Request) -> str:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in _FORMS:
        return ""
    form = await request.form(max_files=_MOST_FILES, max_fields=_MOST_FIELDS)
    value = form.get(FORM_FIELD)
    return value if isinstance(value, str) else ""


def _signature(key: bytes, text: str) -> str:
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
