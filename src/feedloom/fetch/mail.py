"""Mail out: a finished message to the SMTP server that the operator named.

That host is reached whatever its address is, as other named hosts are. Certificates are
verified, and a server that should encrypt but does not gets no mail.
"""

import ssl
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from aiosmtplib import (
    SMTP,
    SMTPDataError,
    SMTPException,
    SMTPRecipientRefused,
    SMTPResponseException,
)

from feedloom.model.errors import MailError, MailRefused, MailUncertain

_TIMEOUT_S = 30.0
_PERMANENT = 500


@dataclass(frozen=True)
class SMTPMailer:
    host: str
    port: int
    tls: str
    """starttls, tls or none."""
    sender: str
    user: str = ""
    password: str = field(default="", repr=False)

    async def send(
        self, recipient: str, message: bytes, begin: Callable[[], Awaitable[bool]]
    ) -> bool:
        """Hand one message over; False if ``begin`` says that somebody did already.

        ``begin`` is asked when all but the message itself was agreed on: up to then nothing
        was sent. Raises ``MailRefused`` for what will never be taken, ``MailUncertain`` when
        it may have been taken, and ``MailError`` when it may be tried again.
        """
        begun = handed = False
        try:
            async with self._smtp as smtp:
                await smtp.mail(self.sender)
                await smtp.rcpt(recipient)
                begun = await begin()
                if begun:
                    await smtp.data(message)
                    handed = True
        except SMTPResponseException as error:
            is_final = isinstance(error, SMTPRecipientRefused | SMTPDataError)
            kind = MailRefused if is_final and error.code >= _PERMANENT else MailError
            raise kind(f"The mail server answered: {error.code} {error.message}") from error
        except (SMTPException, OSError, ValueError) as error:
            if not handed:  # What goes wrong after that is no matter.
                kind = MailUncertain if begun else MailError
                raise kind(f"The mail server cannot be reached: {error}") from error
        return begun

    async def check(self) -> str:
        """Sign in at the server without sending anything; raise ``MailError``."""
        try:
            async with self._smtp as smtp:
                await smtp.noop()
        except (SMTPException, OSError, ValueError) as error:
            raise MailError(f"{self.host}:{self.port}: {error}") from error
        return f"{self.host}:{self.port} takes mail from {self.sender}."

    @property
    def _smtp(self) -> SMTP:
        return SMTP(
            hostname=self.host,
            port=self.port,
            username=self.user or None,
            password=self.password or None,
            use_tls=self.tls == "tls",
            start_tls=self.tls == "starttls",
            tls_context=None if self.tls == "none" else ssl.create_default_context(),
            # Not the machine's own name, which is nobody's business.
            local_hostname=self.sender.rpartition("@")[2],
            timeout=_TIMEOUT_S,
        )
