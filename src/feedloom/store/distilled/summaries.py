"""Digests: stored with what they cite, generated one at a time, scheduled daily on request.

A running generation is a row of ``throttle``: it holds across processes, and expires if
its process dies.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from feedloom.model.distilled.digests import (
    CitedArticle,
    DueDigest,
    NewSummary,
    Summary,
    SummaryPage,
)
from feedloom.model.distilled.requests import Claim, DigestParagraph, Evidence, LeftOut, Part
from feedloom.model.errors import Conflict, InvalidInput, Throttled
from feedloom.model.work import NewTask, TaskKind
from feedloom.store.distilled.mails import queue_mail
from feedloom.store.engine.decorators import Store, as_user, reads, writes
from feedloom.store.engine.scripts import WORKER, Row, Script, sql
from feedloom.store.identity.people import record_event
from feedloom.store.queries import NOW, exists, insert, one, update
from feedloom.store.queues.task_queue import add_task
from feedloom.store.times import SECOND, from_us, maybe_us, to_us
from feedloom.store.values import read_object

RUNNING_S = 150
"""After this time a generation cannot finish any more: its process is gone."""
PAUSE_S = 30
_KEEP_S = 3_600
_UNDER_WAY = "A summary is already being generated. It'll be ready in a moment."
_TOO_SOON = "A summary was just generated. Please wait a few seconds."
_NOT_FOUND = "Summary not found"
_COLUMNS = "id, content, article_count, paragraphs, model, created_at"


class SummaryStore(Store):
    @writes(as_user)
    def begin(self, user_id: int) -> Script[None]:
        """Start a generation; raise ``Conflict`` or ``Throttled`` if another one is in the way."""
        running = sql(_TAKE, bucket=_running(user_id), wait=RUNNING_S * SECOND)
        if not (yield from exists(running)):
            raise Conflict(_UNDER_WAY)
        # Raising rolls the transaction back, including the row just written.
        recent = yield sql(
            "SELECT blocked_until - now_us() AS left_us FROM throttle"
            " WHERE bucket = :bucket AND blocked_until > now_us()",
            bucket=_finished(user_id),
        )
        if recent:
            raise Throttled(_TOO_SOON, retry_after_s=recent[0]["left_us"] // SECOND + 1)

    @writes(as_user)
    def end(self, user_id: int) -> Script[None]:
        yield sql("DELETE FROM throttle WHERE bucket = :bucket", bucket=_running(user_id))

    @writes(as_user)
    def save(self, user_id: int, new: NewSummary) -> Script[Summary]:
        [row] = yield insert(
            "summaries",
            f"RETURNING {_COLUMNS}",
            user_id=user_id,
            content=new.content,
            article_count=len(new.article_ids),
            article_ids=json.dumps(list(new.article_ids)),
            paragraphs=json.dumps(_document(new)),
            model=new.model,
            created_at=NOW,
        )
        if new.until_item is not None:
            yield update("users", user_id, digest_until=new.until_item)
        if new.message_id is not None:
            yield from queue_mail(user_id, row["id"], new.message_id)
        yield sql(_TAKE, bucket=_finished(user_id), wait=PAUSE_S * SECOND)
        said = {"article_count": len(new.article_ids), "summary_id": row["id"]}
        yield from record_event(user_id, "summary_generated", said)
        return _summary(row)

    @reads(as_user)
    def until(self, user_id: int) -> Script[int | None]:
        """Return the newest item that a scheduled digest has covered."""
        rows = yield sql("SELECT digest_until FROM users WHERE id = :user", user=user_id)
        return rows[0]["digest_until"] if rows else None

    async def latest(self, user_id: int) -> Summary | None:
        page = await self.summaries(user_id, limit=1)
        return page.summaries[0] if page.summaries else None

    @reads(as_user)
    def summaries(
        self, user_id: int, *, cursor: str | None = None, limit: int = 20
    ) -> Script[SummaryPage]:
        rows = yield sql(
            f"SELECT {_COLUMNS} FROM summaries WHERE user_id = :user AND id < :before"
            " ORDER BY id DESC LIMIT :limit",
            user=user_id,
            before=_before(cursor),
            limit=limit + 1,
        )
        found = tuple(_summary(row) for row in rows[:limit])
        more = len(rows) > limit
        return SummaryPage(found, str(found[-1].id) if more else None)

    @reads(as_user)
    def summary(self, user_id: int, summary_id: int) -> Script[Summary]:
        text = f"SELECT {_COLUMNS} FROM summaries WHERE id = :id AND user_id = :user"
        return _summary((yield from one(sql(text, id=summary_id, user=user_id), _NOT_FOUND)))

    @writes(as_user)
    def delete(self, user_id: int, summary_id: int) -> Script[None]:
        text = "DELETE FROM summaries WHERE id = :id AND user_id = :user RETURNING id"
        yield from one(sql(text, id=summary_id, user=user_id), _NOT_FOUND)

    @writes(as_user)
    def schedule(self, user_id: int, next_at: datetime | None) -> Script[None]:
        """Set when a person's next daily digest is due; None turns it off."""
        yield update("users", user_id, digest_at=maybe_us(next_at))

    @reads(WORKER)
    def due(self, limit: int) -> Script[list[DueDigest]]:
        rows = yield sql(
            "SELECT id, digest_at, settings FROM users WHERE digest_at <= now_us()"
            " AND disabled_at IS NULL ORDER BY digest_at, id LIMIT :limit",
            limit=limit,
        )
        return [_due_digest(row) for row in rows]

    @writes(WORKER)
    def queue(self, due: DueDigest, next_at: datetime | None) -> Script[bool]:
        """Queue a due digest and set its next time; False if another worker has done so."""
        moved = sql(
            "UPDATE users SET digest_at = :next WHERE id = :id AND digest_at = :was RETURNING id",
            next=maybe_us(next_at),
            id=due.user_id,
            was=to_us(due.due_at),
        )
        if not (yield from exists(moved)):
            return False
        key = f"summarise:{due.user_id}"
        yield from add_task(NewTask(TaskKind.SUMMARISE, {}, key, due.user_id))
        return True


_TAKE = f"""
INSERT INTO throttle (bucket, failures, blocked_until, forget_at)
VALUES (:bucket, 0, now_us() + :wait, now_us() + {_KEEP_S * SECOND})
ON CONFLICT (bucket) DO UPDATE
SET blocked_until = excluded.blocked_until, forget_at = excluded.forget_at
WHERE throttle.blocked_until <= now_us() RETURNING bucket
"""


def _running(user_id: int) -> str:
    return f"digest-running:{user_id}"


def _finished(user_id: int) -> str:
    return f"digest-finished:{user_id}"


def _document(new: NewSummary) -> dict[str, object]:
    return {
        "note": new.note,
        "language": new.language,
        "left_out": asdict(new.left_out),
        "paragraphs": [_paragraph(paragraph) for paragraph in new.paragraphs],
        "cited": [
            {
                "item": one.item_no,
                "title": one.title,
                "source": one.source,
                "url": one.url,
                "at": to_us(one.published_at),
            }
            for one in new.cited
        ],
    }


def _paragraph(told: DigestParagraph) -> dict[str, object]:
    return {
        "section": told.section,
        "headline": None if told.headline is None else _claim(told.headline),
        "claims": [_claim(claim) for claim in told.claims],
        "sources": list(told.source_ids),
    }


def _claim(claim: Claim) -> dict[str, object]:
    return {
        "text": claim.text,
        "items": list(claim.article_ids),
        "evidence": [
            [one.article_id, one.part.value, one.start, one.words, one.sha256]
            for one in claim.evidence
        ],
    }


def _before(cursor: str | None) -> int:
    if cursor is None:
        return 2**31 - 1
    if not (cursor.isascii() and cursor.isdecimal() and len(cursor) < 10):  # noqa: PLR2004 - 32 bits
        raise InvalidInput("This page link is no longer valid.", field="cursor")
    return int(cursor)


def _due_digest(row: Row) -> DueDigest:
    settings = read_object(row["settings"]) or {}
    hour, zone = settings.get("digest_hour"), settings.get("timezone")
    return DueDigest(
        user_id=row["id"],
        due_at=from_us(row["digest_at"]),
        hour=hour if isinstance(hour, int) else 0,
        timezone=zone if isinstance(zone, str) else "UTC",
    )


def _summary(row: Row) -> Summary:
    document = read_object(row["paragraphs"]) or {}
    return Summary(
        id=row["id"],
        content=row["content"],
        paragraphs=tuple(map(_read_paragraph, document.get("paragraphs", ()))),
        cited=tuple(
            CitedArticle(one["item"], one["title"], one["source"], one["url"], from_us(one["at"]))
            for one in document.get("cited", ())
        ),
        article_count=row["article_count"],
        model=row["model"],
        note=document.get("note", ""),
        created_at=from_us(row["created_at"]),
        left_out=LeftOut(**document.get("left_out", {})),
        language=document.get("language", "en"),
    )


def _read_paragraph(stored: Any) -> DigestParagraph:
    if isinstance(stored, list):
        # Version 0.1 stored sentences only.
        return DigestParagraph(tuple(map(_read_claim, stored)))
    headline = stored["headline"]
    return DigestParagraph(
        claims=tuple(map(_read_claim, stored["claims"])),
        section=stored["section"],
        headline=None if headline is None else _read_claim(headline),
        source_ids=tuple(stored["sources"]),
    )


def _read_claim(stored: Mapping[str, Any]) -> Claim:
    evidence = (
        Evidence(item, Part(part), start, words, sha256)
        for item, part, start, words, sha256 in stored.get("evidence", ())
    )
    return Claim(stored["text"], tuple(stored["items"]), tuple(evidence))
