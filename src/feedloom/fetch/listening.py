"""Whether a connection is listened to: nothing is read meanwhile, and nothing is lost."""

import asyncio


class Listening:
    """Stops reading, and goes on with it."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self.is_paused = False

    def pause(self) -> None:
        """Read no more, and let TLS read no further ahead than it has.

        Once it sees that the connection ended, what it did not hand on is lost.
        """
        if self._transport.is_closing():
            return
        self.is_paused = True
        self._transport.pause_reading()
        if limit := getattr(self._transport, "set_read_buffer_limits", None):
            limit(high=1, low=0)

    def resume(self) -> None:
        """Read on."""
        if not self.is_paused or self._transport.is_closing():
            return
        self.is_paused = False
        self._transport.resume_reading()
        # TLS hands on what it has in the next round of the loop, before this.
        asyncio.get_running_loop().call_soon(self._read_ahead)

    def _read_ahead(self) -> None:
        limit = getattr(self._transport, "set_read_buffer_limits", None)
        if limit is not None and not self.is_paused:
            limit()
