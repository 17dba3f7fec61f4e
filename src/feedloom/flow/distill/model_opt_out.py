"""The offline engine for people who opted out of language models.

In go a person's articles or page; out comes what either engine made of it. The wish is
looked up each time, and where it cannot be (the person is gone) nothing leaves either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from feedloom.model.distilled.requests import Digest, DigestArticle, PageSummary, PageToSummarise
from feedloom.model.reader import User

if TYPE_CHECKING:
    from feedloom.distill import Engine
    from feedloom.store import AccountStore

SETTING = "no_language_model"
"""The name of the wish among a person's settings."""


@dataclass(frozen=True, slots=True)
class ModelOptOut:
    """A ``Digester`` and ``Summariser`` that does as each person wants."""

    accounts: AccountStore
    engine: Engine
    offline: Engine

    async def digest(
        self, articles: Sequence[DigestArticle], language: str, *, user_id: int | None = None
    ) -> Digest:
        engine = await self._chosen(user_id)
        return await engine.digester.digest(articles, language, user_id=user_id)

    async def summarise(self, page: PageToSummarise, *, user_id: int | None = None) -> PageSummary:
        engine = await self._chosen(user_id)
        return await engine.summariser.summarise(page, user_id=user_id)

    async def _chosen(self, user_id: int | None) -> Engine:
        person = None if user_id is None else await self.accounts.by_id(user_id)
        return self.offline if person is None or wants_no_model(person) else self.engine


def wants_no_model(person: User) -> bool:
    return person.settings.get(SETTING) is True
