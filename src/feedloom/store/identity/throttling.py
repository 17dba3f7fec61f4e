"""Throttling: how often somebody failed, and until when they are kept out.

Steps for ``AccountStore``; a bucket is an account or an address, named by the caller.
"""

from datetime import datetime

from feedloom.store.engine.steps import Steps, sql
from feedloom.store.times import from_us


def blocked_until(bucket: str) -> Steps[datetime | None]:
    """Tell until when a bucket is blocked."""
    rows = yield sql(
        "SELECT blocked_until FROM throttle WHERE bucket = :bucket"
        " AND blocked_until > now_us()",
        bucket=bucket,
    )
    return from_us(rows[0]["blocked_until"]) if rows else None


def note_failure(bucket: str, *, free: int, window_s: int, block_s: int) -> Steps[None]:
    """Count a failed try; past ``free`` tries block for growing times."""
    window, block = window_s * 1_000_000, block_s * 1_000_000
    rows = yield sql(
        "INSERT INTO throttle (bucket, failures, blocked_until, forget_at)"
        " VALUES (:bucket, 1, 0, now_us() + :window) ON CONFLICT (bucket) DO UPDATE SET"
        " failures = CASE WHEN throttle.forget_at < now_us() THEN 1"
        "   ELSE throttle.failures + 1 END,"
        # The window is fixed: a program with an old password, trying now and then for
        # ever, must not keep its owner out.
        " forget_at = CASE WHEN throttle.forget_at < now_us() THEN now_us() + :window"
        "   ELSE throttle.forget_at END"
        " RETURNING failures",
        bucket=bucket,
        window=window,
    )
    failures: int = rows[0]["failures"]
    if failures >= free:
        yield sql(
            "UPDATE throttle SET blocked_until = now_us() + :block,"
            " forget_at = now_us() + :block + :window WHERE bucket = :bucket",
            block=min(block * 2 ** min(failures - free, 8), 3600 * 1_000_000),
            window=window,
            bucket=bucket,
        )


def forget_failures(bucket: str) -> Steps[None]:
    """Start counting anew after a success."""
    yield sql("DELETE FROM throttle WHERE bucket = :bucket", bucket=bucket)
