"""Digests by mail: each is sent at most once, even if the worker crashes."""

from feedloom.model.distilled.digests import DigestMail
from feedloom.model.work import NewTask, TaskKind
from feedloom.store.engine.decorators import Store, as_user, reads, writes
from feedloom.store.engine.scripts import Script, sql
from feedloom.store.queues.task_queue import add_task
from feedloom.store.values import value_of

_COLUMNS = "summary_id, message_id, begun_at, handed_at, error"


def queue_mail(user_id: int, summary_id: int, message_id: str) -> Script[None]:
    """Have a new digest sent; part of storing it."""
    yield sql(
        "INSERT INTO mails (summary_id, user_id, message_id) VALUES (:id, :user, :message)",
        id=summary_id,
        user=user_id,
        message=message_id,
    )
    key = f"mail:{summary_id}"
    yield from add_task(NewTask(TaskKind.MAIL, {"summary_id": summary_id}, key, user_id))


class MailStore(Store):
    @reads(as_user)
    def mail(self, user_id: int, summary_id: int) -> Script[DigestMail | None]:
        rows = yield sql(
            f"SELECT {_COLUMNS} FROM mails WHERE summary_id = :id AND user_id = :user",
            id=summary_id,
            user=user_id,
        )
        return value_of(DigestMail, rows[0]) if rows else None

    @reads(as_user)
    def latest(self, user_id: int) -> Script[DigestMail | None]:
        rows = yield sql(
            f"SELECT {_COLUMNS} FROM mails WHERE user_id = :user ORDER BY summary_id DESC LIMIT 1",
            user=user_id,
        )
        return value_of(DigestMail, rows[0]) if rows else None

    @writes(as_user)
    def begin(self, user_id: int, summary_id: int) -> Script[bool]:
        """Begin to hand a mail over; False when somebody did. On the disk when it returns."""
        rows = yield sql(
            "UPDATE mails SET begun_at = now_us(), error = NULL WHERE summary_id = :id"
            " AND user_id = :user AND begun_at IS NULL RETURNING summary_id",
            id=summary_id,
            user=user_id,
        )
        return bool(rows)

    @writes(as_user)
    def handed(self, user_id: int, summary_id: int) -> Script[None]:
        yield sql(
            "UPDATE mails SET handed_at = now_us(), error = NULL"
            " WHERE summary_id = :id AND user_id = :user",
            id=summary_id,
            user=user_id,
        )

    @writes(as_user)
    def note(self, user_id: int, summary_id: int, error: str, *, again: bool) -> Script[None]:
        """Note what went wrong; with ``again`` the mail was not taken and may be begun."""
        yield sql(
            "UPDATE mails SET error = :error,"
            " begun_at = CASE WHEN :again THEN NULL ELSE coalesce(begun_at, now_us()) END"
            " WHERE summary_id = :id AND user_id = :user",
            error=error,
            again=again,
            id=summary_id,
            user=user_id,
        )
