"""Proxied feeds and spending in the browser of an operator."""

import re
import uuid

import pytest

from feedloom.factories import ledger
from feedloom.model.distilled.requests import CallOutcome, CallRecord, ModelPurpose, PlannedCall
from tests.journeys.proxies.desk import Desk
from tests.publisher import Answer
from tests.serving import HTML, Reply, Visitor

PAGE = "/admin/proxies"


@pytest.fixture
async def operator(desk: Desk) -> Visitor:
    """The module's first account; later tests sign in again."""
    if await desk.server.call(lambda container: container.accounts.store.has_any()):
        return await desk.server.sign_in("ada@example.org")
    return await desk.server.register("ada@example.org")


async def added(operator: Visitor, url: str, **fields: str) -> str:
    """Add a proxy with the form; return the address of its page."""
    reply = await operator.post(PAGE, data={"url": url, **fields}, headers=HTML)
    assert reply.status == 303, reply.text
    return reply.headers["Location"].partition("?")[0]


def alert(reply: Reply) -> str:
    found = re.search(r'role="alert">([^<]+)<', reply.text)
    assert found, reply.text
    return found[1]


async def test_a_feed_is_proxied_run_and_compared(desk: Desk, operator: Visitor):
    shrill = "SHOCKING: You won't BELIEVE this"
    entries = [desk.entry(2), desk.entry(1, title=shrill)]
    url = desk.publisher.feed("/news.xml", entries=entries, title="The Daily")

    page = await added(operator, url, enabled="on", polling="on", minutes="30")
    before = await operator.get(page, headers=HTML)
    await desk.run()
    after = await operator.get(page, headers=HTML)

    assert "Nothing built yet" in before.text
    assert after.text.count('class="compared-side"') == 4
    assert "SHOCKING: You won&#39;t BELIEVE this" in after.text
    assert "clickbait" in after.text
    assert "/rss?url=" in after.text
    listed = await operator.get(PAGE, headers=HTML)
    assert "The Daily" in listed.text
    proxy = await desk.look(url)
    assert (proxy.enabled, proxy.polling, proxy.interval_s) == (True, True, 1800)


async def test_switches_and_settings_are_kept(desk: Desk, operator: Visitor):
    url = desk.feed()
    page = await added(operator, url)
    assert not (await desk.look(url)).enabled

    replies = [
        await operator.post(f"{page}/enabled", data={"enabled": "on"}, headers=HTML),
        await operator.post(
            f"{page}/polling",
            data={
                "polling": "on",
                "minutes": "15",
                "root_domain": "Portal.Example",
                "other_domains": "on",
            },
            headers=HTML,
        ),
    ]

    assert [reply.status for reply in replies] == [303, 303]
    proxy = await desk.look(url)
    assert (proxy.enabled, proxy.polling, proxy.interval_s) == (True, True, 900)
    assert (proxy.root_domain, proxy.enforce_feed_domain) == ("portal.example", False)
    await operator.post(f"{page}/polling", data={"root_domain": ""}, headers=HTML)
    await operator.post(f"{page}/enabled", data={"enabled": "off"}, headers=HTML)
    proxy = await desk.look(url)
    assert (proxy.enabled, proxy.polling, proxy.root_domain) == (False, False, None)
    assert proxy.enforce_feed_domain


async def test_a_prompt_of_its_own_is_chosen(serve, publisher, tmp_path):
    (tmp_path / "deframe.tabloid.en.txt").write_text("For tabloids. $mark")
    desk = Desk(serve(ai_type="mock", prompts_dir=str(tmp_path)), publisher)
    operator = await desk.server.register("ada@example.org")
    url = desk.feed()
    page = await added(operator, url)

    for chosen, kept in (("tabloid", "tabloid"), ("", None)):
        form = {"prompt": chosen}
        reply = await operator.post(f"{page}/polling", data=form, headers=HTML)

        assert reply.status == 303
        assert (await desk.look(url)).prompt_key == kept
    wrong = await operator.post(f"{page}/polling", data={"prompt": "x"}, headers=HTML)
    assert (wrong.status, "not found" in alert(wrong)) == (400, True)
    assert "<option>tabloid</option>" in wrong.text


async def test_a_dead_feed_tells_why_and_is_brought_back(desk: Desk, operator: Visitor):
    url = desk.feed()
    desk.publisher.script("/news.xml", Answer(500))
    page = await added(operator, url, enabled="on")
    await desk.run()

    dead = await operator.get(page, headers=HTML)
    desk.feed()
    reply = await operator.post(f"{page}/sync", headers=HTML)
    await desk.run()
    alive = await operator.get(page, headers=HTML)

    assert "The last run failed: " in dead.text
    assert "stays paused until you run it again" in dead.text
    assert reply.headers["Location"].endswith("?did=refreshing")
    assert "The last run failed" not in alive.text
    assert alive.text.count('class="compared-side"') == 6


async def test_a_disabled_feed_cannot_be_run(desk: Desk, operator: Visitor):
    page = await added(operator, desk.feed())

    shown = await operator.get(page, headers=HTML)
    reply = await operator.post(f"{page}/sync", headers=HTML)

    assert f"{page}/sync" not in shown.text
    assert reply.status == 409
    assert "disabled" in alert(reply)


@pytest.mark.parametrize(
    ("fields", "status", "words"),
    [
        ({"url": "nowhere"}, 400, "Must start with http"),
        ({"url": "https://a.example/f", "minutes": "soon"}, 400, "whole number"),
        ({"url": "https://a.example/f", "minutes": "0"}, 400, "one minute"),
        ({"url": "https://a.example/f", "root_domain": "a b"}, 400, "is not a domain"),
    ],
)
async def test_what_cannot_be_added_is_told_beside_the_form(
    operator: Visitor, fields, status, words
):
    reply = await operator.post(PAGE, data=fields, headers=HTML)

    assert reply.status == status
    assert words in alert(reply)
    assert fields["url"] in reply.text


async def test_a_feed_is_proxied_once(desk: Desk, operator: Visitor):
    url = desk.feed()
    await added(operator, url)

    reply = await operator.post(PAGE, data={"url": url}, headers=HTML)

    assert reply.status == 409
    assert "already" in alert(reply)


async def test_a_deleted_proxy_has_no_page(desk: Desk, operator: Visitor):
    page = await added(operator, desk.feed())

    reply = await operator.post(f"{page}/delete", headers=HTML)

    assert reply.headers["Location"] == f"{PAGE}?did=deleted"
    assert (await operator.get(page, headers=HTML)).status == 404


@pytest.mark.threat("A19")
async def test_readers_are_kept_out(desk: Desk, operator: Visitor):
    reader = await desk.server.register(f"{uuid.uuid4().hex}@example.org")

    for path in (PAGE, "/admin/spending"):
        assert (await reader.get(path, headers=HTML)).status == 403


@pytest.mark.threat("X9")
async def test_hostile_words_stay_words(desk: Desk, operator: Visitor):
    hostile = '<script>alert(1)</script>"><img src=x onerror=alert(2)>'
    entries = [desk.entry(1, title=hostile)]
    url = desk.publisher.feed("/news.xml", entries=entries, title=hostile)
    page = await added(operator, url, enabled="on")
    await desk.run()

    for path in (page, PAGE):
        text = (await operator.get(path, headers=HTML)).text
        assert "<script>alert" not in text
        assert "<img src=x" not in text


async def test_spending_is_told(desk: Desk, operator: Visitor):
    empty = await operator.get("/admin/spending", headers=HTML)
    planned = PlannedCall(ModelPurpose.DIGEST, None, "maker/model-7", 1_000, 20_000)

    async def spend(container):
        book = ledger(container.settings, container.work)
        for outcome in (CallOutcome.OK, CallOutcome.RATE_LIMITED):
            reservation = await book.reserve(planned)
            record = CallRecord(
                ModelPurpose.DIGEST, None, "maker/model-7", outcome, 800, 200, 12_300
            )
            await book.record(reservation, record)

    await desk.server.call(spend)
    page = await operator.get("/admin/spending", headers=HTML)

    assert "No calls today." in empty.text
    assert "0.0246 of 1.00 dollars, 2,000 tokens" in page.text
    assert "maker/model-7" in page.text
    assert "rate limited" in page.text
