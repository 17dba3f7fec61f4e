"""Our values as Feedbin's JSON. Pure."""

from datetime import UTC, datetime

from feedloom.flow.reader.imports import outcomes
from feedloom.model.reader import Article
from feedloom.model.urls import shown_address
from feedloom.model.work import Task
from feedloom.serve.image_addresses import file_for_app
from feedloom.serve.sync.bodies import content_of
from feedloom.serve.sync.times import EPOCH

_WORDS = {None: "pending", True: "complete", False: "failed"}


def moment(at: datetime) -> str:
    """Write a time as exactly as it is kept: clients send it back."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def entry_shape(article: Article, *, extended: bool, enclosure: bool) -> dict[str, object]:
    entry: dict[str, object] = {
        "id": article.item_no,
        "feed_id": article.subscription_id,
        "title": article.shown_title or None,
        "author": article.author or None,
        "summary": article.summary,
        "content": content_of(article) or None,
        "url": article.url,
        "extracted_content_url": None,
        "published": moment(article.published_at),
        "created_at": moment(article.arrived_at),
    }
    if extended:
        entry |= {"original": None, "images": None}
    if extended or enclosure:
        entry["enclosure"] = _enclosure(article)
    return entry


def _enclosure(article: Article) -> dict[str, str] | None:
    if not article.enclosures:
        return None
    first = article.enclosures[0]
    return {
        "enclosure_url": file_for_app(first.url, first.mime),
        "enclosure_type": first.mime or "application/octet-stream",
        "enclosure_length": str(first.length or 0),
    }


def import_shape(task: Task) -> dict[str, object]:
    created_at = moment(task.created_at or EPOCH)
    return {"id": task.id, "complete": task.done_at is not None, "created_at": created_at}


def import_with_items(task: Task) -> dict[str, object]:
    items = [
        {"title": title, "feed_url": shown_address(url), "status": _WORDS[outcome]}
        for title, url, outcome in outcomes(task)
    ]
    return import_shape(task) | {"import_items": items}
