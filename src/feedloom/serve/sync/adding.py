"""Adding a feed for a program: one address in, one subscription out, or an error.

A person may be shown several candidates to choose from; a program gets the best one.
"""

from feedloom.model.errors import Conflict, FetchError, InvalidInput, ParseError
from feedloom.model.reading import Subscription, User
from feedloom.serve.services import Services

_NOTHING = "No feed was found at this address."


async def add_feed(
    services: Services,
    user: User,
    text: str,
    *,
    title: str | None = None,
    folder_id: int | None = None,
) -> Subscription:
    """Subscribe somebody to what an address offers; ``Conflict`` when they have it."""
    if not text.strip():
        raise InvalidInput("An address is needed.", field="url")
    try:
        added = await services.subscribing.add(
            user, text, title=title, folder_id=folder_id, wait=True
        )
    except (FetchError, ParseError) as error:
        raise InvalidInput(str(error), field="url") from error
    if added.subscription is not None:
        return added.subscription
    best = next((c for c in added.candidates if c.valid), None)
    if best is None:
        raise InvalidInput(_NOTHING, field="url")
    chosen = await services.subscribing.add(
        user, best.url, title=title, folder_id=folder_id, exact=True
    )
    if chosen.subscription is None:
        raise Conflict("You have already added this feed")
    return chosen.subscription
