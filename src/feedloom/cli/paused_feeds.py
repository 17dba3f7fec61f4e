"""``feedloom pause`` and ``feedloom resume``: pause and resume one person's feed."""

from typing import Annotated

import typer

from feedloom.cli.output import out, run
from feedloom.model.errors import NotFound

_FEED = Annotated[str, typer.Argument(help="Id or URL of the feed.")]
_USER = Annotated[str, typer.Option(help="Email address of the subscriber.")]


def pause(feed: _FEED, *, user: _USER) -> None:
    """Pause a feed for one account. It is not polled if all its readers paused it.

    Example: feedloom pause https://example.org/feed.xml --user ada@example.org
    """
    title = run(_set(feed, user, is_paused=True))
    out.print(f"Paused {title}.", markup=False)


def resume(feed: _FEED, *, user: _USER) -> None:
    """Resume a paused feed for one account.

    Example: feedloom resume https://example.org/feed.xml --user ada@example.org
    """
    title = run(_set(feed, user, is_paused=False))
    out.print(f"Resumed {title}.", markup=False)


async def _set(feed: str, email: str, *, is_paused: bool) -> str:
    from feedloom.app import open_container
    from feedloom.config import load

    async with open_container(load()) as container:
        found = await container.accounts.store.by_email(email)
        if found is None:
            raise NotFound(f"No account has the address {email}.")
        user_id = found[0].id
        store = container.services().subscriptions
        for one in await store.subscriptions(user_id):
            if feed in {str(one.id), one.url}:
                await (store.pause if is_paused else store.resume)(user_id, one.id)
                return one.title
        raise NotFound(f"{email} does not subscribe to {feed}.")
