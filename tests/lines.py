"""Ending a line so that nothing of it is left when its loop ends."""

import asyncio
from contextlib import suppress

_PATIENCE_S = 1.0


async def hang_up(writer: asyncio.StreamWriter) -> None:
    """Close a line; what the other side does not take in a moment is thrown away."""
    writer.close()
    try:
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(_PATIENCE_S):
                await writer.wait_closed()
    finally:
        writer.transport.abort()
