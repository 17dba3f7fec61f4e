"""Ending lines so that nothing of them is left when their loop ends."""

import asyncio
from collections.abc import Mapping
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


class TidyLoop(asyncio.SelectorEventLoop):
    """A loop that ends with its lines.

    A line that was closed, but had something left to send, would stay half closed for
    ever, and be reported later as a leak of whatever test runs then. One that nobody
    closed is left as it is: that is a leak.
    """

    _transports: Mapping[int, asyncio.Transport]

    def close(self) -> None:
        if not self.is_closed() and not self.is_running():
            for line in list(self._transports.values()):
                if line.is_closing() and line.get_write_buffer_size():
                    line.abort()
            self.run_until_complete(asyncio.sleep(0))
        super().close()
