"""The authorization matrix: which routes there are, who they say may use them, and how a
row of ``access.txt`` becomes a request about somebody's things.

A route without a line in ``access.txt`` fails, and so does a line without a route: whoever
adds an address writes down here who may use it.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

from feedloom.app import Container
from feedloom.model.distilled.digests import NewSummary
from feedloom.model.distilled.proxies import NewProxy
from feedloom.model.distilled.requests import Claim, DigestParagraph
from feedloom.model.errors import Conflict
from feedloom.model.work import NewTask, TaskKind
from feedloom.serve.application import all_routes
from feedloom.serve.routes import Route
from feedloom.store.engine.scripts import WORKER, Script, sql
from tests.serving import HTMX, Server, Visitor

OPML = (
    b'<opml version="2.0"><body><outline type="rss" text="x"'
    b' xmlUrl="https://x.example/feed"/></body></opml>'
)
TABLE = Path(__file__).parent / "access.txt"
UNSAFE = {"POST", "PUT", "PATCH", "DELETE"}
_VARIABLE = re.compile(r"\{(\w+)(?::\w+)?\}")


@dataclass(frozen=True, slots=True)
class Row:
    """One route and method, and who may use it."""

    access: str
    method: str
    path: str
    route: Route = field(compare=False)

    @property
    def names(self) -> list[str]:
        """The variables of the path."""
        return _VARIABLE.findall(self.path)

    def __str__(self) -> str:
        return f"{self.access} {self.method} {self.path}"


def canonical(path: str) -> str:
    """Return the one spelling of an address that protocols offer under several."""
    path = re.sub(r"^/index\.php/", "/", path)
    if re.search(r"/(reader/(?:api|atom)|accounts|check)/", path):
        path = re.sub(r"^(/api/greader\.php)+", "", path)
    path = re.sub(r"^(/api/greader\.php)+(/?)$", r"\1\2", path)
    path = path.replace("/api/v1-2/", "/api/v1-3/")
    path = re.sub(r"^(/wallabag/.+)\.json$", r"\1", path)
    path = path.removeprefix("/feedbin")
    return re.sub(r"^/ocs/v1", "/ocs/v2", path)


def rows() -> list[Row]:
    """List every route and method once, whatever prefixes it has."""
    found: dict[tuple[str, str], Row] = {}
    for route in all_routes():
        for method in route.methods:
            if method == "OPTIONS":
                continue
            path = canonical(route.path)
            row = Row(route.access.value, method, path, route)
            found.setdefault((method, path), row)
    return sorted(found.values(), key=lambda row: (row.path, row.method))


def written() -> list[str]:
    """Read the lines of the table."""
    lines = TABLE.read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


@dataclass(slots=True)
class Belongings:
    """What one person has, by what it is called in paths."""

    email: str
    ids: dict[str, str] = field(default_factory=dict)
    hashes: dict[str, str] = field(default_factory=dict)


_MEANINGS = (
    (r"/news/api/v1-3/items/\{id\}/\{rest", "id", "feed"),
    (r"/news/api/v1-3/items/\{id\}/\{rest", "rest", "hash_star"),
    (r"^/(feeds|v1/feeds)/|/news/api/v1-3/feeds/", "id", "feed"),
    (r"^/ui/sources/", "id", "feed"),
    (r"^/feeds/\{feed_id\}", "feed_id", "feed"),
    (r"^/v2/imports/", "id", "import"),
    (r"^/(v2/saved_)?searches/", "id", "saved_search"),
    (r"^/v2/", "id", "feed"),
    (r"^/(api/)?stories/", "id", "story"),
    (r"", "item_id", "item"),
    (r"", "item", "item"),
    (r"", "entry", "item"),
    (r"^/(api/folders|settings/folders|v1/categories)/", "id", "folder"),
    (r"/news/api/v1-3/folders/", "id", "folder"),
    (r"/news/api/v1-3/items/\{id\}", "id", "item"),
    (r"/news/api/v1-3/favicon/", "hash", "signature"),
    (r"^/(api/)?bookmarks/", "id", "bookmark"),
    (r"^/wallabag/api/entries/", "id", "bookmark"),
    (r"^/wallabag/api/entries/", "tag", "user"),
    (r"^/api/articles/", "id", "item"),
    (r"^/(api|settings)/rules/", "id", "rule"),
    (r"^/api/interests/", "id", "interest"),
    (r"^/api/tasks/", "id", "task"),
    (r"^/settings/import/", "id", "import"),
    (r"^/ui/add/", "task", "search"),
    (r"^/api/discover/", "task_id", "search"),
    (r"^/(api/summaries|digest)/", "id", "summary"),
    (r"^/(api/view-tokens|settings/sharing)/", "id", "view_token"),
    (r"^/settings/security/app-passwords/", "id", "app_password"),
    (r"^/admin/people/", "id", "person"),
    (r"^/admin/registration/", "id", "invitation"),
    (r"^/admin/(feeds|topics|proxies)/", "id", "global_feed"),
    (r"^/api/tags/", "name", "tag"),
    (r"^/read/", "kind", "place"),
    (r"^/read/", "key", "feed"),
    (r"^/v1/users/", "id", "user"),
    (r"^/v1/icons/", "id", "icon"),
    (r"^/v1/\{rest", "rest", "place"),
    (r"^/v1/enclosures/", "id", "item"),
    (r"^/ocs/", "login", "user"),
    (r"^/reader/api/0/stream/contents/", "stream", "stream"),
    (r"^/reader/atom/", "stream", "stream"),
    (r"^/reader/api/0/\{rest", "rest", "place"),
    (r"^/docs/", "name", "place"),
    (r"^/static/", "version", "version"),
    (r"^/static/", "name", "file"),
    (r"^/icons/", "id", "icon"),
    (r"^/icons/", "signature", "signature"),
    (r"^/images/", "width", "version"),
    (r"^/images/", "until", "version"),
    (r"^/images/", "signature", "signature"),
    (r"^/images/", "address", "file"),
    (r"^/videos/", "signature", "signature"),
    (r"^/videos/", "address", "file"),
    (r"^/api/directory/packs/", "key", "pack"),
    (r"^/welcome/packs/", "key", "pack"),
    (r"^/view/", "token", "token"),
    (r"^/mail/stop/", "id", "version"),
    (r"^/mail/stop/", "token", "token"),
    (r"^/websub/", "token", "token"),
)
"""Path, variable, and what of a person's it names; the first that fits counts."""

SHARED = {"place", "version", "file", "icon", "signature", "token", "stream", "invitation", "pack"}
"""Variables that name nothing of one person alone."""


def meaning(row: Row, name: str) -> str:
    """Tell what a variable names; fail when nobody wrote it down."""
    for pattern, variable, kind in _MEANINGS:
        if variable == name and re.search(pattern, row.path):
            return kind
    msg = f"{row}: say in matrix.py what {{{name}}} is"
    raise AssertionError(msg)


def address(row: Row, ids: Mapping[str, str]) -> str:
    """Fill a path with somebody's ids."""
    return _VARIABLE.sub(lambda found: ids[meaning(row, found[1])], row.path)


def is_personal(row: Row) -> bool:
    """Tell whether the path names something that belongs to one person."""
    return any(meaning(row, name) not in SHARED for name in row.names)


BODIES: dict[str, dict[str, Any]] = {
    "POST /api/articles/mark": {"json": {"ids": [1], "mark": "read"}},
    "POST /api/articles/mark-all": {"json": {}},
    "PATCH /api/articles/{id}": {"json": {"starred": True}},
    "PATCH /api/bookmarks/{id}": {"json": {"title": "theirs"}},
    "PATCH /api/folders/{id}": {"json": {"name": "theirs"}},
    "PATCH /api/rules/{id}": {"json": {"name": "theirs"}},
    "PATCH /api/tags/{name:path}": {"json": {"name": "theirs"}},
    "PATCH /api/stories/{id}": {"json": {"followed": True}},
    "POST /stories/{id}/mark": {"data": {"do": "followed"}},
    "PATCH /feeds/{id}": {"json": {"title": "theirs"}},
    "POST /api/articles/{id}/like": {"json": {"like": "more"}},
    "POST /articles/like": {"data": {"like": "more.1"}},
    "PUT /api/interests": {"json": {"enabled": True}},
    "POST /settings/interests": {"data": {"enabled": "1"}},
    "POST /settings/rules/{id}": {"data": {"field": "title", "pattern": "x", "action": "star"}},
    "POST /admin/topics/{id}": {"data": {"do": "reject", "topic": "news"}},
    "GET /ui/items/{item}": {"headers": HTMX},
    "GET /ui/sources/{id}": {"headers": HTMX},
}


def body(row: Row) -> dict[str, Any]:
    """Return a body that the route understands, as far as that matters."""
    known = BODIES.get(f"{row.method} {row.path}")
    if known is not None:
        return known
    if row.method not in UNSAFE or row.method == "DELETE":
        return {}
    if row.route.about is not None or re.search("/api/v1-3/|^/v[12]/", row.path):
        return {"json": {}}
    return {"data": {"name": "x", "url": "https://x.example/", "title": "x"}}


async def ask(visitor: Visitor, row: Row, ids: Mapping[str, str], **more: Any) -> Any:
    """Send a row's request about somebody's things."""
    given = {**body(row), **more}
    headers = {} if row.route.about is not None else {"Accept": "text/html"}
    headers |= body(row).get("headers", {}) | more.get("headers", {})
    return await visitor.ask(row.method, address(row, ids), **{**given, "headers": headers})


def selected(*accesses: str) -> Iterator[Row]:
    """List the rows with these kinds of access."""
    return (row for row in rows() if row.access in accesses)


async def furnish(server: Server, visitor: Visitor, email: str, url: str) -> Belongings:
    """Give somebody one of everything."""
    owned = Belongings(email)
    feed = (await visitor.post("/feeds", json={"url": url})).json()
    await server.refresh_all()
    feed = (await visitor.get(f"/feeds/{feed['id']}")).json()
    item = feed["items"][0]["id"]
    await visitor.patch(f"/api/articles/{item}", json={"tags": [f"tag-of-{email}"]})
    saved = await visitor.post(f"/feeds/{feed['id']}/items/{item}/save")
    folder = await visitor.post("/api/folders", json={"name": "Folder"})
    rule = await visitor.post(
        "/api/rules", json={"field": "title", "pattern": "zebra", "action": "star"}
    )
    applied = await visitor.post(f"/api/rules/{rule.json()['id']}/apply")
    file = aiohttp.FormData()
    file.add_field("file", OPML, filename="feeds.opml", content_type="text/x-opml")
    imported = await visitor.post("/settings/import", data=file)
    view = await visitor.post("/api/view-tokens", json={"view": "all", "label": "view"})
    me = (await visitor.get("/api/me")).json()
    looking = NewTask(TaskKind.DISCOVER, {"text": url}, user_id=me["id"])
    search = await server.call(lambda container: container.services().tasks.add(looking))
    digest = NewSummary((DigestParagraph((Claim("Told.", (item,)),)),), (), (), "offline-1")
    summary = await server.call(
        lambda container: container.services().digests.store.save(me["id"], digest)
    )
    saved_search = await server.call(
        lambda container: container.services().saved_searches.save(me["id"], "Mine", "zebra")
    )
    await visitor.put("/api/interests", json={"enabled": True})
    await visitor.post(f"/api/articles/{item}/like", json={"like": "more"})
    [interest, *_] = (await visitor.get("/api/interests")).json()["interests"]
    await server.app_password(email, "kept")
    passwords = await server.call(
        lambda container: container.accounts.store.app_passwords(me["id"])
    )
    article = await server.call(
        lambda container: container.services().reading.article(me["id"], item)
    )
    await server.call(lambda container: container.work.write(WORKER, _tell, article.article_id))
    await server.call(lambda container: proxied(container, url))
    owned.ids = {
        "feed": str(feed["id"]),
        "item": str(item),
        "hash": article.guid_hash,
        "hash_star": f"{article.guid_hash}/star",
        "folder": str(folder.json()["id"]),
        "bookmark": str(saved.json()["id"]),
        "rule": str(rule.json()["id"]),
        "import": imported.headers["Location"].rpartition("/")[2],
        "search": str(search),
        "task": str(applied.json()["task_id"]),
        "summary": str(summary.id),
        "interest": str(interest["id"]),
        "story": str(article.article_id),
        "saved_search": str(saved_search.id),
        "invitation": "1",
        "view_token": str(view.json()["id"]),
        "app_password": str(passwords[-1].id),
        "person": str(me["id"]),
        "user": str(me["id"]),
        "global_feed": str(article.feed_id),
        "tag": f"tag-of-{email}",
        "place": "feed",
        "pack": "none",
        "icon": "1",
        "stream": "user/-/state/com.google/reading-list",
        "version": "x",
        "file": "none.css",
        "signature": "none",
        "token": "none",
    }
    return owned


def _tell(article_id: int) -> Script[None]:
    yield sql(
        "INSERT INTO story_articles (article_id, story_id, arrived_at)"
        " VALUES (:id, :id, 0) ON CONFLICT DO NOTHING",
        id=article_id,
    )


async def proxied(container: Container, url: str) -> None:
    """Let a feed be proxied, if it is not yet."""
    with suppress(Conflict):
        await container.services().proxies.add(NewProxy(url), actor="test")


async def snapshot(visitor: Visitor) -> dict[str, Any]:
    """Read everything that others could have changed."""
    paths = (
        "/feeds",
        "/api/articles?limit=200&content=true",
        "/api/folders",
        "/api/tags",
        "/api/bookmarks",
        "/api/rules",
        "/api/interests",
        "/api/view-tokens",
        "/api/summaries",
    )
    found = {path: (await visitor.get(path)).json() for path in paths}
    for feed in found["/feeds"]:
        # Whoever subscribes to the same feed may have it fetched.
        for name in ("last_fetched_at", "next_fetch_at", "next_fetch_reason"):
            feed.pop(name)
        feed.pop("last_success_at")
    return found
