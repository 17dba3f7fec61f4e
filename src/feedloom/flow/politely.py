"""A fetcher that waits its turn: politeness for pages, icons, hubs and candidates.

Feeds are held back by the queue that hands them out; everything else passes here. The
discovery of one site may burst and pays for it afterwards.
"""

import asyncio
import secrets
from dataclasses import dataclass

from feedloom.model.errors import BadAddress, BlockedAddress, TimedOut
from feedloom.model.ports import Fetcher, HostGate
from feedloom.model.stages import Ask, Fetched, Sink
from feedloom.model.urls import host_key

_LONGEST_WAIT_S = 60.0
_OURS = {Sink.MODEL, Sink.EXTRACTOR, Sink.OIDC, Sink.ALERT}
"""Services an operator chose: not publishers, not spared."""


@dataclass(frozen=True, slots=True)
class PoliteFetcher:
    """Implements ``Fetcher`` in front of another one."""

    fetcher: Fetcher
    gate: HostGate

    async def fetch(self, ask: Ask) -> Fetched:
        """Send a request when its host may be asked; ``TimedOut`` after a minute."""
        if ask.sink in _OURS:
            return await self.fetcher.fetch(ask)
        try:
            host = host_key(ask.url)
        except BadAddress as error:
            raise BlockedAddress from error
        if ask.sink is Sink.DISCOVERY:
            await self.gate.enter(host, "", burst=True)
            return await self.fetcher.fetch(ask)
        token = secrets.token_hex(8)
        await self._wait_turn(host, token)
        try:
            return await self.fetcher.fetch(ask)
        finally:
            await self.gate.leave(host, token)

    async def close(self) -> None:
        """Close the fetcher behind."""
        await self.fetcher.close()

    async def _wait_turn(self, host: str, token: str) -> None:
        try:
            async with asyncio.timeout(_LONGEST_WAIT_S):
                wait_s = await self.gate.enter(host, token)
                while wait_s:
                    await asyncio.sleep(wait_s)
                    wait_s = await self.gate.enter(host, token)
        except TimeoutError as error:
            raise TimedOut("The server is busy with other requests of ours.") from error
