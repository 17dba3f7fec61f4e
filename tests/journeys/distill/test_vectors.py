"""Embeddings: related articles and search by meaning, through a service on loopback."""

from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from http import HTTPStatus

import pytest
from playwright.async_api import Browser, expect

from feedloom.app import Container
from feedloom.store.engine.scripts import WORKER, Script, sql
from tests.browser import Axe
from tests.embeddings_api import embeds
from tests.factories_feeds import entry
from tests.journeys.distill.test_discretion import mind
from tests.journeys.web.people import Page
from tests.model_api import ModelAPI, Reply, fails
from tests.publisher import Publisher
from tests.serving import HTML, Server, Visitor

Serve = Callable[..., Server]
TITLES = (
    "A ferry returns to the harbour",
    "The ship waits for spring",
    "Barco viejo",
    "Flour is dear again",
    "Brot und Salz",
    "The ballot was counted twice",
    "An election without winners",
    "Track closed for repairs",
    "Ein Zug kommt selten allein",
    *(f"Notes number {number} of nobody" for number in range(40)),
)
ODD = ("1e999", "NaN", "1e200", f"1{'0' * 400}")


@pytest.fixture
async def api() -> AsyncIterator[ModelAPI]:
    async with ModelAPI() as running:
        running.script(embeds)
        yield running


@pytest.fixture
async def embedding(serve: Serve, api: ModelAPI) -> Server:
    return serve(embeddings_url=api.base_url, embeddings_model="small", embeddings_api_key="k-1")


async def reads(server: Server, publisher: Publisher, name: str = "ada") -> Visitor:
    """Let somebody subscribe to a feed with all the titles."""
    visitor = await server.register(f"{name}@example.org")
    now = server.container.clock.now()
    entries = [
        entry(n, title=title, content="<p>.</p>", published_at=now - timedelta(minutes=n))
        for n, title in enumerate(TITLES, 1)
    ]
    url = publisher.feed(f"/{name}.xml", entries=entries, title=f"Paper of {name}")
    assert (await visitor.post("/feeds", json={"url": url})).status == HTTPStatus.CREATED
    await server.refresh_all()
    return visitor


async def embed(server: Server) -> None:
    """Do what a worker does each minute, and then the task."""

    async def work(container: Container) -> None:
        embedding = container.embedding()
        assert embedding is not None
        await embedding.queue_due()
        await container.worker().task_loop(for_people=False).drain()

    await server.call(work)


async def item_of(visitor: Visitor, title: str) -> int:
    found = (await visitor.get("/api/articles?limit=100")).json()["articles"]
    return int(next(article["id"] for article in found if article["title"] == title))


def titles(reply: object) -> list[str]:
    return [each["title"] for each in reply["articles"]]  # type: ignore[index]  # JSON


@pytest.mark.both_engines
async def test_related_articles_share_a_meaning_in_any_language(
    embedding: Server, api: ModelAPI, publisher: Publisher
):
    ada = await reads(embedding, publisher)
    await embed(embedding)
    item = await item_of(ada, TITLES[0])

    related = (await ada.get(f"/api/articles/{item}/related")).json()
    page = Page((await ada.get(f"/articles/{item}/related", headers=HTML)).text)

    assert set(titles(related)) == {"The ship waits for spring", "Barco viejo"}
    assert set(page.texts(".related a")) == set(titles(related))
    assert api.calls[0].path == "/v1/embeddings"
    assert api.calls[0].headers["authorization"] == "Bearer k-1"
    assert len(api.calls) == 1, "all articles of one batch in one request"


async def test_search_by_meaning_finds_other_words_and_words_stay_the_default(
    embedding: Server, api: ModelAPI, publisher: Publisher
):
    ada = await reads(embedding, publisher)
    await embed(embedding)
    await embedding.call(lambda container: container.indexer().catch_up())

    by_words = Page((await ada.get("/search?q=railway", headers=HTML)).text)
    by_meaning = Page((await ada.get("/search?q=railway&order=meaning", headers=HTML)).text)
    again = (await ada.get("/api/search?q=railway&order=meaning&limit=2")).json()

    assert by_words.texts(".row-title") == []
    assert by_meaning.texts(".segmented a, .chips a") == []
    assert "Search by meaning" in by_words.texts(".search-tools a")
    nearest = {"Track closed for repairs", "Ein Zug kommt selten allein"}
    assert set(by_meaning.texts(".row-title")[:2]) == set(titles(again)) == nearest
    assert sum(call.body["input"] == ["railway"] for call in api.calls) == 1


@pytest.mark.threat("A7")
async def test_readers_find_articles_of_their_own_feeds_only(
    embedding: Server, publisher: Publisher
):
    ada = await reads(embedding, publisher)
    bob = await embedding.register("bob@example.org")
    await embed(embedding)
    item = await item_of(ada, TITLES[0])

    assert titles((await bob.get("/api/search?q=ferry&order=meaning")).json()) == []
    assert (await bob.get(f"/api/articles/{item}/related")).status == HTTPStatus.NOT_FOUND


@pytest.mark.threat("L12")
async def test_nothing_is_sent_of_people_who_mind_and_of_private_feeds(
    embedding: Server, api: ModelAPI, publisher: Publisher
):
    ada = await reads(embedding, publisher)
    await mind(ada, no_model=True)
    await reads(embedding, publisher, "bob")
    await embedding.call(_with_cookie)
    await embed(embedding)

    refused = await ada.get("/api/search?q=ferry&order=meaning")

    assert api.calls == []
    assert refused.status == HTTPStatus.CONFLICT


@pytest.mark.threat("L11")
async def test_a_failing_service_costs_nothing_and_is_asked_again(
    embedding: Server, api: ModelAPI, publisher: Publisher
):
    ada = await reads(embedding, publisher)
    api.script(fails(500), embeds)
    await embed(embedding)
    item = await item_of(ada, TITLES[0])
    before = (await ada.get(f"/api/articles/{item}/related")).json()
    await embed(embedding)

    assert titles(before) == []
    assert titles((await ada.get(f"/api/articles/{item}/related")).json())


@pytest.mark.threat("L6")
@pytest.mark.parametrize(
    "answer",
    [
        "[]",
        "{}",
        '{"data": []}',
        '{"data": [{"index": 1e999, "embedding": []}]}',
        *(f'{{"data": [{{"index": 0, "embedding": [{number}{", 1" * 15}]}}]}}' for number in ODD),
    ],
)
async def test_an_odd_answer_is_the_services_fault(
    embedding: Server, api: ModelAPI, publisher: Publisher, answer: str
):
    ada = await reads(embedding, publisher)
    api.script(Reply(body=answer.encode()))
    await embed(embedding)

    reply = await ada.get("/api/search?q=ferry&order=meaning")

    assert reply.status == HTTPStatus.SERVICE_UNAVAILABLE


@pytest.mark.threat("L8")
async def test_a_spent_budget_sends_nothing(serve: Serve, api: ModelAPI, publisher: Publisher):
    server = serve(
        embeddings_url=api.base_url,
        embeddings_model="small",
        embeddings_price=10_000.0,
        ai_daily_budget=0.01,
    )
    await reads(server, publisher)
    await embed(server)

    assert api.calls == []


async def test_another_model_starts_anew(serve: Serve, api: ModelAPI, publisher: Publisher):
    server = serve(embeddings_url=api.base_url, embeddings_model="small")
    ada = await reads(server, publisher)
    await embed(server)
    await server.call(_of_another_model)
    item = await item_of(ada, TITLES[0])
    before = (await ada.get(f"/api/articles/{item}/related")).json()
    await embed(server)

    assert titles(before) == []
    assert titles((await ada.get(f"/api/articles/{item}/related")).json())
    assert len(api.calls) == 2


async def _with_cookie(container: Container) -> None:
    def change() -> Script[None]:
        yield sql("UPDATE subscriptions SET cookie = 'session=1' WHERE user_id = 2")

    await container.work.write(WORKER, change)


async def _of_another_model(container: Container) -> None:
    def change() -> Script[None]:
        yield sql("UPDATE article_vectors SET model = 'large'")

    await container.work.write(WORKER, change)


async def test_without_a_service_there_is_nothing_of_it(serve: Serve, publisher: Publisher):
    server = serve()
    ada = await reads(server, publisher)
    item = await item_of(ada, TITLES[0])

    page = await ada.get(f"/articles/{item}", headers=HTML)
    search = await ada.get("/search?q=ferry", headers=HTML)
    nothing = await ada.get(f"/api/articles/{item}/related")
    refused = await ada.get("/api/search?q=ferry&order=meaning")

    assert "related" not in page.text
    assert "Search by meaning" not in search.text
    assert titles(nothing.json()) == []
    assert refused.status == HTTPStatus.CONFLICT


@pytest.mark.parametrize("width", [360, 1280])
async def test_related_articles_appear_below_an_article(
    embedding: Server, publisher: Publisher, browser: Browser, axe: Axe, width: int
):
    ada = await reads(embedding, publisher)
    await embed(embedding)
    item = await item_of(ada, TITLES[0])
    context = await browser.new_context(
        base_url=embedding.url, viewport={"width": width, "height": 800}
    )
    await context.add_cookies(
        [
            {
                "name": "feedloom_session",
                "value": ada.cookies["feedloom_session"],
                "url": embedding.url,
            }
        ]
    )
    page = await context.new_page()
    await page.goto(f"/articles/{item}")

    await expect(page.get_by_role("heading", name="Related articles")).to_be_visible()
    assert await page.locator(".related a").count() == 2
    assert await page.evaluate("document.documentElement.scrollWidth") <= width
    assert await axe(page) == []
    await page.goto("/search?q=railway&order=meaning")
    await expect(page.get_by_text("Closest in meaning").first).to_be_visible()
    assert await axe(page) == []
