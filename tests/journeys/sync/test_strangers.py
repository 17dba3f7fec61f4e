"""What somebody without a password may make the server read: little."""

import pytest

from tests.journeys.sync.desk import GREADER, URLENCODED, Person, form

pytestmark = pytest.mark.asyncio(loop_scope="module")

TOKENS = f"{GREADER}/reader/api/0/stream/items/contents"
LARGE = b"i=" + b"1" * 2_000_000
FIELDS = b"a&" * 400_000
"""Less than a megabyte, and more fields than any client has."""


@pytest.mark.threat("W3")
@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/fever/?api", 400),
        (f"{GREADER}/accounts/ClientLogin", 400),
        (TOKENS, 400),
        ("/wallabag/oauth/v2/token", 400),
        ("/v1/entries", 401),
        ("/index.php/apps/news/api/v1-3/items/read/multiple", 401),
    ],
)
async def test_a_large_body_of_a_stranger_is_not_read(ada: Person, path: str, status: int):
    method = "PUT" if path.startswith("/v1") else "POST"

    reply = await ada.ask(method, path, headers=URLENCODED, body=LARGE)

    assert reply.status == status
    assert "too large" in reply.text or status == 401


@pytest.mark.threat("W3")
@pytest.mark.parametrize("body", [FIELDS, b'{"i":[' + b"{}," * 400_000 + b"{}]}"])
async def test_a_million_fields_are_counted_not_read(ada: Person, body: bytes):
    token = await ada.sign_in()
    headers = URLENCODED | {"Authorization": f"GoogleLogin auth={token}"}

    reply = await ada.ask("POST", TOKENS, headers=headers, body=body)

    assert reply.status == 400
    assert "Too many fields" in reply.text


@pytest.mark.threat("W3")
async def test_whoever_shows_a_password_may_send_more(ada: Person):
    token = await ada.sign_in()
    headers = URLENCODED | {"Authorization": f"GoogleLogin auth={token}"}
    ids = [("i", f"tag:google.com,2005:reader/item/{n:016x}") for n in range(30_000)]

    reply = await ada.ask("POST", TOKENS, headers=headers, body=form(ids))

    assert len(form(ids)) > 1_048_576
    assert (reply.status, reply.json()["items"]) == (200, [])


@pytest.mark.parametrize(("count", "status"), [(100_000, 200), (100_001, 422)])
async def test_there_is_a_most_to_what_one_call_may_name(ada: Person, count: int, status: int):
    named = {"itemIds": [7] * count}

    reply = await ada.nextcloud("POST", "/items/read/multiple", named)

    assert reply.status == status
