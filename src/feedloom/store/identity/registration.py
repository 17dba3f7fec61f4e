"""Who may create accounts: the operator's choice, and invitations."""

from datetime import datetime

from feedloom.model.errors import NotAllowed, NotFound
from feedloom.model.registration import Invitation, RegistrationChoice
from feedloom.store.engine.decorators import OPERATOR, Store, reads, writes
from feedloom.store.engine.scripts import Scope, Script, sql
from feedloom.store.times import to_us
from feedloom.store.values import value_of

_OPEN = "used_at IS NULL AND expires_at > now_us()"


class RegistrationStore(Store):
    @reads(Scope())
    def choice(self) -> Script[RegistrationChoice | None]:
        rows = yield sql(
            "SELECT key, value FROM installation WHERE key IN ('registration', 'registration_code')"
        )
        found = {row["key"]: row["value"] for row in rows}
        mode = found.get("registration")
        return mode and RegistrationChoice(mode, found.get("registration_code", ""))

    @writes(OPERATOR)
    def choose(self, choice: RegistrationChoice) -> Script[None]:
        for key, value in (("registration", choice.mode), ("registration_code", choice.code)):
            yield sql(
                "INSERT INTO installation (key, value) VALUES (:key, :value)"
                " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                key=key,
                value=value,
            )

    @writes(OPERATOR)
    def add_invitation(self, token_hash: str, label: str, expires_at: datetime) -> Script[None]:
        yield sql("DELETE FROM invitations WHERE expires_at <= now_us()")
        yield sql(
            "INSERT INTO invitations (token_hash, label, created_at, expires_at)"
            " VALUES (:token, :label, now_us(), :expires)",
            token=token_hash,
            label=label,
            expires=to_us(expires_at),
        )

    @reads(OPERATOR)
    def invitations(self) -> Script[list[Invitation]]:
        rows = yield sql(f"SELECT * FROM invitations WHERE {_OPEN} ORDER BY id DESC")
        return [value_of(Invitation, row) for row in rows]

    @reads(Scope())
    def is_invited(self, token_hash: str) -> Script[bool]:
        rows = yield sql(
            f"SELECT 1 AS x FROM invitations WHERE token_hash = :token AND {_OPEN}",
            token=token_hash,
        )
        return bool(rows)

    @writes(OPERATOR)
    def revoke_invitation(self, invitation_id: int) -> Script[None]:
        """Withdraw an invitation; ``NotFound`` when it cannot be used any more."""
        rows = yield sql(
            f"DELETE FROM invitations WHERE id = :id AND {_OPEN} RETURNING id", id=invitation_id
        )
        if not rows:
            raise NotFound("Invitation not found.")


def use_invitation(token_hash: str) -> Script[None]:
    """Use an invitation up inside a caller's transaction; ``NotAllowed`` if it is void."""
    rows = yield sql(
        "UPDATE invitations SET used_at = now_us() WHERE token_hash = :token"
        f" AND {_OPEN} RETURNING id",
        token=token_hash,
    )
    if not rows:
        raise NotAllowed("This invitation has already been used or has expired.")
