"""Sign-in through an OpenID Connect provider: authorization code with PKCE.

    begin: where to send the browser, and what to remember meanwhile
    finish: the code it brings back -> token endpoint -> checked ID token -> Identity

Nothing is believed that is not in an ID token signed by the provider for us, for this
very attempt (nonce). All requests go out through the Fetcher port.
"""

import base64
import hashlib
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from feedloom.model.errors import FetchError, NotSignedIn
from feedloom.model.ports import Clock, Fetcher
from feedloom.model.stages import FetchRequest, Purpose

if TYPE_CHECKING:
    from joserfc import jwt
    from joserfc.jwk import KeySet

# The library that checks tokens is loaded by the first sign-in: most installations have
# no provider, and it would be a twentieth of everybody's start.

_ALGORITHMS = ("RS256", "PS256", "ES256", "EdDSA", "RS512", "ES512")
"""Signatures with a public key only: a shared secret or none would let others sign."""
_LEEWAY_S = 120
_CACHE = timedelta(hours=1)
_MOST_BYTES = 1_000_000
_REFUSED = "The sign-in provider's answer could not be verified. Please try again."


@dataclass(frozen=True, slots=True)
class Departure:
    url: str
    state: str
    nonce: str
    verifier: str


@dataclass(frozen=True, slots=True)
class Identity:
    issuer: str
    subject: str
    email: str
    email_verified: bool


@dataclass(frozen=True, slots=True)
class _Metadata:
    issuer: str
    """As the provider writes it, which is how it stands in its tokens."""
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    basic_auth: bool
    names_itself: bool
    """The provider says who it is in its answers (RFC 9207)."""


@dataclass(slots=True)
class OpenIDProvider:
    """One provider. What it publishes about itself is kept for an hour."""

    fetcher: Fetcher
    clock: Clock
    issuer: str
    client_id: str
    client_secret: str
    name: str = "single sign-on"
    _metadata: _Metadata | None = None
    _keys: "KeySet | None" = None
    _read_at: datetime | None = None

    async def begin(self, redirect_uri: str) -> Departure:
        metadata = await self._about()
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest())
        query = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": redirect_uri,
            "scope": "openid email profile",
            "state": state,
            "nonce": nonce,
            "code_challenge": challenge.rstrip(b"=").decode(),
            "code_challenge_method": "S256",
        }
        glue = "&" if "?" in metadata.authorization_endpoint else "?"
        url = f"{metadata.authorization_endpoint}{glue}{urlencode(query)}"
        return Departure(url, state, nonce, verifier)

    async def finish(
        self, answer: Mapping[str, str], *, redirect_uri: str, verifier: str, nonce: str
    ) -> Identity:
        metadata = await self._about()
        named = answer.get("iss")
        if (named or metadata.names_itself) and named != metadata.issuer:
            raise NotSignedIn(_REFUSED, detail="the answer names another issuer")
        if "code" not in answer:
            raise NotSignedIn("The sign-in provider refused the request.", detail="no code")
        form = {
            "grant_type": "authorization_code",
            "code": answer["code"],
            "redirect_uri": redirect_uri,
            "code_verifier": verifier,
        }
        claims = await self._claims(await self._exchange(metadata, form), nonce)
        email = claims.get("email")
        return Identity(
            metadata.issuer,
            str(claims["sub"]),
            email if isinstance(email, str) else "",
            email_verified=claims.get("email_verified") is True,
        )

    async def _about(self) -> _Metadata:
        now = self.clock.now()
        if self._metadata is None or self._read_at is None or now - self._read_at > _CACHE:
            said = await self._get(f"{self.issuer.rstrip('/')}/.well-known/openid-configuration")
            self._metadata = _metadata(said, self.issuer)
            self._keys = None
            self._read_at = now
        return self._metadata

    async def _exchange(self, metadata: _Metadata, form: dict[str, str]) -> dict[str, Any]:
        headers = {"content-type": "application/x-www-form-urlencoded"}
        if metadata.basic_auth:
            pair = f"{quote(self.client_id, safe='')}:{quote(self.client_secret, safe='')}"
            headers["authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
        else:
            form |= {"client_id": self.client_id, "client_secret": self.client_secret}
        ask = FetchRequest(
            metadata.token_endpoint,
            Purpose.OIDC,
            method="POST",
            headers=headers | {"accept": "application/json"},
            body=urlencode(form).encode(),
            max_bytes=_MOST_BYTES,
            max_redirects=0,
        )
        return await self._json(ask)

    async def _claims(self, tokens: Mapping[str, Any], nonce: str) -> dict[str, Any]:
        from joserfc import jwt  # noqa: PLC0415 - see above
        from joserfc.errors import JoseError  # noqa: PLC0415 - see above

        text = tokens.get("id_token")
        if not isinstance(text, str):
            raise NotSignedIn(_REFUSED, detail="no ID token")
        issuer = (await self._about()).issuer
        token = await self._decode(text)
        registry = jwt.JWTClaimsRegistry(
            now=int(self.clock.now().timestamp()),
            leeway=_LEEWAY_S,
            iss={"essential": True, "value": issuer},
            aud={"essential": True, "value": self.client_id},
            sub={"essential": True},
            exp={"essential": True},
            nonce={"essential": True, "value": nonce},
        )
        try:
            registry.validate(token.claims)
        except JoseError as error:
            raise NotSignedIn(_REFUSED, detail=str(error)) from error
        if token.claims.get("azp", self.client_id) != self.client_id:
            raise NotSignedIn(_REFUSED, detail="issued to another client")
        return token.claims

    async def _decode(self, text: str) -> "jwt.Token":
        from joserfc import jwt  # noqa: PLC0415 - see above
        from joserfc.errors import InvalidKeyIdError, JoseError  # noqa: PLC0415 - see above

        for _ in range(2):
            try:
                return jwt.decode(text, await self._key_set(), algorithms=_ALGORITHMS)
            except InvalidKeyIdError:
                # Signed with a key that may be newer than what we know.
                self._keys = None
            except (JoseError, ValueError, TypeError, KeyError) as error:
                raise NotSignedIn(_REFUSED, detail=type(error).__name__) from error
        raise NotSignedIn(_REFUSED, detail="signed with an unknown key")

    async def _key_set(self) -> "KeySet":
        from joserfc.jwk import KeySet  # noqa: PLC0415 - see above

        if self._keys is None:
            said = await self._get((await self._about()).jwks_uri)
            self._keys = KeySet.import_key_set(said)  # type: ignore[arg-type] # checked by it
        return self._keys

    async def _get(self, url: str) -> dict[str, Any]:
        headers = {"accept": "application/json"}
        ask = FetchRequest(url, Purpose.OIDC, headers=headers, max_bytes=_MOST_BYTES)
        return await self._json(ask)

    async def _json(self, ask: FetchRequest) -> dict[str, Any]:
        answer = await self.fetcher.fetch(ask)
        if answer.status != HTTPStatus.OK:
            raise FetchError(
                "The sign-in provider could not be reached. Please try again later.",
                detail=f"{ask.url} answered {answer.status}",
            )
        try:
            said = json.loads(answer.body)
        except (ValueError, RecursionError) as error:
            raise NotSignedIn(_REFUSED, detail="not JSON") from error
        if not isinstance(said, dict):
            raise NotSignedIn(_REFUSED, detail="not a JSON object")
        return said


def _metadata(said: Mapping[str, Any], issuer: str) -> _Metadata:
    # A trailing slash is often forgotten in settings; anything else is another issuer.
    if str(said.get("issuer", "")).rstrip("/") != issuer.rstrip("/"):
        raise NotSignedIn(_REFUSED, detail="the metadata names another issuer")
    names = ("authorization_endpoint", "token_endpoint", "jwks_uri")
    endpoints = [said.get(name) for name in names]
    if not all(isinstance(end, str) and end.startswith("http") for end in endpoints):
        raise NotSignedIn(_REFUSED, detail="an endpoint is missing")
    methods = said.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
    authorization, token, keys = map(str, endpoints)
    has_basic_auth = "client_secret_basic" in methods
    names_itself = said.get("authorization_response_iss_parameter_supported") is True
    issuer = str(said["issuer"])
    return _Metadata(issuer, authorization, token, keys, has_basic_auth, names_itself)
