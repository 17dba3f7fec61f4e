"""Streams: ids, contents, and contents of ids a client already has.

Pages follow one another by item number, which grows with arrival: what is marked or
comes in meanwhile neither hides nor repeats an item.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

import msgspec
from starlette.responses import PlainTextResponse, Response

from feedloom.model.distilled.documents import Channel
from feedloom.model.errors import InvalidInput
from feedloom.model.feed import Enclosure
from feedloom.model.reader import Article, Order, Wanted
from feedloom.model.sync import Place
from feedloom.serve.image_addresses import file_for_app
from feedloom.serve.origin import own_address
from feedloom.serve.sync.bodies import BLOCK, blocks_of, content_of, encode, listed
from feedloom.serve.sync.greader.calls import Call
from feedloom.serve.sync.greader.ids import (
    LABEL_PREFIX,
    STATE_PREFIX,
    Directory,
    Kind,
    Stream,
    long_id,
    read_stream,
    short_id,
    stream_id,
)
from feedloom.serve.sync.times import EPOCH, microseconds, seconds, whole_second
from feedloom.serve.sync.views import view_item

_MOST_IDS = 50_000
_MOST_CONTENTS = 1_000
_DEFAULT_IDS = 10_000
_DEFAULT_CONTENTS = 20
_NOWHERE = Place("(no title)", "", "")
_ALL, _READ, _STARRED = (STATE_PREFIX + state for state in ("reading-list", "read", "starred"))


class _ItemRef(msgspec.Struct, gc=False):
    """An item's id. One key and no more: a client reads exactly one."""

    id: str


async def ids(call: Call) -> object:
    size = _size(call, _DEFAULT_IDS, _MOST_IDS)
    wanted = await _wanted(call, call.stream())
    found: list[int] = []
    if wanted is not None:
        # One more than is shown tells whether there is another page.
        asked = replace(wanted, limit=size + 1)
        found = await call.services.reading.item_nos(call.user_id, asked)
    refs = [_ItemRef(short_id(number)) for number in found[:size]]
    if not refs and call.given.text("client") == "newsplus":
        # News+ takes an empty list for an error and wants an id of 0.
        refs = [_ItemRef("0")]
    answer: dict[str, object] = {"itemRefs": refs}
    if len(found) > size:
        answer["continuation"] = str(found[size - 1])
    return answer


async def count(call: Call) -> Response:
    """Count a stream; with ``a`` also say when its newest item came."""
    wanted = await _wanted(call, call.stream())
    if wanted is None:
        return PlainTextResponse("0")
    reading, user_id = call.services.reading, call.user_id
    number = await reading.count(user_id, wanted)
    if not number or not call.given.flag("a"):
        return PlainTextResponse(str(number))
    newest = await reading.articles(
        user_id, replace(wanted, order=Order.ITEM_DESC, cursor=None, limit=1)
    )
    at = newest.articles[0].arrived_at
    return PlainTextResponse(f"{number}#{at:%B} {at.day}, {at.year}")


async def atom(call: Call) -> Response:
    stream, size = call.stream(), _size(call, _DEFAULT_CONTENTS, _MOST_CONTENTS)
    wanted = await _wanted(call, stream)
    articles: Sequence[Article] = ()
    if wanted is not None:
        asked = replace(wanted, limit=size, with_content=True)
        articles = (await call.services.reading.articles(call.user_id, asked)).articles
    feeds = sorted({article.subscription_id for article in articles})
    places = await call.services.syncing.places(call.user_id, feeds)
    here = own_address(call.request)
    body = call.services.write_view(
        Channel(title=stream_id(stream), url=f"{here}/read"),
        [view_item(article, places) for article in articles],
        updated_at=max((a.last_modified for a in articles), default=EPOCH),
        self_url=here + call.request.url.path,
        format="atom",
    )
    return Response(body, media_type="application/atom+xml; charset=utf-8")


async def contents(call: Call) -> Response:
    if call.given.text("output") in {"atom", "atom-xml"}:
        return await atom(call)
    stream, size = call.stream(), _size(call, _DEFAULT_CONTENTS, _MOST_CONTENTS)
    page = _Page()
    blocks = page.blocks(call, await _wanted(call, stream), size)
    return await _listed(call, stream, blocks, page)


async def items_contents(call: Call) -> Response:
    numbers = sorted(set(call.items()), reverse=not _oldest(call))
    return await _listed(call, read_stream("", call.user), _by_number(call, numbers), _Page())


class _Page:
    """Blocks of articles, and where the next page begins once they are sent."""

    continuation: str | None = None

    async def blocks(
        self, call: Call, wanted: Wanted | None, size: int
    ) -> AsyncIterator[Sequence[Article]]:
        if wanted is None:
            return
        last, left = 0, size
        # One article more only tells that there is another page.
        async for block in blocks_of(call.services.reading, call.user_id, wanted, most=size + 1):
            shown = block[:left]
            last = shown[-1].item_no if shown else last
            if len(block) > left:
                self.continuation = str(last)
            left -= len(shown)
            yield shown


async def _listed(
    call: Call, stream: Stream, blocks: AsyncIterator[Sequence[Article]], page: _Page
) -> Response:
    now = whole_second(call.services.clock.now())
    head = encode({"id": stream_id(stream), "updated": now})

    def tail() -> bytes:
        if page.continuation is None:
            return b"]}"
        return b'],"continuation":' + encode(page.continuation) + b"}"

    return await listed(_shown(call, blocks), head=head[:-1] + b',"items":[', tail=tail)


def _shape(article: Article, place: Place) -> dict[str, object]:
    """Show an item; what is optional is left out when it is empty.

    ``content`` is never sent: a client that knows both names for one field refuses an
    item that has it beside ``summary``.
    """
    arrived_us = microseconds(article.arrived_at)
    direction = "rtl" if article.rtl else "ltr"
    item: dict[str, object] = {
        "id": long_id(article.item_no),
        "crawlTimeMsec": str(arrived_us // 1000),
        "timestampUsec": str(arrived_us),
        "published": seconds(article.published_at),
        "title": article.shown_title or article.url or "(no title)",
        "canonical": [{"href": article.url}],
        "alternate": [{"href": article.url, "type": "text/html"}],
        "summary": {"content": content_of(article), "direction": direction},
        "categories": _categories(article, place),
        "origin": {
            "streamId": f"feed/{article.subscription_id}",
            "title": place.title,
            "htmlUrl": place.site_url,
        },
    }
    if article.updated_at:
        item["updated"] = seconds(article.updated_at)
    if article.author:
        item["author"] = article.author
    if article.enclosures:
        item["enclosure"] = [_enclosure(each) for each in article.enclosures]
    return item


def _categories(article: Article, place: Place) -> list[str]:
    found = [_ALL]
    if not article.unread:
        found.append(_READ)
    if article.starred:
        found.append(_STARRED)
    labels = [name for name in (place.folder, *article.tags) if name]
    found += [LABEL_PREFIX + label for label in dict.fromkeys(labels)]
    # Words of the publisher's may follow, but must not pass for streams.
    return found + [c for c in article.categories if not c.startswith("user/")]


def _enclosure(enclosure: Enclosure) -> dict[str, object]:
    shown: dict[str, object] = {
        "href": file_for_app(enclosure.url, enclosure.mime),
        "type": enclosure.mime or "application/octet-stream",
    }
    if enclosure.length is not None:
        shown["length"] = enclosure.length
    return shown


async def _shown(
    call: Call, blocks: AsyncIterator[Sequence[Article]]
) -> AsyncIterator[list[dict[str, object]]]:
    async for block in blocks:
        feeds = sorted({article.subscription_id for article in block})
        places = await call.services.syncing.places(call.user_id, feeds)
        yield [_shape(article, places.get(article.subscription_id, _NOWHERE)) for article in block]


async def _by_number(call: Call, numbers: Sequence[int]) -> AsyncIterator[Sequence[Article]]:
    order = Order.ITEM_ASC if _oldest(call) else Order.ITEM_DESC
    for start in range(0, len(numbers), BLOCK):
        wanted = Wanted(
            item_nos=tuple(numbers[start : start + BLOCK]),
            include_hidden=True,
            order=order,
            limit=BLOCK,
            with_content=True,
        )
        yield (await call.services.reading.articles(call.user_id, wanted)).articles


async def _wanted(call: Call, stream: Stream) -> Wanted | None:
    within, without = [stream, *call.streams("it")], call.streams("xt")
    directory = Directory()
    if any(each.kind in {Kind.LABEL, Kind.ADDRESS} for each in (*within, *without)):
        directory = await call.directory()
    wanted = directory.select(within, without)
    if wanted is None:
        return None
    return replace(
        wanted,
        # By arrival, not by date: else what a publisher dates back would be lost.
        arrived_since=call.given.moment("ot"),
        arrived_until=call.given.moment("nt"),
        order=Order.ITEM_ASC if _oldest(call) else Order.ITEM_DESC,
        cursor=_continuation(call),
    )


def _continuation(call: Call) -> str | None:
    given = call.given.text("c").strip()
    if not given:
        return None
    if not (given.isascii() and given.isdecimal()) or len(given) > len(str(2**31)):
        raise InvalidInput("Invalid continuation.", field="c")
    return str(min(int(given), 2**31 - 1))


def _oldest(call: Call) -> bool:
    return call.given.text("r") == "o"


def _size(call: Call, default: int, most: int) -> int:
    size = call.given.number("n", default)
    return min(size, most) if size > 0 else default
