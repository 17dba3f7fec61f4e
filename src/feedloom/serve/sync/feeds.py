"""Subscriptions, in the form every client gets."""

from starlette.requests import Request

from feedloom.model.reader import Subscription
from feedloom.model.sync import ListedSubscription
from feedloom.model.urls import without_credentials
from feedloom.serve.origin import own_address


def shown_address(request: Request, feed: Subscription | ListedSubscription) -> str:
    """Return a feed's address as it may be shown; clients need one for every feed.

    Where starred articles of dropped feeds live on there is no feed behind: its address
    is the page that lists them.
    """
    if not feed.url:
        return f"{own_address(request)}/read/starred"
    return without_credentials(feed.url) if "@" in feed.url else feed.url
