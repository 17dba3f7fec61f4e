"""Feeds and folders as every client sees them: added, shown, imported and exported.

A person may be asked to come back or to choose; a program gets the best feed there is,
after as long as the search takes.
"""

from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import InvalidInput, ParseError
from feedloom.model.reader import Folder, Subscription, User
from feedloom.model.sync import ListedSubscription
from feedloom.model.urls import without_credentials
from feedloom.serve.origin import own_address
from feedloom.serve.services import Services
from feedloom.serve.sync.parameters import read_document
from feedloom.serve.sync.tasks import WAIT_S, wait_for_task, wait_until

_AS_FILE = {"Content-Disposition": 'attachment; filename="subscriptions.opml"'}


def shown_address(request: Request, feed: Subscription | ListedSubscription) -> str:
    """Return a feed's address as it may be shown; clients need one for every feed.

    Where starred articles of dropped feeds live on there is no feed behind: its address
    is the page that lists them.
    """
    if not feed.url:
        return f"{own_address(request)}/read/starred"
    return without_credentials(feed.url) if "@" in feed.url else feed.url


def leaf_name(folder: Folder, new_path: str) -> str:
    """Return the name of a folder whose path a client changed."""
    parents = folder.path.removesuffix(folder.name)
    return new_path.removeprefix(parents) if parents else new_path


async def add_feed(
    services: Services,
    user: User,
    text: str,
    *,
    title: str | None = None,
    folder_id: int | None = None,
) -> Subscription:
    """Subscribe somebody to what an address offers; ``Conflict`` when they have it.

    Programs list the articles right after, so a new feed is fetched before they hear.
    """
    added = None
    if text.strip():
        added = await services.subscribing.add(
            user, text, title=title, folder_id=folder_id, wait=True
        )
    if added is None or added.subscription is None:
        raise InvalidInput("A URL is required.", field="url")
    return await after_first_fetch(services, added.subscription)


async def after_first_fetch(services: Services, made: Subscription) -> Subscription:
    """Wait a while until a new feed was fetched; return it as it is then."""
    return made if made.last_attempt_at is not None else await after_next_fetch(services, made)


async def after_next_fetch(
    services: Services, feed: Subscription, *, most_s: float = WAIT_S
) -> Subscription:
    """Wait a while until a feed was fetched again; return it as it is then."""

    async def is_fetched() -> bool:
        found = await services.subscriptions.subscription(feed.user_id, feed.id)
        return found.last_attempt_at != feed.last_attempt_at

    await wait_until(is_fetched, most_s=most_s)
    return await services.subscriptions.subscription(feed.user_id, feed.id)


async def export_answer(services: Services, user: User) -> Response:
    body = await services.exporting.opml(user)
    return Response(body, headers=_AS_FILE, media_type="text/xml; charset=utf-8")


async def import_body(services: Services, user: User, request: Request) -> None:
    """Import the list in a request's body, and wait a while until it is done.

    Clients list subscriptions right after. What takes longer goes on without them.
    """
    try:
        task_id = await services.importing.start(user, await read_document(request))
    except ParseError as error:
        raise InvalidInput(str(error)) from error
    await wait_for_task(services, user, task_id)
