"""Digests: stored with what they cite, generated one at a time, scheduled daily, mailed once.

A running generation is a row of ``throttle``, which expires if its process dies.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from feedloom.model.distilled.digests import (
    CitedArticle,
    DigestMail,
    DueDigest,
    NewSummary,
    Summary,
    SummaryPage,
)
from feedloom.model.distilled.requests import Claim, DigestParagraph, Evidence, LeftOut, Part
from feedloom.model.errors import Conflict, InvalidInput, Throttled
from feedloom.model.work import NewTask, TaskKind
from feedloom.store.engine.decorators import Store, as_user, reads, writes
from feedloom.store.engine.scripts import WORKER, Row, Script, sql
from feedloom.store.identity.credentials import record_event
from feedloom.store.queries import NOW, exists, first, insert, one, update, value
from feedloom.store.queues.task_queue import add_task
from feedloom.store.values import SECOND, from_us, maybe_us, read_object, to_us, value_of

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
        text = """SELECT blocked_until - now_us() AS left_us FROM throttle
            WHERE bucket = :bucket AND blocked_until > now_us()"""
        recent = yield from first(sql(text, bucket=_finished(user_id)))
        if recent:
            raise Throttled(_TOO_SOON, retry_after_s=recent["left_us"] // SECOND + 1)

    @writes(as_user)
    def end(self, user_id: int) -> Script[None]:
        yield sql("DELETE FROM throttle WHERE bucket = :bucket", bucket=_running(user_id))

    @writes(as_user)
    def save(self, user_id: int, new: NewSummary) -> Script[Summary]:
        articles = {
            "article_count": len(new.article_ids),
            "article_ids": json.dumps(new.article_ids),
        }
        [row] = yield insert(
            "summaries",
            f"RETURNING {_COLUMNS}",
            user_id=user_id,
            content=new.content,
            paragraphs=json.dumps(_document(new)),
            model=new.model,
            created_at=NOW,
            **articles,
        )
        if new.until_item is not None:
            yield update("users", user_id, digest_until=new.until_item)
        if new.message_id is not None:
            yield insert("mails", summary_id=row["id"], user_id=user_id, message_id=new.message_id)
            mail = {"summary_id": row["id"]}
            yield from add_task(NewTask(TaskKind.MAIL, mail, f"mail:{row['id']}", user_id))
        yield sql(_TAKE, bucket=_finished(user_id), wait=PAUSE_S * SECOND)
        said = {"article_count": len(new.article_ids), "summary_id": row["id"]}
        yield record_event(user_id, "summary_generated", said)
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
        text = f"""SELECT {_COLUMNS} FROM summaries WHERE user_id = :user AND id < :before
            ORDER BY id DESC LIMIT :limit"""
        before = 2**31 - 1
        if cursor is not None:
            if not (cursor.isascii() and cursor.isdecimal() and len(cursor) < 10):  # noqa: PLR2004 - 32 bits
                raise InvalidInput("This page link is no longer valid.", field="cursor")
            before = int(cursor)
        rows = yield sql(text, user=user_id, before=before, limit=limit + 1)
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
        text = """SELECT id, digest_at, settings FROM users WHERE digest_at <= now_us()
            AND disabled_at IS NULL ORDER BY digest_at, id LIMIT :limit"""
        rows = yield sql(text, limit=limit)
        found = []
        for row in rows:
            settings = read_object(row["settings"]) or {}
            hour, zone = settings.get("digest_hour"), settings.get("timezone")
            hour = hour if isinstance(hour, int) else 0
            zone = zone if isinstance(zone, str) else "UTC"
            found.append(DueDigest(row["id"], from_us(row["digest_at"]), hour, zone))
        return found

    @writes(WORKER)
    def queue(self, due: DueDigest, next_at: datetime | None) -> Script[bool]:
        """Queue a due digest and set its next time; False if another worker has done so."""
        text = "UPDATE users SET digest_at = :next WHERE id = :id AND digest_at = :was RETURNING id"
        moved = sql(text, next=maybe_us(next_at), id=due.user_id, was=to_us(due.due_at))
        if not (yield from exists(moved)):
            return False
        key = f"summarise:{due.user_id}"
        yield from add_task(NewTask(TaskKind.SUMMARISE, {}, key, due.user_id))
        return True


_TAKE = f"""INSERT INTO throttle (bucket, failures, blocked_until, forget_at)
    VALUES (:bucket, 0, now_us() + :wait, now_us() + {_KEEP_S * SECOND})
    ON CONFLICT (bucket) DO UPDATE
    SET blocked_until = excluded.blocked_until, forget_at = excluded.forget_at
    WHERE throttle.blocked_until <= now_us() RETURNING bucket"""


def _running(user_id: int) -> str:
    return f"digest-running:{user_id}"


def _finished(user_id: int) -> str:
    return f"digest-finished:{user_id}"


def _document(new: NewSummary) -> dict[str, object]:
    return {
        "note": new.note,
        "language": new.language,
        "left_out": asdict(new.left_out),
        "paragraphs": [
            {
                "section": told.section,
                "headline": told.headline and _claim(told.headline),
                "claims": [_claim(claim) for claim in told.claims],
                "sources": list(told.source_ids),
            }
            for told in new.paragraphs
        ],
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


def _claim(claim: Claim) -> dict[str, object]:
    evidence = [[e.article_id, e.part.value, e.start, e.words, e.sha256] for e in claim.evidence]
    return {"text": claim.text, "items": list(claim.article_ids), "evidence": evidence}


def _summary(row: Row) -> Summary:
    document = read_object(row["paragraphs"]) or {}
    cited = (
        CitedArticle(one["item"], one["title"], one["source"], one["url"], from_us(one["at"]))
        for one in document.get("cited", ())
    )
    return value_of(
        Summary,
        row,
        paragraphs=tuple(map(_paragraph, document.get("paragraphs", ()))),
        cited=tuple(cited),
        note=document.get("note", ""),
        left_out=LeftOut(**document.get("left_out", {})),
        language=document.get("language", "en"),
    )


def _paragraph(stored: Any) -> DigestParagraph:
    if isinstance(stored, list):
        # Version 0.1 stored sentences only.
        return DigestParagraph(tuple(map(_read_claim, stored)))
    return DigestParagraph(
        claims=tuple(map(_read_claim, stored["claims"])),
        section=stored["section"],
        headline=stored["headline"] and _read_claim(stored["headline"]),
        source_ids=tuple(stored["sources"]),
    )


def _read_claim(stored: Mapping[str, Any]) -> Claim:
    evidence = (
        Evidence(item, Part(part), start, words, sha256)
        for item, part, start, words, sha256 in stored.get("evidence", ())
    )
    return Claim(stored["text"], tuple(stored["items"]), tuple(evidence))


def _mail(user_id: int, which: str, **params: object) -> Script[DigestMail | None]:
    text = f"SELECT * FROM mails WHERE user_id = :user {which}"
    return (yield from value(DigestMail, sql(text, user=user_id, **params)))


class MailStore(Store):
    @reads(as_user)
    def mail(self, user_id: int, summary_id: int) -> Script[DigestMail | None]:
        return (yield from _mail(user_id, "AND summary_id = :id", id=summary_id))

    @reads(as_user)
    def latest(self, user_id: int) -> Script[DigestMail | None]:
        return (yield from _mail(user_id, "ORDER BY summary_id DESC LIMIT 1"))

    @writes(as_user)
    def begin(self, user_id: int, summary_id: int) -> Script[bool]:
        """Mark a mail as being sent, durably; False if it was marked before."""
        text = """UPDATE mails SET begun_at = now_us(), error = NULL WHERE summary_id = :id
            AND user_id = :user AND begun_at IS NULL RETURNING summary_id"""
        return (yield from exists(sql(text, id=summary_id, user=user_id)))

    @writes(as_user)
    def handed(self, user_id: int, summary_id: int) -> Script[None]:
        text = """UPDATE mails SET handed_at = now_us(), error = NULL
            WHERE summary_id = :id AND user_id = :user"""
        yield sql(text, id=summary_id, user=user_id)

    @writes(as_user)
    def note(self, user_id: int, summary_id: int, error: str, *, again: bool) -> Script[None]:
        """Store an error. With ``again``, the mail was not accepted and may be sent again."""
        text = """UPDATE mails SET error = :error,
            begun_at = CASE WHEN :again THEN NULL ELSE coalesce(begun_at, now_us()) END
            WHERE summary_id = :id AND user_id = :user"""
        yield sql(text, error=error, again=again, id=summary_id, user=user_id)
