"""Filter rules: what a person wants done with articles that match a pattern."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from feedloom.model.reading import Rule

FIELDS = ("title", "author", "content", "url", "any")
ACTIONS = ("read", "star", "hide", "tag")
MOST_RULES = 200
"""How many rules one person may have."""


@dataclass(frozen=True, slots=True)
class NewRule:
    """A rule somebody wrote, not stored yet."""

    name: str
    field: str
    pattern: str
    action: str
    tag: str | None = None
    subscription_id: int | None = None
    """None for a rule about all feeds."""
    enabled: bool = True


@dataclass(frozen=True, slots=True)
class RuleWork:
    """One person's rules that concern new articles of a feed, and those articles."""

    user_id: int
    rules: tuple[Rule, ...]
    item_nos: tuple[int, ...]


class RuleStore(Protocol):
    """A person's rules. Another person's is ``NotFound``."""

    async def rules(self, user_id: int) -> list[Rule]:
        """List a person's rules in the order they were made."""
        ...

    async def rule(self, user_id: int, rule_id: int) -> Rule:
        """Find one."""
        ...

    async def add(self, user_id: int, new: NewRule) -> Rule:
        """Keep a rule; ``InvalidInput`` when there are too many."""
        ...

    async def change(
        self, user_id: int, rule_id: int, changes: Mapping[str, object]
    ) -> Rule:
        """Change name, field, pattern, action, tag, subscription_id or enabled."""
        ...

    async def delete(self, user_id: int, rule_id: int) -> None:
        """Delete a rule; what it did stays."""
        ...

    async def work(self, feed_id: int, article_ids: Sequence[int]) -> list[RuleWork]:
        """Tell whose enabled rules concern these new articles; for workers."""
        ...
