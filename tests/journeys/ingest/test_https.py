"""http and https of one address are one feed, which is fetched over https if it can be."""

import json
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import pytest
import trustme
from msgspec import structs

from feedloom.fetch import HTTPFetcher
from feedloom.model.reader import Subscription
from feedloom.model.stages import FetchRequest, FetchResponse
from feedloom.model.work import TaskKind
from feedloom.store import SubscriptionStore
from feedloom.store.engine.scripts import WORKER, Row, Script, sql
from tests.containers import Home, open_home, settings_for
from tests.databases import Databases
from tests.factories_feeds import FeedEntry, entries, entry
from tests.journeys.fetch.test_tls import NAME, client, server_tls
from tests.publisher import Answer, Publisher

pytestmark = pytest.mark.threat("S20", "S29")

PATH = "/feed.xml"
PLAIN, SECURE = f"http://{NAME}{PATH}", f"https://{NAME}{PATH}"
HTML = {"content-type": "text/html"}


@dataclass(frozen=True)
class DefaultPorts:
    """Sends what goes to the default ports to the publishers', and changes no more."""

    fetcher: HTTPFetcher
    ports: dict[str, int]

    async def fetch(self, ask: FetchRequest) -> FetchResponse:
        url = ask.url
        for scheme, port in self.ports.items():
            url = url.replace(f"{scheme}://{NAME}/", f"{scheme}://{NAME}:{port}/")
            at = f"{scheme}://ada:secret@{NAME}"
            url = url.replace(f"{at}/", f"{at}:{port}/")
        answer = await self.fetcher.fetch(structs.replace(ask, url=url))
        return structs.replace(answer, url=self._told(answer.url))

    def _told(self, url: str) -> str:
        for port in self.ports.values():
            url = url.replace(f":{port}/", "/")
        return url

    async def close(self) -> None:
        await self.fetcher.close()


@dataclass(frozen=True)
class Site:
    """A home, and a publisher with both ports."""

    home: Home
    plain: Publisher
    secure: Publisher

    async def work(self) -> None:
        """Fetch what is due, run the tasks, and fetch what is due then."""
        worker = self.home.container.worker()
        await worker.feed_loop().drain()
        await worker.task_loop().drain()
        await worker.feed_loop().drain()

    async def rows(self, text: str) -> list[Row]:
        def steps() -> Script[list[Row]]:
            return list((yield sql(text)))

        return await self.home.container.work.read(WORKER, steps)

    async def addresses(self) -> list[str]:
        return [row["url"] for row in await self.rows("SELECT url FROM feeds")]

    async def result(self) -> dict[str, object]:
        rows = await self.rows(f"SELECT result FROM tasks WHERE kind = '{TaskKind.HTTPS}'")
        assert len(rows) == 1
        return dict(json.loads(rows[0]["result"]))

    async def trail(self, subscription: Subscription) -> list[str]:
        page = await self.home.subscriptions.page(self.home.person.id, subscription.id)
        return [line.action for line in page.audit]


@asynccontextmanager
async def site_with(home: Home, authority: trustme.CA, tls: ssl.SSLContext) -> AsyncIterator[Site]:
    async with Publisher() as plain, Publisher(tls=tls) as secure:
        fetcher = DefaultPorts(client(authority), {"http": plain.port, "https": secure.port})
        container = replace(home.container, fetcher=cast("HTTPFetcher", fetcher))
        yield Site(Home(container, home.person), plain, secure)
        await fetcher.close()


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
async def site(home: Home, authority: trustme.CA) -> AsyncIterator[Site]:
    async with site_with(home, authority, server_tls(authority, NAME)) as made:
        yield made


async def other_person(site: Site) -> Home:
    made = await site.home.container.accounts.store.create("eve@example.org", "none")
    return Home(site.home.container, made)


async def test_a_feed_typed_as_http_is_fetched_over_https_once_that_works(site: Site):
    site.plain.feed(PATH)
    site.secure.feed(PATH)
    subscription = await site.home.subscribe(PLAIN)

    await site.work()

    assert (await site.home.look(subscription)).url == SECURE
    assert await site.trail(subscription) == ["https_found"]
    assert (site.plain.count(PATH), site.secure.count(PATH)) == (1, 1)
    await site.home.refresh()
    assert (site.plain.count(PATH), site.secure.count(PATH)) == (1, 2)
    assert len(await site.home.articles()) == 3


async def test_nobody_makes_the_https_feed_of_another_person_plain(site: Site):
    site.plain.feed(PATH)
    site.secure.feed(PATH)
    eve = await other_person(site)
    hers = await eve.subscribe(PLAIN)
    await site.work()
    ours = await site.home.subscribe(SECURE)

    await eve.subscriptions.change_url(eve.person.id, hers.id, PLAIN)
    await eve.subscriptions.unsubscribe(eve.person.id, hers.id)
    await eve.subscribe(PLAIN)
    await site.work()

    assert (await site.home.look(ours)).url == SECURE
    assert await site.addresses() == [SECURE]
    assert site.plain.count(PATH) == 1


async def test_https_is_looked_for_once(site: Site):
    site.plain.feed(PATH)
    subscription = await site.home.subscribe(PLAIN)

    await site.work()
    for _ in range(3):
        await site.home.refresh()
        await site.work()

    assert (await site.home.look(subscription)).url == PLAIN
    assert await site.trail(subscription) == []
    assert (site.plain.count(PATH), site.secure.count(PATH)) == (4, 1)
    assert await site.result() == {"https": False, "why": "Feed no longer available"}


async def test_whoever_names_the_https_address_has_it_looked_for_again(site: Site):
    site.plain.feed(PATH)
    await site.home.subscribe(PLAIN)
    await site.work()
    site.secure.feed(PATH)
    eve, day = await other_person(site), 86_400_000_000

    def days_later() -> Script[None]:
        yield sql("UPDATE feeds SET https_checked_at = https_checked_at - :day", day=day + 1)

    await eve.subscribe(SECURE)
    await site.work()
    same_day = await site.addresses()
    await site.home.container.work.write(WORKER, days_later)
    await eve.subscriptions.change_url(
        eve.person.id, (await eve.subscriptions.subscriptions(eve.person.id))[0].id, SECURE
    )
    await site.work()

    assert same_day == [PLAIN]
    assert await site.addresses() == [SECURE]


async def test_a_feed_that_is_there_only_over_https_is_found(site: Site):
    site.secure.feed(PATH)
    subscription = await site.home.subscribe(PLAIN)

    await site.work()

    found = await site.home.look(subscription)
    assert (found.url, found.state) == (SECURE, "healthy")
    assert len(await site.home.articles()) == 3


@pytest.mark.parametrize("change", ["page", "other", "parked", "empty", "back"])
async def test_what_is_not_the_same_feed_over_https_changes_nothing(site: Site, change: str):
    site.plain.feed(PATH, title="Blog", link=f"http://{NAME}/")
    if change == "page":
        site.secure.page(PATH, "<h1>It works!</h1>")
    elif change == "other":
        made = [entry(n, link=f"https://elsewhere.example/{n}") for n in range(50, 53)]
        site.secure.feed(PATH, title="Default customer", entries=made)
    elif change == "parked":
        site.secure.feed(PATH, title="This domain is for sale", entries=entries(2, 70))
    elif change == "empty":
        site.secure.feed(PATH, title="Another", entries=[])
    else:
        target = site.plain.url(PATH).replace("127.0.0.1", NAME)
        site.secure.redirect(PATH, target, status=301)
    subscription = await site.home.subscribe(PLAIN)

    await site.work()

    assert (await site.home.look(subscription)).url == PLAIN
    assert (await site.result())["https"] is False
    assert site.secure.count(PATH) == 1


async def test_a_bad_certificate_changes_nothing(home: Home, authority: trustme.CA):
    tls = server_tls(authority, "other.example")
    async with site_with(home, authority, tls) as site:
        site.plain.feed(PATH)
        site.secure.feed(PATH)
        subscription = await site.home.subscribe(PLAIN)

        await site.work()

        assert (await site.home.look(subscription)).url == PLAIN
        assert (await site.result())["https"] is False
        assert site.secure.count() == 0


async def test_articles_keep_their_marks_when_their_addresses_change_too(site: Site):
    def made(scheme: str, count: int) -> list[FeedEntry]:
        links = [f"{scheme}://{NAME}/{n}" for n in range(count, 0, -1)]
        return [entry(9 - n, guid=link, link=link) for n, link in enumerate(links)]

    site.plain.feed(PATH, title="Blog", entries=made("http", 3))
    site.secure.feed(PATH, title="Blog", entries=made("https", 4))
    await site.home.subscribe(PLAIN)
    await site.home.refresh_due()
    await site.home.reading.mark(site.home.person.id, [1], "starred")
    await site.home.reading.mark(site.home.person.id, [2], "read")

    await site.work()
    await site.home.refresh()

    found = await site.home.articles()
    assert [a.guid for a in found] == [f"https://{NAME}/{n}" for n in (1, 2, 3, 4)]
    assert [a.starred for a in found] == [True, False, False, False]
    assert [a.unread for a in found] == [True, False, True, True]


async def test_a_password_goes_along_and_stays_out_of_the_trail(site: Site):
    site.plain.feed(PATH)
    site.secure.feed(PATH)
    with_password = f"http://ada:secret@{NAME}{PATH}"
    private = await site.home.subscribe(with_password)
    public = await (eve := await other_person(site)).subscribe(PLAIN)

    await site.work()

    assert sorted(await site.addresses()) == [f"https://ada:secret@{NAME}{PATH}", SECURE]
    assert (await eve.look(public)).feed_id != (await site.home.look(private)).feed_id
    sent = [r.headers.get("authorization") for r in site.secure.asked(PATH)]
    assert sorted(map(bool, sent)) == [False, True]
    told = await site.rows("SELECT before_value, after_value FROM audit_log")
    assert [(r["before_value"], r["after_value"]) for r in told] == [(PLAIN, SECURE)] * 2


async def test_a_cookie_stays_with_its_feed_when_it_moves(site: Site):
    site.plain.feed(PATH)
    site.secure.feed(PATH)
    made = await site.home.subscribe(PLAIN)
    store, person = SubscriptionStore(site.home.container.web), site.home.person
    await store.set_access(person.id, made.id, cookie="a=b", user_agent=None)

    await site.work()
    await store.change_url(person.id, made.id, PLAIN)
    await site.work()

    found = await site.home.look(made)
    assert (found.url, found.cookie) == (SECURE, "a=b")
    assert [r.headers.get("cookie") for r in site.secure.asked(PATH)] == ["a=b"]


async def test_another_port_is_left_alone_unless_somebody_names_it(site: Site):
    site.plain.feed(PATH)
    site.secure.feed(PATH)
    typed = f"http://{NAME}:{site.secure.port}{PATH}"
    subscription = await site.home.subscribe(typed)

    await site.work()
    alone = (await site.home.look(subscription)).url
    await (await other_person(site)).subscribe(f"https://{NAME}:{site.secure.port}{PATH}")
    await site.work()

    assert alone == typed
    assert (await site.home.look(subscription)).url == typed.replace("http:", "https:")


async def test_a_server_that_fails_for_a_while_is_asked_again_later(site: Site):
    site.plain.feed(PATH)
    site.secure.script(PATH, Answer(503))
    subscription = await site.home.subscribe(PLAIN)

    await site.work()

    waiting = await site.rows(
        f"SELECT done_at, attempts FROM tasks WHERE kind = '{TaskKind.HTTPS}'"
    )
    assert [(row["done_at"], row["attempts"]) for row in waiting] == [(None, 1)]
    assert (await site.home.look(subscription)).url == PLAIN


async def test_feeds_of_an_earlier_version_are_looked_at_when_they_are_due(
    engine_url: Databases, tmp_path: Path, authority: trustme.CA
):
    async with open_home(settings_for(engine_url, tmp_path)) as home:
        await home.subscribe_to_all(
            [(PLAIN, NAME)] + [(f"http://{NAME}{PATH}?{n}", NAME) for n in range(20)]
        )
        async with site_with(home, authority, server_tls(authority, NAME)) as site:
            site.plain.feed(PATH)
            site.secure.feed(PATH)

            await site.work()

            found = await site.addresses()
            assert [url.partition(":")[0] for url in found] == ["https"] * 21
            assert site.secure.count() == 21
