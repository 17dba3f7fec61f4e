"""Throttling: how often somebody failed, and until when they are kept out.

Scripts for ``AccountStore``; a bucket is a counter, named by the caller.
"""

from datetime import datetime

from feedloom.store.engine.scripts import Script, sql
from feedloom.store.times import from_us

LONGEST_BLOCK_S = 900
_ADDRESSES_KEPT = 20
_ADDRESS_LIFE_US = 90 * 86_400 * 1_000_000


def blocked_until(bucket: str) -> Script[datetime | None]:
    rows = yield sql(
        "SELECT blocked_until FROM throttle WHERE bucket = :bucket AND blocked_until > now_us()",
        bucket=bucket,
    )
    return from_us(rows[0]["blocked_until"]) if rows else None


def note_failure(bucket: str, *, free: int, window_s: int, block_s: int) -> Script[int]:
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
            block=min(block * 2 ** min(failures - free, 8), LONGEST_BLOCK_S * 1_000_000),
            window=window,
            bucket=bucket,
        )
    return failures


def knows_address(user_id: int, address: str) -> Script[bool]:
    rows = yield sql(
        "SELECT 1 AS x FROM known_addresses WHERE user_id = :user"
        " AND address = :address AND seen_at > now_us() - :life",
        user=user_id,
        address=address,
        life=_ADDRESS_LIFE_US,
    )
    return bool(rows)


def note_address(user_id: int, address: str) -> Script[None]:
    """Remember where somebody signed in from; only the last few are kept."""
    yield sql(
        "INSERT INTO known_addresses (user_id, address, seen_at)"
        " VALUES (:user, :address, now_us()) ON CONFLICT (user_id, address)"
        " DO UPDATE SET seen_at = excluded.seen_at",
        user=user_id,
        address=address,
    )
    yield sql(
        "DELETE FROM known_addresses WHERE user_id = :user AND (seen_at <="
        " now_us() - :life OR address NOT IN (SELECT address FROM known_addresses"
        " WHERE user_id = :user ORDER BY seen_at DESC, address LIMIT :kept))",
        user=user_id,
        life=_ADDRESS_LIFE_US,
        kept=_ADDRESSES_KEPT,
    )


def forget_failures(bucket: str) -> Script[None]:
    yield sql("DELETE FROM throttle WHERE bucket = :bucket", bucket=bucket)
