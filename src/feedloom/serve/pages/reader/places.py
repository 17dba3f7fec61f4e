"""Lists that can be read: all articles, starred ones, a feed, a folder, a tag; with filters.

In: a request's path and query. Out: a ``Place`` with its name, its address and what it
wants of the store; ``NotFound`` or ``InvalidInput`` for what cannot be.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote, urlencode

from starlette.requests import Request

from feedloom.model.errors import InvalidInput, NotFound
from feedloom.model.reader import Folder, Order, Subscription, Wanted
from feedloom.serve.ids import as_id
from feedloom.serve.pages.appearance import CHOICES, Appearance
from feedloom.serve.services import Services

PAGE_SIZE = 50
_FIXED = {"all": "All articles", "unread": "Unread", "starred": "Starred", "for-you": "For you"}
_SHOWS = ("unread", "all")
_ALWAYS = {"starred": "all", "unread": "unread", "for-you": "unread"}
"""What lists show whatever is chosen."""
_ORDERS = {
    "newest": Order.NEWEST,
    "oldest": Order.OLDEST,
    "arrived": Order.ITEM_DESC,
    "relevance": Order.RELEVANCE,
    "meaning": Order.RELEVANCE,
}
_ORDER_WORDS = CHOICES["order"].words
_FOUND_WORDS = {"relevance": "Best match first", "meaning": "Closest in meaning first"}
_SEARCH_ORDERS = ("relevance", "newest", "oldest")
KEPT_CHOICES = ("show", "order", "layout")
"""What a feed or folder remembers."""
_LONGEST_SEARCH = 300


@dataclass(frozen=True, slots=True)
class Place:
    kind: str
    title: str
    path: str
    show: str
    order: str
    layout: str
    id: int | None = None
    tag: str | None = None
    text: str | None = None
    """What is searched for."""
    subscription: Subscription | None = None
    folder: Folder | None = None

    @property
    def can_choose(self) -> bool:
        return self.kind not in _ALWAYS and self.order != "meaning"

    @property
    def keeps_choices(self) -> bool:
        """Feeds and folders remember how they are shown."""
        return self.id is not None

    @property
    def has_pictures(self) -> bool:
        return self.layout in {"cards", "magazine"}

    @property
    def can_sweep(self) -> bool:
        if self.kind == "search":
            return self.text is not None and self.order != "meaning"
        return self.kind not in {"starred", "for-you"}

    @property
    def orders(self) -> Mapping[str, str]:
        """What may be chosen, with the words for it."""
        if self.kind != "search":
            return _ORDER_WORDS
        names = dict.fromkeys((*_SEARCH_ORDERS, self.order))
        return {name: _FOUND_WORDS.get(name) or _ORDER_WORDS[name] for name in names}

    @property
    def shared(self) -> str:
        if self.tag is not None:
            return f"tag:{self.tag}"
        if self.text is not None:
            return f"search:{self.text}"
        return self.kind if self.id is None else f"{self.kind}:{self.id}"

    def wanted(self, cursor: str | None = None, limit: int = PAGE_SIZE) -> Wanted:
        return Wanted(
            subscription_id=self.id if self.kind == "feed" else None,
            folder_id=self.id if self.kind == "folder" else None,
            tag=self.tag,
            text=self.text,
            starred=True if self.kind == "starred" else None,
            unread=True if self.show == "unread" else None,
            order=_ORDERS[self.order],
            cursor=cursor,
            limit=limit,
            # Snippets are cut from it.
            with_content=self.kind == "search",
        )

    def url(self, **changes: object) -> str:
        show = self.show if self.can_choose else None
        query = {"q": self.text or None, "show": show, "order": self.order, **changes}
        given = {name: value for name, value in query.items() if value is not None}
        return f"{self.path}?{urlencode(given)}"


async def find_place(request: Request, services: Services, user_id: int, look: Appearance) -> Place:
    kind = request.path_params.get("kind", "")
    if request.url.path == "/search":
        return _search(request, look)
    if kind in _FIXED:
        return _place(request, look, kind, title=_FIXED[kind])
    name = request.path_params.get("key", "")
    match kind:
        case "feed":
            feed = await services.subscriptions.subscription(user_id, as_id(name))
            return _place(request, look, kind, title=feed.title, subscription=feed)
        case "folder":
            folder = await find_folder(services, user_id, as_id(name))
            return _place(request, look, kind, title=folder.name, folder=folder)
        case "tag":
            unread = dict(await services.reading.tags(user_id))
            if name not in unread:
                raise NotFound("Tag not found.")
            if not unread[name]:
                # Most is tagged while it is read: what was tagged, not an empty list.
                look = replace(look, show="all")
            return _place(request, look, kind, title=name, tag=name)
        case _:
            raise NotFound


async def find_folder(services: Services, user_id: int, folder_id: int) -> Folder:
    folders = await services.folders.folders(user_id)
    folder = next((f for f in folders if f.id == folder_id), None)
    if folder is None:
        raise NotFound("Folder not found")
    return folder


def _search(request: Request, look: Appearance) -> Place:
    text = " ".join(request.query_params.get("q", "").split())
    if len(text) > _LONGEST_SEARCH or "\x00" in text:
        raise InvalidInput("Invalid query parameters", field="q")
    usual = look.order if look.order in _SEARCH_ORDERS else "newest"
    return Place(
        kind="search",
        title=f"Search: {text}" if text else "Search",
        path="/search",
        show=_one_of(request, "show", _SHOWS, "all"),
        order=_one_of(request, "order", (*_SEARCH_ORDERS, "meaning"), usual),
        layout=look.layout,
        text=text or None,
    )


def _place(  # noqa: PLR0913 - one value per kind of place
    request: Request,
    look: Appearance,
    kind: str,
    *,
    title: str,
    subscription: Subscription | None = None,
    folder: Folder | None = None,
    tag: str | None = None,
) -> Place:
    owner = subscription or folder
    chosen = (owner.list_settings if owner else None) or {}
    kept: dict[str, Any] = {n: chosen[n] for n in KEPT_CHOICES if chosen.get(n) in CHOICES[n].words}
    look = replace(look, **kept)
    show = _one_of(request, "show", _SHOWS, "all" if kind == "all" else look.show)
    show = _ALWAYS.get(kind, show)
    key = str(owner.id) if owner else quote(tag, safe="") if tag else ""
    return Place(
        kind=kind,
        title=title,
        path=f"/read/{kind}/{key}" if key else f"/read/{kind}",
        show=show,
        order=_one_of(request, "order", _ORDER_WORDS, look.order),
        layout=look.layout,
        id=owner.id if owner else None,
        tag=tag,
        subscription=subscription,
        folder=folder,
    )


def _one_of(request: Request, name: str, allowed: Collection[str], otherwise: str) -> str:
    value = request.query_params.get(name, otherwise)
    if value not in allowed:
        raise InvalidInput("Invalid query parameters", field=name)
    return value
