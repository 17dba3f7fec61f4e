"""From our values to Google Reader's wire shapes. Pure."""

from feedloom.model.reader import Article
from feedloom.model.sync import Place
from feedloom.serve.image_addresses import file_for_app
from feedloom.serve.sync.bodies import content_of
from feedloom.serve.sync.greader import shapes
from feedloom.serve.sync.greader.ids import LABEL_PREFIX, STATE_PREFIX, long_id
from feedloom.serve.sync.times import microseconds, seconds

_NOWHERE = Place("(no title)", "", "")


def item_shape(article: Article, places: dict[int, Place]) -> shapes.Item:
    place = places.get(article.subscription_id, _NOWHERE)
    arrived_us = microseconds(article.arrived_at)
    return shapes.Item(
        id=long_id(article.item_no),
        crawl_time_msec=str(arrived_us // 1000),
        timestamp_usec=str(arrived_us),
        published=seconds(article.published_at),
        title=article.shown_title or article.url or "(no title)",
        canonical=({"href": article.url},),
        alternate=({"href": article.url, "type": "text/html"},),
        summary=shapes.Summary(content_of(article), "rtl" if article.rtl else "ltr"),
        categories=_categories(article, place),
        origin=shapes.Origin(f"feed/{article.subscription_id}", place.title, place.site_url),
        updated=seconds(article.updated_at) if article.updated_at else None,
        author=article.author or None,
        enclosure=_enclosures(article) or None,
    )


def _categories(article: Article, place: Place) -> list[str]:
    states = ["reading-list"]
    if not article.unread:
        states.append("read")
    if article.starred:
        states.append("starred")
    labels = [name for name in (place.folder, *article.tags) if name]
    found = [STATE_PREFIX + state for state in states]
    found += [LABEL_PREFIX + label for label in dict.fromkeys(labels)]
    # Words of the publisher's may follow, but must not pass for streams.
    return found + [c for c in article.categories if not c.startswith("user/")]


def _enclosures(article: Article) -> tuple[shapes.Enclosure, ...]:
    return tuple(
        shapes.Enclosure(
            file_for_app(e.url, e.mime), e.mime or "application/octet-stream", e.length
        )
        for e in article.enclosures
    )
