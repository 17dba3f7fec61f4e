"""Who may create accounts, and invitations."""

from dataclasses import dataclass
from datetime import datetime

MODES = ("open", "invite", "code", "closed")
"""Who may register: everyone, by invitation, with a code, nobody."""


@dataclass(frozen=True, slots=True)
class RegistrationChoice:
    mode: str
    code: str = ""


@dataclass(frozen=True, slots=True)
class Invitation:
    id: int
    label: str
    created_at: datetime
    expires_at: datetime
