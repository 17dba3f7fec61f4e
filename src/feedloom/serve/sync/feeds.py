"""Feeds as every client handles them: added, fetched, imported and exported.

A person may be asked to come back or to choose; a program gets the best feed there is,
after as long as the search takes.
"""

import asyncio
from collections.abc import Awaitable, Callable

from starlette.responses import Response

from feedloom.model.errors import InvalidInput, ParseError
from feedloom.model.reader import Subscription
from feedloom.serve.sync.calls import Call
from feedloom.serve.sync.parameters import read_document

_WAIT_S = 10.0
_LOOK_EVERY_S = 0.05
_AS_FILE = {"Content-Disposition": 'attachment; filename="subscriptions.opml"'}


async def add_feed(
    call: Call, text: str, *, title: str | None = None, folder_id: int | None = None
) -> Subscription:
    """Subscribe somebody to what an address offers; ``Conflict`` when they have it."""
    added = None
    if text.strip():
        added = await call.services.subscribing.add(
            call.user, text, title=title, folder_id=folder_id, wait=True
        )
    if added is None or added.subscription is None:
        raise InvalidInput("A URL is required.", field="url")
    return await after_first_fetch(call, added.subscription)


async def after_first_fetch(call: Call, made: Subscription) -> Subscription:
    """Wait a while until a new feed was fetched: programs list its articles right after."""
    return made if made.last_attempt_at is not None else await after_next_fetch(call, made)


async def after_next_fetch(
    call: Call, feed: Subscription, *, most_s: float = _WAIT_S
) -> Subscription:
    """Wait a while until a feed was fetched again; return it as it is then."""
    store = call.services.subscriptions

    async def is_fetched() -> bool:
        found = await store.subscription(feed.user_id, feed.id)
        return found.last_attempt_at != feed.last_attempt_at

    await wait_until(is_fetched, most_s=most_s)
    return await store.subscription(feed.user_id, feed.id)


async def wait_until(is_done: Callable[[], Awaitable[bool]], *, most_s: float = _WAIT_S) -> None:
    """Look again and again for a while whether something is done: clients cannot poll."""
    loop = asyncio.get_running_loop()
    ends_at = loop.time() + most_s
    while True:
        if await is_done() or loop.time() > ends_at:
            return
        await asyncio.sleep(_LOOK_EVERY_S)


async def wait_for_task(call: Call, task_id: int) -> None:
    async def is_done() -> bool:
        return (await call.services.tasks.find(call.user_id, task_id)).done_at is not None

    await wait_until(is_done)


async def unsubscribe(call: Call) -> None:
    await call.services.subscriptions.unsubscribe(call.user_id, call.id())


async def export(call: Call) -> Response:
    body = await call.services.exporting.opml(call.user)
    return Response(body, headers=_AS_FILE, media_type="text/xml; charset=utf-8")


async def import_body(call: Call) -> None:
    """Import the list in a request's body, and wait a while until it is done.

    Clients list subscriptions right after. What takes longer goes on without them.
    """
    try:
        task_id = await call.services.importing.start(call.user, await read_document(call.request))
    except ParseError as error:
        raise InvalidInput(str(error)) from error
    await wait_for_task(call, task_id)
