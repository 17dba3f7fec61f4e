"""A real mail server on loopback: keeps what it takes, refuses or kills at a named step."""

import os
import signal
import socket
import ssl
from email import message_from_bytes, policy
from email.message import EmailMessage
from types import TracebackType
from typing import Self

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

HOST = "127.0.0.1"


class MailServer:
    """Mail that arrived is in ``mails``; ``answers`` are given in place of 250, by step."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.mails: list[EmailMessage] = []
        self.answers: dict[str, str] = {}
        self.kill: tuple[str, int] | None = None
        """At which step which process is killed."""
        with socket.socket() as free:
            free.bind((HOST, 0))
            self.port: int = free.getsockname()[1]
        self._controller = Controller(
            self, hostname=HOST, port=self.port, tls_context=tls, require_starttls=tls is not None
        )

    def __enter__(self) -> Self:
        self._controller.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._controller.stop()

    @property
    def settings(self) -> dict[str, object]:
        """What a container needs to send mail here."""
        return {
            "smtp_host": HOST,
            "smtp_port": self.port,
            "smtp_tls": "none",
            "smtp_from": "feedloom@feeds.example",
            "base_url": "http://feeds.example",
        }

    async def handle_EHLO(  # noqa: N802
        self, _: SMTP, session: Session, __: Envelope, name: str, responses: list[str]
    ) -> list[str]:
        session.host_name = name
        self._reach("EHLO")
        return responses

    async def handle_MAIL(  # noqa: N802
        self, _: SMTP, __: Session, envelope: Envelope, address: str, ___: list[str]
    ) -> str:
        envelope.mail_from = address
        return self._reach("MAIL")

    async def handle_RCPT(  # noqa: N802
        self, _: SMTP, __: Session, envelope: Envelope, address: str, ___: list[str]
    ) -> str:
        envelope.rcpt_tos.append(address)
        return self._reach("RCPT")

    async def handle_DATA(self, _: SMTP, __: Session, envelope: Envelope) -> str:  # noqa: N802
        answer = self.answers.get("DATA", "250 OK")
        if answer.startswith("250"):
            assert isinstance(envelope.content, bytes)
            mail = message_from_bytes(envelope.content, policy=policy.default)
            self.mails.append(mail)
        return self._reach("DATA")

    def _reach(self, step: str) -> str:
        if self.kill is not None and self.kill[0] == step:
            os.kill(self.kill[1], signal.SIGKILL)
            self.kill = None
        return self.answers.get(step, "250 OK")
