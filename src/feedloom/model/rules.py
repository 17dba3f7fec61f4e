"""Filter rules: patterns, and what to do with matching articles."""

from dataclasses import dataclass

from feedloom.model.reader import Rule

SCORE_FIELDS = ("clickbait", "slant")
"""What a rule may compare with a number, like ``>0.7``."""
FIELDS = ("title", "author", "content", "url", "metadata", "any", *SCORE_FIELDS)
ACTIONS = ("read", "star", "hide", "tag")
MOST_RULES = 200
"""How many rules one person may have."""


@dataclass(frozen=True, slots=True)
class NewRule:
    name: str
    field: str
    pattern: str
    action: str
    tag: str | None = None
    subscription_id: int | None = None
    """None for a rule about all feeds."""
    enabled: bool = True
    inverted: bool = False
    """It concerns what does not match."""


@dataclass(frozen=True, slots=True)
class RuleWork:
    """One person's rules that concern new articles of a feed, and those articles."""

    user_id: int
    rules: tuple[Rule, ...]
    item_nos: tuple[int, ...]
