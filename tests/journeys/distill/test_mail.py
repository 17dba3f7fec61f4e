"""Daily digests by mail, with a real mail server: confirmed, sent once, stopped."""

import asyncio
import json
import random
import re
import ssl
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import asdict, replace
from datetime import timedelta
from pathlib import Path

import feedparser
import pytest
import trustme
from playwright.async_api import Browser, expect

from feedloom.app import Container, open_container
from feedloom.config import Settings
from feedloom.model.distilled.digests import CitedArticle, DigestMail, NewSummary
from feedloom.model.distilled.requests import Claim, DigestParagraph
from feedloom.model.errors import InvalidInput, MailError, NotFound
from feedloom.model.reader import User
from feedloom.store.engine.scripts import WORKER, Row, Script, sql
from tests.browser import Axe
from tests.containers import Home, open_home, settings_for
from tests.databases import Databases
from tests.factories_feeds import FIRST_ENTRY_AT, entry
from tests.mail_server import MailServer
from tests.publisher import PublisherThread
from tests.serving import Server

ROOT = Path(__file__).parents[3]
LEASE_S = 1.0
DRAIN = """
import asyncio, json, sys
from feedloom.app import open_container
from feedloom.config import Settings

async def main():
    async with open_container(Settings(**json.loads(sys.argv[1])), migrate=False) as container:
        await container.worker().task_loop().drain()

asyncio.run(main())
"""


@pytest.fixture
def mail() -> Iterator[MailServer]:
    with MailServer() as server:
        yield server


@pytest.fixture
async def home(engine_url: Databases, tmp_path: Path, mail: MailServer) -> AsyncIterator[Home]:
    settings = settings_for(engine_url, tmp_path, lease_seconds=LEASE_S, **mail.settings)
    with PublisherThread() as publisher:
        async with open_home(settings) as home:
            now = home.container.clock.now()
            told = [
                entry(
                    number,
                    title=f"Storm <b>{number}</b> & tide at harbour number {number}",
                    content=f"<p>The storm number {number} closed the harbour for hours. "
                    f"Boats of house {number} stayed in port until the evening.</p>",
                    published_at=now - timedelta(minutes=number),
                )
                for number in range(1, 4)
            ]
            await home.subscribe(publisher.feed("/news.xml", entries=told, title="City & port"))
            await home.refresh()
            await drain(home)
            yield home


async def drain(home: Home) -> None:
    await home.container.worker().task_loop().drain()


async def settle(home: Home, **settings: object) -> None:
    """Change the person's settings."""
    await home.container.accounts.store.save_settings(home.person.id, settings)


async def confirmed(home: Home) -> None:
    await settle(home, digest_mail=True, mail_confirmed=home.person.email)


async def write(home: Home) -> int:
    """Write a scheduled digest, from the same articles each time."""
    await execute(home, "UPDATE users SET digest_until = NULL")
    await execute(home, "DELETE FROM throttle")
    made = await home.container.digests(home.container.work).generate(
        home.person.id, scheduled=True
    )
    return made.id


async def execute(home: Home, text: str) -> list[Row]:
    def run() -> Script[list[Row]]:
        return list((yield sql(text)))

    return await home.container.work.write(WORKER, run)


async def state(home: Home, summary_id: int) -> DigestMail:
    mails = home.container.digest_mails(home.container.web)
    assert mails is not None
    found = await mails.store.mail(home.person.id, summary_id)
    assert found is not None
    return found


async def worker(settings: Settings) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, "-c", DRAIN, json.dumps(asdict(settings)), cwd=ROOT
    )


async def test_a_daily_digest_is_mailed_as_text_and_as_html(home: Home, mail: MailServer):
    await confirmed(home)
    summary_id = await write(home)
    await drain(home)

    [sent] = mail.mails
    plain = sent.get_body(("plain",)).get_content()  # type: ignore[union-attr]
    html = sent.get_body(("html",)).get_content()  # type: ignore[union-attr]
    assert (sent["To"], sent["From"]) == (home.person.email, "feedloom@feeds.example")
    assert sent["Subject"].startswith("Your digest: Storm")
    assert sent["Message-ID"] == (await state(home, summary_id)).message_id
    assert sent["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert sent["Auto-Submitted"] == "auto-generated"
    assert "closed the harbour for hours." in plain
    assert f"http://feeds.example/digest/{summary_id}" in plain
    assert "&amp; tide" in html
    assert "<b>" not in html
    assert "City &amp; port</a>" in html
    assert (await state(home, summary_id)).handed_at is not None


@pytest.mark.threat("A27")
async def test_nobody_gets_mail_who_did_not_confirm_or_generated_it_by_hand(
    home: Home, mail: MailServer
):
    await settle(home, digest_mail=True)
    await write(home)
    await settle(home, digest_mail=True, mail_confirmed="other@example.org")
    await write(home)
    await confirmed(home)
    await execute(home, "DELETE FROM throttle")
    await home.container.digests(home.container.work).generate(home.person.id)
    await drain(home)

    assert mail.mails == []


@pytest.mark.threat("A27")
async def test_an_address_is_confirmed_with_a_link_that_is_mailed_to_it(
    home: Home, mail: MailServer
):
    mails = home.container.digest_mails(home.container.web)
    assert mails is not None
    await mails.switch(home.person, on=True)
    asked = await home.container.accounts.store.by_id(home.person.id)
    assert asked is not None
    await mails.switch(asked, on=True)
    await drain(home)
    [question] = mail.mails
    link = re.search(r"/digest/mail\?confirm=(\w+)", question.get_content())
    assert link is not None

    with pytest.raises(InvalidInput):
        await mails.confirm(replace(asked, email="else@example.org"), link[1])
    await mails.confirm(asked, link[1])
    await write(home)
    await drain(home)

    assert len(mail.mails) == 2


@pytest.mark.both_engines
@pytest.mark.sampled(2)
@pytest.mark.threat("Q1", "Q19")
@pytest.mark.parametrize("step", ["EHLO", "MAIL", "RCPT", "DATA"])
async def test_a_digest_arrives_once_when_the_worker_is_killed(home: Home, mail: MailServer, step):
    await confirmed(home)
    await write(home)
    killed = await worker(home.container.settings)
    mail.kill = (step, killed.pid)
    assert await killed.wait() == -9
    await asyncio.sleep(LEASE_S)
    for _ in range(2):
        again = await worker(home.container.settings)
        assert await again.wait() == 0

    assert len(mail.mails) == 1


@pytest.mark.threat("Q1", "Q19")
async def test_no_digest_arrives_twice_whenever_workers_are_killed(
    home: Home, mail: MailServer, scaled
):
    chance = random.Random(7)
    await confirmed(home)
    ids = []
    for _ in range(scaled(3, 40)):
        ids.append(await write(home))
        killed = await worker(home.container.settings)
        await asyncio.sleep(chance.uniform(0.5, 1.5))
        if killed.returncode is None:
            killed.kill()
        await killed.wait()
    await asyncio.sleep(LEASE_S)
    assert await (await worker(home.container.settings)).wait() == 0

    times = Counter(sent["Message-ID"] for sent in mail.mails)
    for summary_id in ids:
        found = await state(home, summary_id)
        assert times[found.message_id] <= 1
        assert found.begun_at is not None
        # What is not known to have been taken says so.
        assert (times[found.message_id] == 1 and found.handed_at is not None) or found.error


@pytest.mark.both_engines
async def test_two_workers_send_one_mail(home: Home, mail: MailServer):
    await confirmed(home)
    summary_id = await write(home)
    mails = home.container.digest_mails(home.container.work)
    assert mails is not None
    user = await home.container.accounts.store.by_id(home.person.id)
    assert user is not None

    sent = await asyncio.gather(*(mails._send(user, summary_id) for _ in range(4)))

    assert sum(sent) == 1
    assert len(mail.mails) == 1


async def test_a_server_that_is_busy_is_asked_again_later(home: Home, mail: MailServer):
    await confirmed(home)
    mail.answers = {"DATA": "451 later"}
    summary_id = await write(home)
    await drain(home)
    assert "451 later" in ((await state(home, summary_id)).error or "")
    later = "SELECT run_at - created_at AS wait FROM tasks WHERE kind = 'mail' AND done_at IS NULL"
    [row] = await execute(home, later)
    assert 50_000_000 < row["wait"] < 70_000_000

    mail.answers = {}
    await execute(home, "UPDATE tasks SET run_at = 0 WHERE kind = 'mail' AND done_at IS NULL")
    await drain(home)

    assert len(mail.mails) == 1
    assert (await state(home, summary_id)).error is None


async def test_an_address_that_is_refused_is_not_tried_again(home: Home, mail: MailServer):
    await confirmed(home)
    mail.answers = {"RCPT": "550 no such person"}
    summary_id = await write(home)
    await drain(home)

    assert "550 no such person" in ((await state(home, summary_id)).error or "")
    open_tasks = "SELECT id FROM tasks WHERE kind = 'mail' AND done_at IS NULL"
    assert await execute(home, open_tasks) == []
    assert mail.mails == []


@pytest.mark.threat("A27")
async def test_one_click_stops_the_mails(home: Home, mail: MailServer):
    await confirmed(home)
    await write(home)
    await drain(home)
    mails = home.container.digest_mails(home.container.web)
    assert mails is not None
    path = mail.mails[0]["List-Unsubscribe"].strip("<>").rpartition("/mail/stop/")[2]
    user_id, token = path.split("/")

    with pytest.raises(NotFound):
        await mails.stop(int(user_id) + 1, token)
    with pytest.raises(NotFound):
        await mails.stop(int(user_id), token[:-1])
    await mails.stop(int(user_id), token)
    await write(home)
    await drain(home)

    assert len(mail.mails) == 1


@pytest.mark.threat("S20")
async def test_mail_goes_out_encrypted_or_not_at_all(
    engine_url: Databases, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    trusted = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(str(trusted))
    sent: list[object] = []
    for server, is_trusted in (
        (MailServer(context), True),
        (MailServer(context), False),
        (MailServer(), True),
    ):
        monkeypatch.setenv("SSL_CERT_FILE", str(trusted) if is_trusted else "/dev/null")
        with server:
            settings = settings_for(
                engine_url, tmp_path, **server.settings | {"smtp_tls": "starttls"}
            )
            async with open_container(settings) as container:
                mails = container.digest_mails(container.work)
                assert mails is not None
                try:
                    await mails.mailer.send("ada@example.org", b"Subject: x\r\n\r\nhi\r\n", _yes)
                except MailError as error:
                    sent.append(type(error))
            sent.append(len(server.mails))

    assert sent == [1, MailError, 0, MailError, 0]


async def _yes() -> bool:
    return True


async def _stop_link(container: Container, user: User) -> str:
    mails = container.digest_mails(container.web)
    assert mails is not None
    return f"/mail/stop/{user.id}/{mails._token('stop', user)}"


async def test_mail_is_switched_on_confirmed_and_stopped_in_the_browser(
    serve: Callable[..., Server], mail: MailServer
):
    server = serve(**mail.settings)
    ada = await server.register("ada@example.org")
    form = {"daily": "1", "hour": "7", "timezone": "UTC", "mail": "1"}
    await ada.post("/digest/schedule", data={**form, "csrf_token": ada.token})
    waiting = await ada.get("/digest")
    await server.call(lambda c: c.worker().task_loop().drain())
    [question] = mail.mails
    link = re.search(r"/digest/mail\?confirm=\w+", question.get_content())
    assert link is not None
    bob = await server.register("bob@example.org")

    stranger = await bob.get(link[0])
    done = await ada.get(link[0])
    page = await ada.get("/digest?did=mail")

    assert "Open the link in the mail" in waiting.text
    assert stranger.status == 400
    assert (done.status, done.headers["Location"]) == (303, "/digest?did=mail")
    assert "Address confirmed" in page.text
    assert "Open the link in the mail" not in page.text
    user = await server.call(lambda c: c.accounts.store.by_email("ada@example.org"))
    assert user is not None
    stop = await server.call(lambda c: _stop_link(c, user[0]))
    asked = await server.visitor().get(stop)
    still = await server.call(lambda c: c.accounts.store.by_id(user[0].id))
    stopped = await server.visitor().post(stop, data={"List-Unsubscribe": "One-Click"})
    after = await server.call(lambda c: c.accounts.store.by_id(user[0].id))
    assert (asked.status, stopped.status) == (200, 200)
    assert still is not None
    assert after is not None
    assert (still.settings["digest_mail"], after.settings["digest_mail"]) == (True, False)
    assert (await server.visitor().post(stop[:-3] + "000")).status == 404


async def test_digests_are_a_feed(serve: Callable[..., Server]):
    server = serve()
    ada = await server.register("ada@example.org")
    me = (await ada.get("/api/me")).json()["id"]
    claim = Claim("It rained <all> day.", (1,))
    headline = Claim("Rain in April", (1,))
    cited = CitedArticle(1, "Rain", "Weather & co", "https://w.example/1", FIRST_ENTRY_AT)
    told = NewSummary((DigestParagraph((claim,), "News", headline, (1,)),), (cited,), (1,), "x")
    await server.call(lambda c: c.services().digests.store.save(me, told))
    token = (await ada.post("/api/view-tokens", json={"view": "digests"})).json()
    feed = await server.visitor().get("/view/" + token["rss_url"].rpartition("/view/")[2])

    [item] = feedparser.parse(feed.body).entries
    assert item.title == "Your digest: Rain in April"
    assert "It rained &lt;all&gt; day." in item.summary
    assert 'href="https://w.example/1"' in item.summary


@pytest.mark.parametrize("width", [360, 1280])
async def test_pages_about_mail_are_accessible(
    serve: Callable[..., Server], mail: MailServer, browser: Browser, axe: Axe, width: int
):
    server = serve(**mail.settings)
    ada = await server.register("ada@example.org")
    form = {"daily": "1", "hour": "7", "timezone": "UTC", "mail": "1"}
    await ada.post("/digest/schedule", data=form)
    user = await server.call(lambda c: c.accounts.store.by_email("ada@example.org"))
    assert user is not None
    stop = await server.call(lambda c: _stop_link(c, user[0]))
    page = await browser.new_page(viewport={"width": width, "height": 900})
    stranger = await browser.new_page(viewport={"width": width, "height": 900})
    token = ada.cookies["feedloom_session"]
    await page.context.add_cookies(
        [{"name": "feedloom_session", "value": token, "url": server.url}]
    )

    for shown, path in ((page, "/digest"), (stranger, stop)):
        await shown.goto(server.url + path)
        assert await axe(shown) == [], path
    await stranger.get_by_role("button", name="Stop these mails").click()
    await expect(stranger.get_by_role("heading", name="Mails stopped")).to_be_visible()
    assert await axe(stranger) == []
