"""The values of a refresh: frozen, and quiet about secrets."""

import pytest

from feedloom.model.stages import FeedToRefresh, FetchRequest, FetchResponse

FEED = FeedToRefresh(1, "https://a.example/", "a.example", "t", cookie="hush=1")


@pytest.mark.parametrize(
    "value", [FetchRequest("https://a.example/"), FetchResponse("u", 200, {}, b""), FEED]
)
def test_nothing_can_be_assigned_later(value: object):
    with pytest.raises(AttributeError, match="immutable"):
        value.url = "other"  # type: ignore[attr-defined]  # refused, as it should be


def test_a_feed_does_not_show_its_cookie():
    assert "hush" not in repr(FEED)
    assert "https://a.example/" in repr(FEED)
