"""Daily digests by mail: who wants them, and sending each exactly once.

    digest stored, with a row in mails | task | begun, on the disk | message | handed over

Nothing was sent before ``begun``, so whatever fails until then is tried again, ever more
seldom, for a day. After it nothing is, unless the mail server said no.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

import structlog

from feedloom.model.errors import InvalidInput, MailError, MailRefused, MailUncertain, NotFound
from feedloom.model.ports import Clock, Mailer
from feedloom.model.reader import User
from feedloom.model.work import NewTask, Task, TaskKind
from feedloom.publish import digest_mail, new_mail

if TYPE_CHECKING:
    from feedloom.store import AccountStore, MailStore, SummaryStore, TaskQueue

log = structlog.get_logger()

_WAITS = tuple(timedelta(minutes=m) for m in (1, 5, 30, 120, 360, 720))
_ASK_AGAIN = timedelta(hours=1)
_UNCERTAIN = "It is not known whether the mail server took it, so it is not sent again."
_CONFIRM = """You asked Feedloom to mail your daily digest to this address.

Open this link in the browser in which you are signed in to confirm it:
{url}

If that was not you, ignore this mail: nothing else will be sent.
"""


def wants_mail(user: User) -> bool:
    return user.settings.get("digest_mail") is True and is_confirmed(user)


def is_confirmed(user: User) -> bool:
    return user.settings.get("mail_confirmed") == user.email


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestMails:
    store: MailStore
    summaries: SummaryStore
    accounts: AccountStore
    tasks: TaskQueue
    mailer: Mailer
    clock: Clock
    sender: str
    base_url: str
    key: bytes

    async def switch(self, user: User, *, on: bool) -> None:
        """Send digests or no longer; ask for a confirmation where there is none."""
        changes: dict[str, object] = {"digest_mail": on}
        asked_at = user.settings.get("mail_asked_at")
        now = self.clock.now()
        is_new = not isinstance(asked_at, str) or (
            now - datetime.fromisoformat(asked_at) >= _ASK_AGAIN
        )
        should_ask = on and not is_confirmed(user) and is_new
        if should_ask:
            changes["mail_asked_at"] = now.isoformat()
        await self.accounts.save_settings(user.id, changes)
        if should_ask:
            key = f"mail-confirm:{user.id}"
            await self.tasks.add(NewTask(TaskKind.MAIL, {}, key, user.id))

    async def confirm(self, user: User, token: str) -> None:
        if not self._is_token(token, "confirm", user):
            raise InvalidInput("This link is for another account or address.")
        changes = {"mail_confirmed": user.email, "digest_mail": True}
        await self.accounts.save_settings(user.id, changes)

    async def stop(self, user_id: int, token: str) -> None:
        """Send no more to whoever holds the link of one of the mails."""
        await self.check_stop(user_id, token)
        await self.accounts.save_settings(user_id, {"digest_mail": False})

    async def check_stop(self, user_id: int, token: str) -> None:
        """Raise ``NotFound`` unless a mail has this link."""
        user = await self.accounts.by_id(user_id)
        if user is None or not self._is_token(token, "stop", user):
            raise NotFound

    async def run(self, task: Task) -> Mapping[str, object]:
        """Do a ``mail`` task: one digest, or without one the question for a confirmation."""
        user = await self.accounts.by_id(task.user_id or 0)
        if user is None or user.disabled_at is not None:
            return {"sent": False}
        summary_id = task.payload.get("summary_id")
        try:
            if isinstance(summary_id, int):
                return {"sent": await self._send(user, summary_id)}
            return {"sent": await self._ask(user)}
        except (MailRefused, MailUncertain) as error:
            log.warning("mail_given_up", user=user.id, why=str(error))
            return {"sent": False, "why": str(error)}
        except MailError as error:
            return await self._put_off(task, error)

    async def _send(self, user: User, summary_id: int) -> bool:
        mail = await self.store.mail(user.id, summary_id)
        note = partial(self.store.note, user.id, summary_id)
        if mail is None or mail.handed_at is not None or not wants_mail(user):
            return False
        if mail.begun_at is not None:
            # The worker ended while it handed the mail over, or another one does that now.
            await note(mail.error or _UNCERTAIN, again=False)
            return False
        summary = await self.summaries.summary(user.id, summary_id)
        try:
            message = digest_mail(
                summary,
                sender=self.sender,
                to=user.email,
                message_id=mail.message_id,
                page_url=f"{self.base_url}/digest/{summary_id}",
                stop_url=f"{self.base_url}/mail/stop/{user.id}/{self._token('stop', user)}",
            )
            begin = partial(self.store.begin, user.id, summary_id)
            sent = await self.mailer.send(user.email, message, begin)
        except MailError as error:
            is_final = isinstance(error, MailUncertain | MailRefused)
            said = _UNCERTAIN if isinstance(error, MailUncertain) else str(error)
            await note(said, again=not is_final)
            raise
        if sent:
            await self.store.handed(user.id, summary_id)
        return sent

    async def _ask(self, user: User) -> bool:
        if is_confirmed(user):
            return False
        mail = new_mail(
            self.sender,
            user.email,
            at=self.clock.now(),
            message_id=new_message_id(self.sender),
            subject="Confirm your address for daily digests",
        )
        url = f"{self.base_url}/digest/mail?confirm={self._token('confirm', user)}"
        mail.set_content(_CONFIRM.format(url=url))

        async def begin() -> bool:
            return True

        return await self.mailer.send(user.email, mail.as_bytes(), begin)

    async def _put_off(self, task: Task, error: MailError) -> Mapping[str, object]:
        tried = task.payload.get("tried")
        tried = tried if isinstance(tried, int) else 0
        if tried >= len(_WAITS):
            log.warning("mail_given_up", user=task.user_id, why=str(error))
            return {"sent": False, "why": str(error)}
        log.warning("mail_put_off", user=task.user_id, tried=tried + 1, why=str(error))
        payload, run_at = {**task.payload, "tried": tried + 1}, self.clock.now() + _WAITS[tried]
        key = f"mail-later:{task.user_id}:{task.payload.get('summary_id')}:{tried}"
        await self.tasks.add(NewTask(TaskKind.MAIL, payload, key, task.user_id, run_at))
        return {"sent": False, "why": str(error)}

    def _token(self, purpose: str, user: User) -> str:
        said = f"{purpose} digests by mail {user.id} {user.email}"
        return hmac.digest(self.key, said.encode(), hashlib.sha256).hex()[:40]

    def _is_token(self, given: str, purpose: str, user: User) -> bool:
        return hmac.compare_digest(given.encode(), self._token(purpose, user).encode())


def new_message_id(sender: str) -> str:
    return f"<{secrets.token_hex(16)}@{sender.rpartition('@')[2]}>"
