"""Streams: ids, contents, and contents of ids a client already has.

Pages follow one another by item number, which grows with arrival: what is marked or
comes in meanwhile neither hides nor repeats an item.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

from starlette.responses import PlainTextResponse, Response

from feedloom.model.distilled.documents import Channel
from feedloom.model.errors import InvalidInput
from feedloom.model.reader import Article, Order, Wanted
from feedloom.model.sync import Place
from feedloom.serve.origin import own_address
from feedloom.serve.sync.bodies import BLOCK, blocks_of, encode, json_answer, listed
from feedloom.serve.sync.greader import shapes
from feedloom.serve.sync.greader.calls import Call
from feedloom.serve.sync.greader.ids import Stream, read_item_id, read_stream, short_id, stream_id
from feedloom.serve.sync.greader.selection import select
from feedloom.serve.sync.greader.translation import item_shape
from feedloom.serve.sync.times import EPOCH, from_seconds, whole_second
from feedloom.serve.sync.views import view_item

MOST_IDS = 50_000
MOST_CONTENTS = 1_000
_DEFAULT_IDS = 10_000
_DEFAULT_CONTENTS = 20

Shown = tuple[Article, dict[int, Place]]


async def ids(call: Call) -> Response:
    size = _size(call, _DEFAULT_IDS, MOST_IDS)
    wanted = await _wanted(call, call.stream())
    if wanted is None:
        return json_answer(shapes.ItemRefs(_nothing_for(call)))
    # One more than is shown tells whether there is another page.
    asked = replace(wanted, limit=size + 1)
    found = await call.services.reading.item_nos(call.user.id, asked)
    refs = [shapes.ItemRef(short_id(number)) for number in found[:size]]
    more = str(found[size - 1]) if len(found) > size else None
    return json_answer(shapes.ItemRefs(refs or _nothing_for(call), more))


def _nothing_for(call: Call) -> list[shapes.ItemRef]:
    """Return the empty list; News+ takes that for an error and wants an id of 0."""
    is_news_plus = call.given.text("client") == "newsplus"
    return [shapes.ItemRef("0")] if is_news_plus else []


async def count(call: Call) -> Response:
    """Count a stream; with ``a`` also say when its newest item came."""
    wanted = await _wanted(call, call.stream())
    if wanted is None:
        return PlainTextResponse("0")
    reading, user_id = call.services.reading, call.user.id
    number = str(await reading.count(user_id, wanted))
    if not number.strip("0") or not call.given.flag("a", default=False):
        return PlainTextResponse(number)
    newest = await reading.articles(
        user_id, replace(wanted, order=Order.ITEM_DESC, cursor=None, limit=1)
    )
    at = newest.articles[0].arrived_at
    return PlainTextResponse(f"{number}#{at:%B} {at.day}, {at.year}")


async def atom(call: Call) -> Response:
    """Show the newest items of a stream as an Atom document."""
    named = call.request.path_params.get("stream") or call.given.text("s")
    stream = read_stream(named, call.user)
    size = _size(call, _DEFAULT_CONTENTS, MOST_CONTENTS)
    wanted = await _wanted(call, stream)
    articles: Sequence[Article] = ()
    if wanted is not None:
        asked = replace(wanted, limit=size, with_content=True)
        articles = (await call.services.reading.articles(call.user.id, asked)).articles
    feeds = sorted({article.subscription_id for article in articles})
    places = await call.services.syncing.places(call.user.id, feeds)
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
    """Show the items of a stream, named in the path or in ``s``."""
    if call.given.text("output") in {"atom", "atom-xml"}:
        return await atom(call)
    named = call.request.path_params.get("stream") or call.given.text("s")
    stream = read_stream(named, call.user)
    size = _size(call, _DEFAULT_CONTENTS, MOST_CONTENTS)
    wanted = await _wanted(call, stream)
    last = _Last()
    blocks = last.watch(_pages(call, wanted, size + 1), size)
    return await _listed(call, stream, blocks, last)


async def items_contents(call: Call) -> Response:
    named = (read_item_id(text) for text in call.given.texts("i"))
    numbers = sorted({number for number in named if number is not None}, reverse=not _oldest(call))
    blocks = _by_number(call, numbers)
    return await _listed(call, read_stream("", call.user), blocks, _Last())


class _Last:
    def __init__(self) -> None:
        self.continuation: str | None = None

    async def watch(
        self, blocks: AsyncIterator[Sequence[Article]], size: int
    ) -> AsyncIterator[Sequence[Article]]:
        """Hand on ``size`` articles; one more only tells that there is another page."""
        last = 0
        left = size
        async for block in blocks:
            shown = block[:left]
            last = shown[-1].item_no if shown else last
            if len(block) > left:
                self.continuation = str(last)
            left -= len(shown)
            yield shown


async def _listed(
    call: Call, stream: Stream, blocks: AsyncIterator[Sequence[Article]], last: _Last
) -> Response:
    now = whole_second(call.services.clock.now())
    head = encode({"id": stream_id(stream), "updated": now})

    def tail() -> bytes:
        if last.continuation is None:
            return b"]}"
        return b'],"continuation":' + encode(last.continuation) + b"}"

    return await listed(_placed(call, blocks), _shape, head=head[:-1] + b',"items":[', tail=tail)


def _shape(shown: Shown) -> shapes.Item:
    return item_shape(*shown)


async def _placed(
    call: Call, blocks: AsyncIterator[Sequence[Article]]
) -> AsyncIterator[Sequence[Shown]]:
    async for block in blocks:
        feeds = sorted({article.subscription_id for article in block})
        places = await call.services.syncing.places(call.user.id, feeds)
        yield [(article, places) for article in block]


async def _pages(call: Call, wanted: Wanted | None, most: int) -> AsyncIterator[Sequence[Article]]:
    if wanted is None:
        return
    async for block in blocks_of(call.services.reading, call.user.id, wanted, most=most):
        yield block


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
        yield (await call.services.reading.articles(call.user.id, wanted)).articles


async def _wanted(call: Call, stream: Stream) -> Wanted | None:
    within = [stream, *call.streams("it")]
    wanted = await select(call, within, call.streams("xt"))
    if wanted is None:
        return None
    since, until = call.given.number("ot", 0), call.given.number("nt", 0)
    return replace(
        wanted,
        # By arrival, not by date: else what a publisher dates back would be lost.
        arrived_since=from_seconds(since) if since > 0 else None,
        arrived_until=from_seconds(until) if until > 0 else None,
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
