"""Whose words a model reads: one person's at a time, and nobody's who minds."""

import re
from collections.abc import AsyncIterator, Callable
from datetime import timedelta

import pytest

from tests.factories_feeds import entry
from tests.journeys.distill.test_bookmarks import ARTICLE, keep, look, work
from tests.model_api import ModelAPI, says
from tests.publisher import Publisher
from tests.serving import HTML, Server, Visitor
from tests.unit.distill.doubles import SAID, VALID_DIGEST, VALID_SUMMARY

Serve = Callable[..., Server]
CANARY = re.compile(r"canary-(\w+)")


@pytest.fixture
async def api() -> AsyncIterator[ModelAPI]:
    async with ModelAPI() as running:
        yield running


@pytest.fixture
async def modelled(serve: Serve, api: ModelAPI) -> Server:
    return serve(ai_type="compatible", ai_base_url=api.base_url, ai_model="test-model")


async def reader(server: Server, publisher: Publisher, name: str) -> Visitor:
    """Register somebody whose articles, and page, all bear their name."""
    visitor = await server.register(f"{name}@example.org")
    now = server.container.clock.now()
    words = f"canary-{name} says a sentence. It is about the weather of the day. {SAID}"
    entries = [
        entry(
            number,
            title=f"News {number} of canary-{name}",
            content=f"<p>{words}</p>",
            published_at=now - timedelta(minutes=number),
        )
        for number in range(1, 7)
    ]
    url = publisher.feed(f"/{name}.xml", entries=entries, title=f"Paper canary-{name}")
    assert (await visitor.post("/feeds", json={"url": url})).status == 201
    await work(server)
    return visitor


async def mind(visitor: Visitor, *, no_model: bool) -> None:
    """Say on the page whether a model may read."""
    form = {"no_model": "1"} if no_model else {}
    reply = await visitor.post("/digest/model", data=form, headers=HTML)
    assert reply.status == 303


def read_by(api: ModelAPI) -> list[set[str]]:
    """List whose words stand in each call."""
    return [set(CANARY.findall(call.user + call.system)) for call in api.calls]


@pytest.mark.threat("L4")
async def test_a_call_is_about_one_person(modelled: Server, api: ModelAPI, publisher: Publisher):
    api.script(lambda call: says(VALID_DIGEST if "[1]:" in call.user else VALID_SUMMARY))
    people = {name: await reader(modelled, publisher, name) for name in ("ada", "bob", "eve")}
    for name, visitor in people.items():
        own = ARTICLE.replace("Pendulums", f"canary-{name} Pendulums")
        page = publisher.page(f"/page-{name}", own)
        await keep(visitor, page, tags=f"canary-{name}")
    for visitor in people.values():
        assert (await visitor.post("/api/summaries")).status == 200
    await work(modelled)

    assert sorted(map(sorted, read_by(api))) == [
        [name] for name in ("ada", "ada", "bob", "bob", "eve", "eve")
    ]


@pytest.mark.threat("L12")
async def test_who_minds_has_everything_made_here(
    modelled: Server, api: ModelAPI, publisher: Publisher
):
    api.script(says(VALID_DIGEST))
    ada = await reader(modelled, publisher, "ada")
    bob = await reader(modelled, publisher, "bob")
    await mind(ada, no_model=True)
    id_ = await keep(ada, publisher.page("/clocks", ARTICLE))

    hers = (await ada.post("/api/summaries")).json()
    his = (await bob.post("/api/summaries")).json()
    await work(modelled)

    assert read_by(api) == [{"bob"}]
    assert (hers["model"], his["model"]) == ("offline-1", "test-model")
    kept = await look(ada, id_)
    assert (kept["enrich_status"], kept["enrich_error"]) == ("done", None)
    assert kept["summary"]
    page = await ada.get("/digest", headers=HTML)
    assert re.search(r'name="no_model" value="1" checked', page.text)


@pytest.mark.threat("L12")
async def test_the_wish_can_be_taken_back_and_leaves_others_alone(
    modelled: Server, api: ModelAPI, publisher: Publisher
):
    api.script(says(VALID_DIGEST))
    ada = await reader(modelled, publisher, "ada")
    schedule = {"daily": "1", "hour": "6", "timezone": "UTC"}
    await ada.post("/digest/schedule", data=schedule, headers=HTML)
    await mind(ada, no_model=True)
    await mind(ada, no_model=False)

    made = (await ada.post("/api/summaries")).json()

    assert made["model"] == "test-model"
    page = (await ada.get("/digest", headers=HTML)).text
    assert re.search(r'name="daily" value="1" checked', page)
    assert not re.search(r'name="no_model" value="1" checked', page)


async def test_without_a_model_nothing_is_asked(server: Server):
    ada = await server.register("ada@example.org")

    page = await ada.get("/digest", headers=HTML)

    assert "no_model" not in page.text
