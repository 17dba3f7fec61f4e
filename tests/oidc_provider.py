"""An OpenID Connect provider on loopback that tests tell what to say, and to lie.

    with ProviderThread() as provider:
        provider.person = {"sub": "42", "email": "ada@example.org"}
        answer = provider.authorize(location)   # what the browser is sent back with
        provider.lies["claims"] = {"nonce": "another"}

It checks what a provider checks (client, redirect address, PKCE, each code once) and
answers 400 otherwise. It never shows pages: ``authorize`` is the person who agrees.
"""

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import parse_qs, parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from joserfc import jwt
from joserfc.jwk import ECKey, KeySet, OctKey, RSAKey

CLIENT_ID = "feedloom"
CLIENT_SECRET = "s3cret/with:signs"
Key = ECKey | RSAKey


def new_key(kid: str = "") -> ECKey:
    """Make a key to sign with."""
    return ECKey.generate_key("P-256", {"kid": kid or secrets.token_hex(4)})


@dataclass(slots=True)
class Grant:
    """What one code stands for."""

    redirect_uri: str
    nonce: str
    challenge: str


@dataclass(slots=True)
class Provider:
    """The provider's state; tests read and change it."""

    issuer: str = ""
    person: dict[str, Any] = field(default_factory=lambda: {"sub": "42"})
    lies: dict[str, Any] = field(default_factory=dict)
    """``claims``: claims to replace (None drops one); ``key``: sign with another;
    ``alg``; ``issuer``: in the metadata; ``status``: of the token endpoint."""
    asked: list[str] = field(default_factory=list)
    basic: bool = True
    grants: dict[str, Grant] = field(default_factory=dict)
    key: Key = field(default_factory=new_key)

    def authorize(self, location: str) -> str:
        """Agree to a sign-in; return the path and query the browser comes back with."""
        asked = dict(parse_qsl(urlsplit(location).query))
        assert asked["client_id"] == CLIENT_ID
        assert asked["response_type"] == "code"
        assert asked["code_challenge_method"] == "S256"
        assert "openid" in asked["scope"].split()
        code = secrets.token_urlsafe(16)
        self.grants[code] = Grant(asked["redirect_uri"], asked["nonce"], asked["code_challenge"])
        back = urlsplit(asked["redirect_uri"])
        query = urlencode({"code": code, "state": asked["state"], "iss": self.issuer})
        return urlunsplit(("", "", back.path, query, ""))

    def metadata(self) -> dict[str, Any]:
        methods = ["client_secret_basic"] if self.basic else ["client_secret_post"]
        return {
            "issuer": self.lies.get("issuer", self.issuer),
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "token_endpoint_auth_methods_supported": methods,
            "authorization_response_iss_parameter_supported": True,
        }

    def keys(self) -> dict[str, Any]:
        return dict(KeySet([self.key]).as_dict(private=False))

    def token(self, form: dict[str, str], authorization: str) -> dict[str, Any] | None:
        """Exchange a code, or refuse."""
        grant = self.grants.pop(form.get("code", ""), None)
        if grant is None or not self._knows(form, authorization):
            return None
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if challenge != grant.challenge or form["redirect_uri"] != grant.redirect_uri:
            return None
        return {"token_type": "Bearer", "id_token": self._id_token(grant.nonce)}

    def _knows(self, form: dict[str, str], authorization: str) -> bool:
        given = (form.get("client_id", ""), form.get("client_secret", ""))
        if self.basic:
            pair = base64.b64decode(authorization.removeprefix("Basic ")).decode()
            name, _, secret = pair.partition(":")
            given = (unquote(name), unquote(secret))
        return given == (CLIENT_ID, CLIENT_SECRET)

    def _id_token(self, nonce: str) -> str:
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "aud": CLIENT_ID,
            "iat": now,
            "exp": now + 300,
            "nonce": nonce,
            **self.person,
            **self.lies.get("claims", {}),
        }
        claims = {name: value for name, value in claims.items() if value is not None}
        match self.lies.get("alg"):
            case "none":
                head = base64.urlsafe_b64encode(b'{"alg":"none"}').rstrip(b"=")
                body = base64.urlsafe_b64encode(json.dumps(claims).encode()).rstrip(b"=")
                return f"{head.decode()}.{body.decode()}."
            case "HS256":
                key = OctKey.import_key(CLIENT_SECRET.ljust(32, "x"))
                return jwt.encode({"alg": "HS256"}, claims, key)
            case _:
                key_used = self.lies.get("key", self.key)
                alg = "RS256" if isinstance(key_used, RSAKey) else "ES256"
                header = {"alg": alg, "kid": self.key.kid}
                return jwt.encode(header, claims, key_used)


class ProviderThread:
    """A provider that listens on a thread of its own."""

    def __init__(self) -> None:
        self.provider = Provider()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self.provider))
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> Provider:
        self.provider.issuer = f"http://127.0.0.1:{self._server.server_port}"
        self._thread.start()
        return self.provider

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _handler(provider: Provider) -> type[BaseHTTPRequestHandler]:
    pages: dict[str, Callable[[], dict[str, Any]]] = {
        "/.well-known/openid-configuration": provider.metadata,
        "/keys": provider.keys,
    }

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            provider.asked.append(self.path)
            page = pages.get(self.path)
            self._say(404 if page is None else 200, page() if page else {})

        def do_POST(self) -> None:
            provider.asked.append(self.path)
            length = int(self.headers.get("content-length", 0))
            sent = parse_qs(self.rfile.read(length).decode())
            form = {name: values[0] for name, values in sent.items()}
            given = provider.token(form, self.headers.get("authorization", ""))
            status = provider.lies.get("status", 200 if given else 400)
            self._say(status, given or {"error": "invalid_grant"})

        def _say(self, status: int, body: dict[str, Any]) -> None:
            raw = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_: object) -> None:
            pass

    return Handler
