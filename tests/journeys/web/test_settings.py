"""Settings: choices, folders, tags, OPML both ways, data export, filter rules."""

import json
from io import BytesIO
from xml.etree import ElementTree as ET

import pytest

from feedloom.app import Container
from feedloom.model.reader import Subscription
from feedloom.serve.pages.settings.folders import LISTED_FOLDERS
from tests.factories_feeds import entry
from tests.journeys.web.people import Page, Person, arrive
from tests.publisher import Publisher
from tests.serving import HTML, PASSWORD, Reply

CHOICES = {
    "width": "wide",
    "theme": "dark",
    "layout": "cards",
    "density": "compact",
    "font": "sans",
    "size": "large",
    "show": "all",
    "order": "oldest",
    "start": "unread",
    "pictures": "http",
}
RULE = {"field": "title", "pattern": "advert", "action": "hide", "name": "", "tag": ""}


async def upload(ada: Person, document: bytes, name: str = "feeds.opml") -> Reply:
    """Send a file as a browser does, in one multipart form."""
    parts = [
        _part('name="csrf_token"', ada.visitor.token.encode()),
        _part(f'name="file"; filename="{name}"', document),
        b"--edge--\r\n",
    ]
    headers = {**HTML, "Content-Type": "multipart/form-data; boundary=edge"}
    return await ada.visitor.post(
        "/settings/import", data=BytesIO(b"".join(parts)), headers=headers, csrf=False
    )


def _part(head: str, body: bytes) -> bytes:
    line = f"--edge\r\nContent-Disposition: form-data; {head}\r\n\r\n"
    return line.encode() + body + b"\r\n"


def opml(*outlines: str) -> bytes:
    return f'<opml version="2.0"><body>{"".join(outlines)}</body></opml>'.encode()


async def feeds_of(ada: Person) -> list[Subscription]:
    async def find(container: Container) -> list[Subscription]:
        found = await container.accounts.store.by_email(ada.email)
        assert found is not None
        return await container.services().subscriptions.subscriptions(found[0].id)

    return await ada.server.call(find)


# Appearance and reading.


async def test_choices_are_kept_and_shape_every_page(ada):
    reply = await ada.send("/settings", **CHOICES, mark_on_scroll="1")
    page = await ada.page("/settings?did=saved")

    assert (reply.status, reply.headers["Location"]) == (303, "/settings?did=saved")
    html = page.one("html").attributes
    assert (html["data-theme"], html["data-density"]) == ("dark", "compact")
    assert (html["data-font"], html["data-size"]) == ("sans", "large")
    chosen = {f.attributes["name"]: f.attributes["value"] for f in page.all("[checked]")}
    assert chosen == {**CHOICES, "mark_on_scroll": "1"}
    assert page.texts(".flash") == ["Saved."]
    assert page.one("body").attributes["data-keys"] == ""


async def test_the_start_page_follows_the_choice(ada):
    before = await ada.visitor.get("/", headers=HTML)
    await ada.send("/settings", **CHOICES)

    after = await ada.visitor.get("/", headers=HTML)

    assert (before.status, before.headers["Location"]) == (303, "/dashboard")
    assert after.headers["Location"] == "/read/unread"


async def test_the_theme_switch_keeps_the_rest(ada):
    await ada.send("/settings", **CHOICES)

    reply = await ada.visitor.post("/settings/theme", data={"theme": "light"})

    html = (await ada.page("/settings")).one("html").attributes
    assert reply.status == 204
    assert (html["data-theme"], html["data-density"]) == ("light", "compact")


async def test_a_choice_that_does_not_exist_is_refused(ada):
    reply = await ada.send("/settings", **{**CHOICES, "theme": "<script>"})
    theme = await ada.send("/settings/theme", theme="neon")

    assert [reply.status, theme.status] == [400, 400]
    assert "<script>" not in reply.text


# Folders and tags.


async def test_folders_are_made_renamed_moved_and_deleted(ada):
    await ada.send("/settings/folders", name="News")
    await ada.send("/settings/folders", name="Local")
    page = await ada.page("/settings/feeds")
    news, local = (_id(page, name) for name in ("News", "Local"))

    await ada.send(f"/settings/folders/{local}/move", parent_id=news)
    await ada.send(f"/settings/folders/{news}/rename", name="Papers")
    nested = (await ada.page("/settings/feeds")).texts(".folder-path")
    inside = await ada.send(f"/settings/folders/{news}/move", parent_id=local)
    await ada.send(f"/settings/folders/{news}/delete")

    assert nested == ["Papers", "Papers / Local"]
    assert inside.status == 400
    assert "A folder cannot be moved into itself" in inside.text
    assert (await ada.page("/settings/feeds")).texts(".folder-path") == []


def _id(page: Page, name: str) -> str:
    field = page.one(f'[aria-label="New name for {name}"]')
    action = field.parent.attributes["action"] if field.parent else ""
    return str(action).split("/")[3]


async def test_many_folders_are_moved_by_the_path_of_the_other(ada):
    for number in range(LISTED_FOLDERS + 1):
        await ada.send("/settings/folders", name=f"Folder {number:02}")
    page = await ada.page("/settings/feeds")
    id_ = _id(page, "Folder 07")

    await ada.send(f"/settings/folders/{id_}/move", parent_path="Folder 03")
    nested = (await ada.page("/settings/feeds")).texts(".folder-path")
    wrong = await ada.send(f"/settings/folders/{id_}/move", parent_path="Nowhere")
    await ada.send(f"/settings/folders/{id_}/move", parent_path="")
    back = (await ada.page("/settings/feeds")).texts(".folder-path")

    assert len(page.all("#folder-paths option")) == LISTED_FOLDERS + 1
    assert page.all("select[name=parent_id]") == []
    assert "Folder 03 / Folder 07" in nested
    assert (wrong.status, "Folder not found." in wrong.text) == (400, True)
    assert "Folder 07" in back


async def test_a_folders_name_is_needed_and_its_own(ada):
    await ada.send("/settings/folders", name="Same")

    twice = await ada.send("/settings/folders", name="Same")
    blank = await ada.send("/settings/folders", name="  ")

    assert (twice.status, blank.status) == (409, 400)
    assert "A folder with this name already exists" in twice.text
    assert "Folder name is required" in blank.text


async def test_another_persons_folder_is_not_found(ada):
    bob = await arrive(ada.server)
    await bob.send("/settings/folders", name="Bobs")
    id_ = _id(await bob.page("/settings/feeds"), "Bobs")

    replies = [
        await ada.send(f"/settings/folders/{id_}/rename", name="Mine"),
        await ada.send(f"/settings/folders/{id_}/move", parent_id=""),
        await ada.send(f"/settings/folders/{id_}/delete"),
    ]

    assert {reply.status for reply in replies} == {404}
    assert (await bob.page("/settings/feeds")).texts(".folder-path") == ["Bobs"]


async def test_tags_are_renamed_and_deleted(ada, publisher):
    await ada.subscribe(publisher.feed("/t.xml", host=ada.host))
    await ada.server.refresh_all()
    await ada.tell("/articles/tag", item="1", tag="old")

    await ada.send("/settings/tags/rename", tag="old", name="new")
    renamed = (await ada.page("/settings/feeds")).texts(".folder-path")
    await ada.send("/settings/tags/delete", tag="new")
    missing = await ada.send("/settings/tags/delete", tag="new")

    assert renamed == ["new"]
    assert (await ada.page("/settings/feeds")).texts(".folder-path") == []
    assert missing.status == 404


# OPML.


@pytest.mark.threat("O4", "O5")
async def test_an_import_runs_as_a_task_with_progress_and_a_report(ada, publisher):
    good = publisher.feed("/good.xml", host=ada.host)
    nameless = publisher.feed("/nameless.xml", title="Named later", host=ada.host)
    document = opml(
        f'<outline text="News"><outline text="Deep"><outline text="Good" xmlUrl="{good}"/>'
        "</outline></outline>",
        '<outline text="Bad" xmlUrl="javascript:alert(1)"/>',
        '<outline text="Secret" xmlUrl="http://user:hunter2@a.example/feed"/>',
        f'<outline text="Again" xmlUrl="{good}"/>',
        f'<outline text="{nameless}" xmlUrl="{nameless}"/>',
        '<outline text="Empty folder"/>',
    )

    reply = await upload(ada, document)
    path = reply.headers["Location"]
    waiting = Page((await ada.htmx("GET", path, target="div#import")).text)
    await ada.server.refresh_all(due_only=True)
    done = await ada.htmx("GET", path, target="div#import")

    assert reply.status == 303
    assert waiting.one("[hx-trigger='every 1s']")
    assert waiting.one("progress")
    page = Page(done.text)
    assert page.all("[hx-trigger]") == []
    assert done.headers["HX-Trigger"] == "refreshFeedList"
    assert page.texts("[role=status]") == [
        "Done. 2 feeds added, 1 already there, 2 could not be added."
    ]
    refused = page.texts("tbody td:first-child")
    assert [text[:3] for text in refused] == ["Bad", "Sec"]
    assert "hunter2" not in done.text
    await ada.server.refresh_all()
    feeds = {(feed.title, feed.url) for feed in await feeds_of(ada)}
    assert feeds == {("Good", good), ("Named later", nameless)}
    assert (await ada.page("/settings/feeds")).texts(".folder-path") == [
        "Empty folder",
        "News",
        "News / Deep",
    ]


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (b"", "Choose an OPML file to import."),
        (b"<html><body>no</body></html>", "This is not a list of feeds (OPML)."),
        (b"<opml><body></body></opml>", "This file has no feeds."),
        (b"\x00\x01\x02", None),
    ],
)
async def test_a_bad_file_is_refused_at_once(ada, document, message):
    reply = await upload(ada, document)

    assert reply.status == 400
    (said,) = Page(reply.text).texts(".error")
    assert message is None or said.startswith(message)
    assert (b"opml" in document or not document) or "OPML file exported" in said


@pytest.mark.threat("O1")
async def test_a_huge_file_is_refused_before_it_is_read(ada):
    reply = await upload(ada, b"x" * 10_200_000)

    assert reply.status == 413


async def test_another_persons_import_is_not_found(ada, publisher):
    bob = await arrive(ada.server)
    reply = await upload(bob, opml('<outline xmlUrl="http://a.example/feed"/>'))
    path = reply.headers["Location"]

    assert (await ada.visitor.get(path, headers=HTML)).status == 404
    assert (await bob.visitor.get(path, headers=HTML)).status == 200


@pytest.mark.threat("O7", "R10")
async def test_export_then_import_brings_the_same_list_to_another_account(ada, publisher):
    bob = await arrive(ada.server)
    names = ("Ünïcode & <tags>", "Plain", "日本語")
    rows = "".join(
        f'<outline text="{name.replace("&", "&amp;").replace("<", "&lt;")}"'
        f' xmlUrl="{publisher.feed(f"/{number}.xml", host=ada.host)}"/>'
        for number, name in enumerate(names)
    )
    await upload(ada, opml(f'<outline text="A"><outline text="B">{rows}</outline></outline>'))
    await ada.server.refresh_all(due_only=True)

    first = await ada.visitor.get("/settings/export.opml")
    await upload(bob, first.body)
    await ada.server.refresh_all(due_only=True)
    second = await bob.visitor.get("/settings/export.opml")

    assert first.headers["Content-Disposition"] == 'attachment; filename="feedloom.opml"'
    assert _outlines(first.body) == _outlines(second.body)
    assert sorted(title for title, _, _ in _outlines(first.body)) == sorted(names)


def _outlines(document: bytes) -> list[tuple[str, str, tuple[str, ...]]]:
    found: list[tuple[str, str, tuple[str, ...]]] = []

    def walk(element: ET.Element, path: tuple[str, ...]) -> None:
        for each in element.findall("outline"):
            title, url = each.attrib["text"], each.attrib.get("xmlUrl")
            if url:
                found.append((title, url, path))
            else:
                walk(each, (*path, title))

    body = ET.fromstring(document).find("body")
    assert body is not None
    walk(body, ())
    return sorted(found)


@pytest.mark.threat("O7")
async def test_passwords_in_addresses_are_exported_only_for_the_account_password(ada):
    await ada.send("/bookmarks", url="https://me:hush@pages.example/kept")
    plain = [
        (await ada.visitor.get(path)).text
        for path in ("/settings/export.json", "/bookmarks/export.html")
    ]

    form = {"form": "json", "password": "wrong password"}
    refused = await ada.visitor.post("/settings/export", data=form, headers=HTML)
    form["password"] = PASSWORD
    given = await ada.visitor.post("/settings/export", data=form, headers=HTML)

    assert [("hush" in text, "pages.example/kept" in text) for text in plain] == [
        (False, True),
        (False, True),
    ]
    assert (refused.status, "hush" in refused.text) == (400, False)
    assert (given.status, "hush" in given.text) == (200, True)


@pytest.mark.threat("O7", "R10")
async def test_everything_can_be_taken_away_without_secrets(ada, publisher):
    feed = await ada.subscribe(publisher.feed("/x.xml", host=ada.host), "Mine")
    await ada.server.refresh_all()
    await ada.send("/settings/folders", name="Evenings")
    folder = (await ada.page(f"/feeds/{feed.id}/edit")).one("[name=folder_id] option:last-child")
    changes = {"folder_id": str(folder.attributes["value"]), "read_after_days": "9"}
    await ada.send(f"/feeds/{feed.id}/edit", **changes)
    await ada.tell("/articles/mark", mark="starred", item="1")
    await ada.send("/settings/rules", **RULE)
    await ada.send("/bookmarks", url="https://pages.example/kept")

    reply = await ada.visitor.get("/settings/export.json")

    said = json.loads(reply.body)
    assert said["profile"]["email"] == ada.email
    (mine,) = said["subscriptions"]
    assert (mine["title"], mine["folder"], mine["read_after_days"]) == ("Mine", "Evenings", 9)
    assert [a["title"] for a in said["starred"]] == ["Entry 1"]
    assert [r["pattern"] for r in said["rules"]] == ["advert"]
    assert [b["url"] for b in said["bookmarks"]] == ["https://pages.example/kept"]
    assert "argon2" not in reply.text
    assert "csrf" not in reply.text


# Rules.


async def news(ada: Person, publisher: Publisher) -> int:
    """Subscribe to a feed with one advert in it, and fetch it."""
    articles = [
        entry(1, title="An honest headline"),
        entry(2, title="ADVERT: buy this"),
        entry(3, title="Nothing", content="<p>A hidden <b>adv</b>ert inside</p>"),
    ]
    url = publisher.feed("/n.xml", entries=articles, host=ada.host)
    feed = await ada.subscribe(url, "News")
    await ada.server.refresh_all()
    return feed.id


async def titles(ada: Person, path: str = "/read/all") -> list[str]:
    return (await ada.page(path)).texts(".row-title")


async def test_a_rule_applies_to_what_arrives(ada, publisher):
    await ada.send("/settings/rules", **RULE)

    await news(ada, publisher)

    assert await titles(ada) == ["Nothing", "An honest headline"]


@pytest.mark.parametrize(
    ("change", "path", "expected"),
    [
        ({"action": "read"}, "/read/unread", ["Nothing", "An honest headline"]),
        ({"action": "star"}, "/read/starred", ["ADVERT: buy this"]),
        ({"action": "tag", "tag": "ads"}, "/read/tag/ads?show=all", ["ADVERT: buy this"]),
        ({"field": "content", "action": "star"}, "/read/starred", ["Nothing"]),
        ({"field": "any", "action": "star"}, "/read/starred", ["Nothing", "ADVERT: buy this"]),
        (
            {"field": "author", "pattern": "author 1", "action": "star"},
            "/read/starred",
            ["An honest headline"],
        ),
        (
            {"field": "url", "pattern": r"entries/2$", "action": "star"},
            "/read/starred",
            ["ADVERT: buy this"],
        ),
    ],
)
async def test_rules_look_at_every_field_and_do_every_action(
    ada, publisher, change, path, expected
):
    await ada.send("/settings/rules", **{**RULE, **change})

    await news(ada, publisher)

    assert await titles(ada, path) == expected


async def test_a_rule_of_one_feed_leaves_the_others_alone(ada, publisher):
    feed_id = await news(ada, publisher)
    await ada.send("/settings/rules", **RULE, subscription_id=str(feed_id))
    other = publisher.feed(
        "/o.xml", entries=[entry(9, title="Advert elsewhere")], host=ada.host_of(9)
    )
    await ada.subscribe(other)
    publisher.bump("/n.xml", entry(8, title="New advert"), host=ada.host)
    await ada.server.refresh_all()

    found = await titles(ada)

    assert "Advert elsewhere" in found
    assert "New advert" not in found


async def test_a_rule_is_tried_without_changing_anything(ada, publisher):
    await news(ada, publisher)

    reply = await ada.htmx("POST", "/settings/rules/preview", data=RULE)

    page = Page(reply.text)
    assert page.texts("[role=status]") == [
        "1 article of the newest 3 would match. Nothing has been changed."
    ]
    assert page.texts("li a") == ["ADVERT: buy this"]
    assert len(await titles(ada)) == 3
    assert (await ada.page("/settings/rules")).all(".rule") == []


async def test_a_rule_is_applied_to_old_articles_when_asked(ada, publisher):
    await news(ada, publisher)
    await ada.send("/settings/rules", **RULE)
    before = await titles(ada)

    await ada.send("/settings/rules/apply")
    waiting = Page((await ada.htmx("GET", "/settings/rules/progress")).text)
    await ada.server.refresh_all(due_only=True)

    assert len(before) == 3
    assert waiting.one("[hx-trigger='every 1s']")
    assert await titles(ada) == ["Nothing", "An honest headline"]
    assert "3 articles checked, 1 matched" in (await ada.page("/settings/rules")).text


async def test_rules_are_edited_switched_off_and_deleted(ada, publisher):
    await ada.send("/settings/rules", **RULE)
    page = await ada.page("/settings/rules")
    path = str(page.one(".rule a").attributes["href"]).removesuffix("#rule")

    form = await ada.page(path)
    await ada.send(path, **{**RULE, "name": "No ads", "pattern": "advert|promo"})
    await ada.send(f"{path}/switch")
    off = await ada.page("/settings/rules")
    await news(ada, publisher)
    await ada.send(f"{path}/delete")

    assert form.value("#rule-pattern") == "advert"
    assert off.texts(".rule b") == ["No ads"]
    assert off.texts(".rule code") == ["advert|promo"]
    assert len(off.all(".rule.is-off")) == 1
    assert len(await titles(ada)) == 3
    assert (await ada.page("/settings/rules")).all(".rule") == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pattern": ""}, "A rule needs a pattern"),
        ({"pattern": "("}, "The pattern is not valid: missing )"),
        ({"pattern": "(?=look)"}, "The pattern is not valid"),
        ({"pattern": "x" * 501}, "The pattern must be at most 500 characters"),
        ({"pattern": "(a{1,1000}){1,1000}"}, "The pattern is not valid"),
        ({"field": "odd"}, "Choose what the rule checks"),
        ({"action": "odd"}, "Choose what the rule does"),
        ({"action": "tag"}, "Enter a tag"),
    ],
)
async def test_a_rule_that_cannot_be_is_refused_with_a_reason(ada, change, message):
    saved = await ada.send("/settings/rules", **{**RULE, **change})
    tried = await ada.htmx("POST", "/settings/rules/preview", data={**RULE, **change})

    assert [saved.status, tried.status] == [400, 400]
    for reply in (saved, tried):
        (said,) = Page(reply.text).texts("#rule .error, body > .error")
        assert said.startswith(message)
    assert (await ada.page("/settings/rules")).all(".rule") == []


async def test_another_persons_rule_is_not_found(ada):
    bob = await arrive(ada.server)
    await bob.send("/settings/rules", **RULE)
    link = (await bob.page("/settings/rules")).one(".rule a").attributes["href"]
    path = str(link).removesuffix("#rule")

    replies = [
        await ada.visitor.get(path, headers=HTML),
        await ada.send(path, **RULE),
        await ada.send(f"{path}/switch"),
        await ada.send(f"{path}/apply"),
        await ada.send(f"{path}/delete"),
    ]

    assert {reply.status for reply in replies} == {404}
    assert len((await bob.page("/settings/rules")).all(".rule")) == 1


@pytest.mark.threat("A8")
async def test_a_rule_for_another_persons_feed_is_refused(ada, publisher):
    bob = await arrive(ada.server)
    feed = await bob.subscribe(publisher.url("/b.xml", host=bob.host))

    reply = await ada.send("/settings/rules", **RULE, subscription_id=str(feed.id))

    assert reply.status == 404


# Files for browsers.


@pytest.mark.parametrize("encoding", ["br", "gzip"])
async def test_pages_are_compressed_for_our_own_pages(ada, encoding):
    headers = {**HTML, "Accept-Encoding": encoding}
    own = await ada.visitor.get("/settings", headers={**headers, "Sec-Fetch-Site": "same-origin"})
    foreign = await ada.visitor.get(
        "/settings", headers={**headers, "Sec-Fetch-Site": "cross-site"}
    )

    assert own.headers["Content-Encoding"] == encoding
    assert "Content-Encoding" not in foreign.headers
    assert "Accept-Encoding, Sec-Fetch-Site" in own.headers["Vary"]
    assert int(own.headers["Content-Length"]) * 3 < len(foreign.body)


async def test_files_are_served_compressed_and_kept_for_ever(shared_server):
    visitor = shared_server.visitor()
    page = Page((await visitor.get("/", headers=HTML)).text)
    style = str(page.one("link[rel=stylesheet]").attributes["href"])

    reply = await visitor.get(style, headers={"Accept-Encoding": "gzip"})
    old = await visitor.get(style.replace(style.split("/")[2], "000000000000"))
    missing = await visitor.get("/static/x/nothing.css")

    assert reply.status == 200
    assert reply.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert reply.headers["Content-Type"] == "text/css; charset=utf-8"
    assert old.headers["Cache-Control"] == "public, max-age=3600"
    assert missing.status == 404


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/service-worker.js", "text/javascript; charset=utf-8"),
        ("/manifest.webmanifest", "application/manifest+json"),
        ("/favicon.ico", "image/x-icon"),
        ("/apple-touch-icon.png", "image/png"),
        ("/robots.txt", "text/plain; charset=utf-8"),
        ("/offline", "text/html; charset=utf-8"),
    ],
)
async def test_what_browsers_look_for_is_there(shared_server, path, kind):
    reply = await shared_server.visitor().get(path)

    assert (reply.status, reply.headers["Content-Type"]) == (200, kind)


async def test_every_address_in_the_manifest_and_the_shell_answers(shared_server):
    visitor = shared_server.visitor()
    manifest = (await visitor.get("/manifest.webmanifest")).json()
    worker = (await visitor.get("/service-worker.js")).text
    shell = json.loads(worker.partition("= ")[2].partition(";\n")[0])

    paths = [icon["src"] for icon in manifest["icons"]] + shell["kept"]
    assert len(paths) >= 8
    assert [p for p in paths if (await visitor.get(p)).status != 200] == []


async def test_the_front_page_invites_and_leads_in(shared_server):
    page = Page((await shared_server.visitor().get("/", headers=HTML)).text)

    links = {a.attributes["href"] for a in page.all(".hero a")}
    assert links == {"/auth/register", "/auth/login", "/docs/"}


# Views as feeds.


async def test_a_view_is_shared_at_a_secret_address_until_it_is_revoked(ada, publisher):
    await ada.subscribe(publisher.feed("/v.xml", host=ada.host), "Mine")
    await ada.server.refresh_all()

    made = Page((await ada.send("/settings/sharing", view="unread", label="Bob")).text)
    address = str(made.value("#made-rss")).removeprefix(ada.server.url)
    before = await ada.server.visitor().get(address)
    page = await ada.page("/settings/sharing")
    path = str(page.one(".folder-list form").attributes["action"])
    await ada.send(path)
    after = await ada.server.visitor().get(address)

    assert before.status == 200
    assert before.text.count("<item>") == 3
    assert page.texts(".folder-list b") == ["Bob"]
    assert page.all("#made-rss") == []
    assert after.status == 404
    assert (await ada.page("/settings/sharing")).all(".folder-list") == []


async def test_feeds_folders_and_tags_can_be_shared(ada, publisher):
    feed = await ada.subscribe(publisher.feed("/v.xml", host=ada.host), "Mine")
    await ada.server.refresh_all()
    await ada.tell("/articles/tag", item="1", tag="a:b")
    await ada.send("/settings/folders", name="Box")
    folder = _id(await ada.page("/settings/feeds"), "Box")

    for view in (f"feed:{feed.id}", "tag:a:b", f"folder:{folder}"):
        assert (await ada.send("/settings/sharing", view=view)).status == 200

    page = await ada.page("/settings/sharing")
    assert sorted(page.texts(".folder-list b")) == ["Box", "Mine", "tag “a:b”"]


@pytest.mark.parametrize(
    ("view", "status"),
    [
        ("", 400),
        ("odd", 400),
        ("tag:", 400),
        ("feed:x", 404),
        ("feed:2000000000", 404),
        ("unread:1", 400),
    ],
)
async def test_what_cannot_be_shared_is_refused(ada, view, status):
    reply = await ada.send("/settings/sharing", view=view)

    assert reply.status == status
    assert (await ada.page("/settings/sharing")).all(".folder-list") == []


async def test_a_folder_and_a_feed_say_when_unread_articles_count_as_read(ada, publisher):
    feed = await ada.subscribe(publisher.feed("/expiring.xml", host=ada.host))
    await ada.send("/settings/folders", name="News")
    (path,) = [
        form.attributes["action"]
        for form in (await ada.page("/settings/feeds")).all("form[action$=expiry]")
    ]

    await ada.send(path, read_after_days="7")
    await ada.send(f"/feeds/{feed.id}/edit", read_after_days="3")
    wrong = await ada.send(path, read_after_days="4000")

    assert (await ada.page("/settings/feeds")).value("[name=read_after_days]") == "7"
    assert (await ada.page(f"/feeds/{feed.id}/edit")).value("[name=read_after_days]") == "3"
    assert wrong.status == 400
    await ada.send(f"/feeds/{feed.id}/edit", read_after_days="")
    assert (await ada.look(feed.id)).read_after_days is None


async def test_the_api_says_when_unread_articles_count_as_read(ada, publisher):
    feed = await ada.subscribe(publisher.feed("/expiring.xml", host=ada.host))
    folder = (await ada.visitor.post("/api/folders", json={"name": "News"})).json()

    changed = await ada.visitor.ask(
        "PATCH", f"/api/folders/{folder['id']}", json={"read_after_days": 7}
    )
    mine = await ada.visitor.ask("PATCH", f"/feeds/{feed.id}", json={"read_after_days": 3})
    wrong = await ada.visitor.ask("PATCH", f"/feeds/{feed.id}", json={"read_after_days": 0})

    assert changed.json()["read_after_days"] == 7
    assert mine.json()["read_after_days"] == 3
    assert wrong.status == 422
