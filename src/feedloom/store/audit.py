"""The audit trail: who changed what, the old and new value, and why."""

from feedloom.store.engine.scripts import Script, sql


def audit(
    *, actor: str, action: str, subject: str, before: str | None, after: str | None, why: str
) -> Script[None]:
    yield sql(
        "INSERT INTO audit_log (at, actor, action, subject, before_value, after_value,"
        " why) VALUES (now_us(), :actor, :action, :subject, :before, :after, :why)",
        actor=actor,
        action=action,
        subject=subject,
        before=before,
        after=after,
        why=why,
    )
