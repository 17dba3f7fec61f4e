"""Hubs call back: what they prove is heard, everything else changes nothing."""

import hmac
from io import BytesIO

import pytest

from feedloom.app import Container
from feedloom.model.work import HubSubscription
from feedloom.store import HubStore
from feedloom.store.engine.scripts import WORKER, Row, Script, sql
from tests.serving import Server, Visitor

HUB = "https://hub.example/"
TOPIC = "https://site.example/feed.xml"
SECRET = "a secret of the two"
BODY = "<rss>anything at all ä</rss>".encode("latin-1")


async def subscribed(server: Server, token: str) -> None:
    """Have somebody who reads a feed whose hub was asked."""

    async def run(container: Container) -> None:
        user = await container.accounts.store.create(f"{token}@example.org", "-")
        services = container.services()
        await services.subscriptions.subscribe(user.id, TOPIC)
        hubs = HubStore(container.work)
        feed_id = (await rows(container))[0]["id"]
        await hubs.save(HubSubscription(feed_id, HUB, TOPIC, token, SECRET))
        await container.work.write(WORKER, rest)

    await server.call(run)


def rest() -> Script[None]:
    """Let everything be due in a day."""
    yield sql("UPDATE feed_schedules SET next_run_at = now_us() + 86400000000")
    yield sql("UPDATE feed_schedules SET due_at = next_run_at")


async def rows(container: Container) -> list[Row]:
    def steps() -> Script[list[Row]]:
        return list(
            (
                yield sql(
                    "SELECT f.id, s.due_at <= now_us() AS due, w.state FROM feeds f"
                    " JOIN feed_schedules s ON s.feed_id = f.id"
                    " LEFT JOIN websub w ON w.feed_id = f.id"
                )
            )
        )

    return await container.work.read(WORKER, steps)


async def is_due(server: Server) -> bool:
    return bool((await server.call(rows))[0]["due"])


def signed(body: bytes, method: str = "sha256", secret: str = SECRET) -> dict[str, str]:
    digest = hmac.new(secret.encode(), body, method).hexdigest()
    return {"X-Hub-Signature": f"{method}={digest}", "Content-Type": "text/xml"}


def question(**changes: str) -> dict[str, str]:
    asked = {
        "hub.mode": "subscribe",
        "hub.topic": TOPIC,
        "hub.challenge": "x1y2z3",
        "hub.lease_seconds": "864000",
    }
    return asked | {f"hub.{name}": value for name, value in changes.items()}


@pytest.mark.threat("C11")
async def test_a_hub_that_asks_whether_we_asked_is_answered(server: Server):
    await subscribed(server, "known")
    visitor = server.visitor()

    reply = await visitor.get("/websub/known", params=question())

    assert (reply.status, reply.text) == (200, "x1y2z3")
    assert (await server.call(rows))[0]["state"] == "active"


@pytest.mark.threat("C11")
@pytest.mark.parametrize(
    ("token", "asked"),
    [
        ("unknown", question()),
        ("known", question(topic="https://evil.example/feed")),
        ("known", question(mode="unsubscribe")),
        ("known", question(challenge="")),
        ("known", {}),
    ],
)
async def test_what_nobody_asked_for_is_not_confirmed(server: Server, token, asked):
    await subscribed(server, "known")

    reply = await server.visitor().get(f"/websub/{token}", params=asked)

    assert reply.status == 404
    assert (await server.call(rows))[0]["state"] == "pending"


@pytest.mark.threat("X9")
@pytest.mark.parametrize("token", ["%00", "known%00", "%ED%A0%80", "ä", "a" * 3_000])
async def test_what_was_never_a_secret_is_not_found(server: Server, token: str):
    visitor = server.visitor()

    asked = await visitor.get(f"/websub/{token}", params=question())
    told = await visitor.post(f"/websub/{token}", data=BODY, headers=signed(BODY))

    assert (asked.status, told.status) == (404, 404)


@pytest.mark.threat("C11")
async def test_a_delivery_with_proof_makes_the_feed_due_and_nothing_more(server: Server):
    await subscribed(server, "known")

    reply = await server.visitor().post("/websub/known", data=BODY, headers=signed(BODY))

    assert reply.status == 202
    assert await is_due(server)


@pytest.mark.threat("C11")
@pytest.mark.parametrize(
    "headers",
    [
        {},
        signed(BODY, secret="another"),
        signed(BODY + b"x"),
        signed(BODY, "sha1"),
        signed(BODY, "md5"),
        {"X-Hub-Signature": "sha256="},
        {"X-Hub-Signature": "sha256=ü"},
        {"X-Hub-Signature": "none"},
    ],
)
async def test_a_delivery_without_proof_is_dropped_without_a_word(server: Server, headers):
    await subscribed(server, "known")

    reply = await server.visitor().post("/websub/known", data=BODY, headers=headers)

    assert (reply.status, reply.body) == (202, b"")
    assert not await is_due(server)


@pytest.mark.threat("C11")
async def test_a_secret_that_cannot_be_decrypted_proves_nothing(server: Server):
    await subscribed(server, "known")

    def damage() -> Script[None]:
        yield sql("UPDATE websub SET secret = replace(secret, ':', ':AAAA')")

    await server.call(lambda container: container.work.write(WORKER, damage))
    reply = await server.visitor().post("/websub/known", data=BODY, headers=signed(BODY, secret=""))

    assert reply.status == 202
    assert not await is_due(server)


@pytest.mark.threat("C11")
async def test_an_endless_delivery_is_cut_and_a_guess_finds_nothing(server: Server):
    await subscribed(server, "known")
    visitor: Visitor = server.visitor()
    much = b"x" * 5_000_000

    large = await visitor.post("/websub/known", data=BytesIO(much), headers=signed(much))
    guessed = await visitor.post("/websub/other", data=BODY, headers=signed(BODY))

    assert large.status == 413
    assert guessed.status == 404
    assert not await is_due(server)
