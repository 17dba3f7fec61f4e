from datetime import timedelta

import pytest

from feedloom.model.errors import StaleForm
from feedloom.model.reader import Role, Session, User
from feedloom.serve.auth import Actor
from feedloom.serve.security import csrf_token, local_path, require_csrf, seal, unseal
from tests.fakes import START, FixedClock
from tests.unit.serve.requests_made import make_request, surroundings

ADA = User(1, "ada@example.org", Role.READER)


def session(secret: str) -> Session:
    return Session("hash", ADA, secret, START, START, START + timedelta(days=1))


def signed_in(secret: str = "secret", token: str = ""):
    request = make_request("POST", headers={"X-CSRF-Token": token} if token else {})
    request.state.actor = Actor(ADA, session(secret))
    return request


@pytest.mark.parametrize(
    "path", ["/", "/ui/", "/ui/?view=feeds", "/read/feed/3?x=//y", "/a%20b", "/ui/?u=http://x.y/"]
)
def test_a_local_path_stays(path):
    assert local_path(path) == path


@pytest.mark.threat("A6")
@pytest.mark.parametrize(
    "path",
    [
        None,
        "",
        "ui",
        "//evil.example",
        "///evil.example",
        "/\\evil.example",
        "\\/evil.example",
        "https://evil.example",
        "https:evil.example",
        "javascript:alert(1)",
        "/%2F/evil.example",
        "/%2f%2fevil.example",
        "/%5Cevil.example",
        "/%255cevil.example",
        "/%25252f[",
        "/a//b",
        "/\x00",
        "/a\tb",
        "/a\nb",
        "/%0d%0aSet-Cookie:x",
        "/\u2028",
        "/auth/login",
        "/auth/logout",
    ],
)
def test_what_could_lead_away_is_replaced(path):
    assert local_path(path) == "/dashboard"
    assert local_path(path, "/ui/") == "/ui/"


async def test_every_page_has_another_token_and_all_are_good():
    first, second = csrf_token(signed_in()), csrf_token(signed_in())

    await require_csrf(signed_in(token=first))
    await require_csrf(signed_in(token=second))

    assert first != second
    assert "secret" not in first


@pytest.mark.parametrize("token", ["", ".", "a", "a.b", "mask.", "mask.é"])
async def test_a_token_that_is_none_is_refused(token):
    with pytest.raises(StaleForm):
        await require_csrf(signed_in(token=token))


@pytest.mark.threat("A5")
async def test_a_token_of_another_session_is_refused():
    token = csrf_token(signed_in("another"))

    with pytest.raises(StaleForm):
        await require_csrf(signed_in(token=token))


async def test_programs_have_no_token_and_need_none():
    request = make_request("POST")
    request.state.actor = Actor(ADA)

    await require_csrf(request)

    assert csrf_token(request) == ""


def test_what_was_sealed_comes_back_until_its_time_is_over():
    clock = FixedClock()
    request = make_request(services=surroundings(clock=clock))
    sealed = seal(request, {"a": "b"}, life_s=60)

    inside = unseal(request, sealed, dict[str, str])
    clock.advance(61)

    assert inside == {"a": "b"}
    assert unseal(request, sealed, dict[str, str]) is None


@pytest.mark.threat("A4")
@pytest.mark.parametrize("change", [lambda _: "", lambda s: s[:-1], lambda s: "x" + s[1:]])
def test_what_was_changed_does_not_come_back(change):
    request = make_request()

    assert unseal(request, change(seal(request, "x", life_s=60)), str) is None


def test_another_installations_seal_is_not_ours():
    other = make_request(services=surroundings(secret_key=b"o" * 32))

    sealed = seal(other, "x", life_s=60)

    assert unseal(make_request(), sealed, str) is None
