"""What a provider may get wrong before there is any token to check."""

import json

import pytest

from feedloom.flow.identity.oidc import OpenIDProvider
from feedloom.model.errors import FetchError, NotSignedIn
from feedloom.model.stages import FetchRequest, FetchResponse
from tests.fakes import FixedClock

ISSUER = "https://id.example"
METADATA = {
    "issuer": f"{ISSUER}/",
    "authorization_endpoint": f"{ISSUER}/authorize?tenant=1",
    "token_endpoint": f"{ISSUER}/token",
    "jwks_uri": f"{ISSUER}/keys",
}
ANSWER = {"code": "x", "state": "y"}


class Scripted:
    """A ``Fetcher`` that answers from a table, and counts."""

    def __init__(self, **pages: object) -> None:
        self.pages = {"openid-configuration": METADATA, **pages}
        self.asked: list[FetchRequest] = []

    async def fetch(self, ask: FetchRequest) -> FetchResponse:
        self.asked.append(ask)
        said = self.pages.get(ask.url.rpartition("/")[2])
        if said is None:
            return FetchResponse(ask.url, 404, {}, b"")
        body = said if isinstance(said, bytes) else json.dumps(said).encode()
        return FetchResponse(ask.url, 200, {}, body)

    async def close(self) -> None:
        pass


def provider(fetcher: Scripted, clock: FixedClock | None = None) -> OpenIDProvider:
    return OpenIDProvider(fetcher, clock or FixedClock(), ISSUER, "us", "secret")


async def finish(made: OpenIDProvider, answer: dict[str, str] = ANSWER):
    return await made.finish(
        answer, redirect_uri="https://us.example/back", verifier="v", nonce="n"
    )


async def test_a_departure_carries_state_nonce_and_challenge():
    departure = await provider(Scripted()).begin("https://us.example/back")

    assert departure.url.startswith(f"{ISSUER}/authorize?tenant=1&response_type=code&")
    assert f"state={departure.state}" in departure.url
    assert f"nonce={departure.nonce}" in departure.url
    assert departure.verifier not in departure.url
    assert len({departure.state, departure.nonce, departure.verifier}) == 3


@pytest.mark.parametrize(
    "metadata",
    [
        {**METADATA, "issuer": "https://evil.example"},
        {**METADATA, "token_endpoint": None},
        {**METADATA, "jwks_uri": "file:///etc/passwd"},
        {},
        [],
        b"no json",
        b"[" * 100_000,
    ],
)
async def test_odd_metadata_is_not_believed(metadata):
    made = provider(Scripted(**{"openid-configuration": metadata}))

    with pytest.raises(NotSignedIn):
        await made.begin("https://us.example/back")


async def test_a_provider_that_is_not_there_is_an_error_of_fetching():
    made = provider(Scripted(**{"openid-configuration": None}))

    with pytest.raises(FetchError):
        await made.begin("https://us.example/back")


@pytest.mark.parametrize(
    "token", [{}, {"id_token": 3}, {"id_token": "a.b.c"}, {"id_token": ""}, {"id_token": "é"}]
)
async def test_what_is_no_token_is_refused(token):
    with pytest.raises(NotSignedIn):
        await finish(provider(Scripted(token=token, keys={"keys": []})))


@pytest.mark.parametrize("keys", [{}, {"keys": 3}, {"keys": [{"kty": "x"}]}, {"keys": []}])
async def test_odd_keys_verify_nothing(keys):
    token = {"id_token": "eyJhbGciOiJFUzI1NiIsImtpZCI6IngifQ.e30.AAAA"}

    with pytest.raises(NotSignedIn):
        await finish(provider(Scripted(token=token, keys=keys)))


@pytest.mark.parametrize(
    "answer", [{}, {"error": "access_denied"}, {"code": "x", "iss": "https://evil.example"}]
)
async def test_an_answer_without_a_code_or_from_another_is_refused(answer):
    with pytest.raises(NotSignedIn):
        await finish(provider(Scripted()), answer)


async def test_metadata_is_read_once_an_hour():
    fetcher, clock = Scripted(), FixedClock()
    made = provider(fetcher, clock)
    await made.begin("https://us.example/back")
    await made.begin("https://us.example/back")
    within = len(fetcher.asked)

    clock.advance(3601)
    await made.begin("https://us.example/back")

    assert (within, len(fetcher.asked)) == (1, 2)
