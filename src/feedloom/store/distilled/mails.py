"""Digests by mail: each is sent at most once, even if the worker crashes."""

from feedloom.model.distilled.digests import DigestMail
from feedloom.model.work import NewTask, TaskKind
from feedloom.store.engine.decorators import Store, as_user, reads, writes
from feedloom.store.engine.scripts import Script, sql
from feedloom.store.queries import exists, insert, value
from feedloom.store.queues.task_queue import add_task

_COLUMNS = "summary_id, message_id, begun_at, handed_at, error"


def queue_mail(user_id: int, summary_id: int, message_id: str) -> Script[None]:
    """Queue the mail of a new digest, in the transaction that stores it."""
    yield insert("mails", summary_id=summary_id, user_id=user_id, message_id=message_id)
    key = f"mail:{summary_id}"
    yield from add_task(NewTask(TaskKind.MAIL, {"summary_id": summary_id}, key, user_id))


def _mail(user_id: int, which: str, **params: object) -> Script[DigestMail | None]:
    text = f"SELECT {_COLUMNS} FROM mails WHERE user_id = :user {which}"
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
        begun = sql(
            "UPDATE mails SET begun_at = now_us(), error = NULL WHERE summary_id = :id"
            " AND user_id = :user AND begun_at IS NULL RETURNING summary_id",
            id=summary_id,
            user=user_id,
        )
        return (yield from exists(begun))

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
        """Store an error. With ``again``, the mail was not accepted and may be sent again."""
        yield sql(
            "UPDATE mails SET error = :error,"
            " begun_at = CASE WHEN :again THEN NULL ELSE coalesce(begun_at, now_us()) END"
            " WHERE summary_id = :id AND user_id = :user",
            error=error,
            again=again,
            id=summary_id,
            user=user_id,
        )
