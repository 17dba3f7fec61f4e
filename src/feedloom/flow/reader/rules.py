"""Filter rules: patterns in, marks on articles out; now, on arrival, or as a dry run.

Patterns are run by RE2, whose time grows with the text and never faster: no pattern can
keep a worker busy. What RE2 cannot express (back references, look-around) is refused
when the rule is written.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Protocol, cast

import re2  # type: ignore[import-untyped]  # it has no types
import structlog

from feedloom.markup import to_text
from feedloom.model.errors import InvalidInput
from feedloom.model.reader import Article, Order, Rule, Wanted
from feedloom.model.rules import ACTIONS, FIELDS, SCORE_FIELDS, NewRule
from feedloom.model.search_query import read_comparison
from feedloom.model.work import NewTask, Task, TaskKind

if TYPE_CHECKING:
    from feedloom.store import ReadingStore, RuleStore, TaskQueue

log = structlog.get_logger()

LONGEST_PATTERN = 500
_LONGEST_NAME = 255
_LONGEST_TEXT = 100_000
_MEMORY = 4_000_000
_BATCH = 100
_PREVIEWED = 500
_SHOWN = 20
_JOINT_FIELDS = {
    "any": ("title", "author", "content", "url"),
    "metadata": ("title", "author", "url"),
}
_MARKS = {"read": "read", "star": "starred", "hide": "hidden"}

_SHORTS = NewRule("No Shorts", "url", r"^https?://(?:www\.|m\.)?youtube\.com/shorts/", "hide")


class Pattern(Protocol):
    def search(self, text: str) -> object | None: ...


def compile_pattern(text: str) -> Pattern:
    """Compile a pattern, whatever its letters' case; ``InvalidInput`` says what is wrong."""
    if not text:
        raise InvalidInput("A rule needs a pattern", field="pattern")
    if len(text) > LONGEST_PATTERN:
        raise InvalidInput(
            f"The pattern must be at most {LONGEST_PATTERN} characters", field="pattern"
        )
    options = re2.Options()
    options.max_mem = _MEMORY
    options.case_sensitive = False
    options.log_errors = False
    try:
        pattern: Pattern = re2.compile(text, options)
    except (re2.error, UnicodeError) as error:
        why = error.args[0] if error.args else ""
        said = why.decode("utf-8", "replace") if isinstance(why, bytes) else str(why)
        raise InvalidInput(f"The pattern is not valid: {said}", field="pattern") from error
    return pattern


def check_rule(new: NewRule) -> NewRule:
    """Return a rule as it is stored; ``InvalidInput`` names the field that is wrong."""
    name = " ".join(new.name.split())
    tag = " ".join((new.tag or "").split()) or None
    if new.field not in FIELDS:
        raise InvalidInput("Choose what the rule checks", field="field")
    if new.action not in ACTIONS:
        raise InvalidInput("Choose what the rule does", field="action")
    if len(name) > _LONGEST_NAME or len(tag or "") > _LONGEST_NAME:
        raise InvalidInput("Names must be at most 255 characters", field="name")
    if new.action == "tag" and tag is None:
        raise InvalidInput("Enter a tag", field="tag")
    matcher(new.field, new.pattern)
    used_tag = tag if new.action == "tag" else None
    return replace(new, name=name or new.pattern[:80], tag=used_tag)


def matcher(field: str, pattern: str) -> Callable[[Article], bool]:
    """Return a rule's condition; ``InvalidInput`` says what is wrong with it."""
    if field not in SCORE_FIELDS:
        compiled = compile_pattern(pattern)
        return lambda article: any(compiled.search(t) for t in _texts(field, article))
    found = read_comparison(pattern)
    if found is None:
        raise InvalidInput("Write a score as >0.7 or <0.3", field="pattern")
    is_above, limit = found

    def is_match(article: Article) -> bool:
        score: float | None = getattr(article, field)
        if score is None:
            return False
        return score > limit if is_above else score < limit

    return is_match


def _texts(field: str, article: Article) -> list[str]:
    found = {
        "title": lambda: article.title,
        "author": lambda: article.author or "",
        "content": lambda: to_text(article.content),
        "url": lambda: article.url,
    }
    names = _JOINT_FIELDS.get(field, (field,))
    texts = [found[name]()[:_LONGEST_TEXT] for name in names]
    return [*texts, *article.categories] if field == "metadata" else texts


@dataclass(frozen=True, slots=True)
class Preview:
    looked_at: int
    matched: int
    articles: tuple[Article, ...]
    """Some of those it matches, newest first."""


@dataclass(frozen=True, slots=True)
class Rules:
    store: RuleStore
    reading: ReadingStore
    tasks: TaskQueue

    async def add(self, user_id: int, new: NewRule) -> Rule:
        return await self.store.add(user_id, check_rule(new))

    async def change(self, user_id: int, rule_id: int, new: NewRule) -> Rule:
        return await self.store.change(user_id, rule_id, asdict(check_rule(new)))

    async def preview(self, user_id: int, new: NewRule) -> Preview:
        checked = check_rule(new)
        is_match = matcher(checked.field, checked.pattern)
        wanted = Wanted(
            subscription_id=new.subscription_id,
            order=Order.ITEM_DESC,
            limit=_PREVIEWED,
            with_content=new.field in {"content", "any"},
        )
        page = await self.reading.articles(user_id, wanted)
        found = await asyncio.to_thread(_matching, is_match, new, page.articles)
        return Preview(len(page.articles), len(found), tuple(found[:_SHOWN]))

    async def reapply(self, user_id: int, rule_id: int | None = None) -> int:
        if rule_id is not None:
            await self.store.rule(user_id, rule_id)
        key = f"rules:{user_id}:{rule_id or 'all'}"
        task = NewTask(TaskKind.APPLY_RULES, {"rule_id": rule_id}, key, user_id)
        return await self.tasks.add(task)

    async def shorts_rule(self, user_id: int, subscription_id: int) -> Rule | None:
        """Return the rule that leaves out the Shorts of a YouTube channel, if there is one."""
        wanted = (subscription_id, _SHORTS.field, _SHORTS.pattern, _SHORTS.action, True)
        for rule in await self.store.rules(user_id):
            found = (rule.subscription_id, rule.field, rule.pattern, rule.action, rule.enabled)
            if found == wanted:
                return rule
        return None

    async def leave_out_shorts(self, user_id: int, subscription_id: int, *, wanted: bool) -> None:
        """Dismiss the Shorts of a channel, old and new; or stop doing so."""
        rule = await self.shorts_rule(user_id, subscription_id)
        if wanted and rule is None:
            rule = await self.add(user_id, replace(_SHORTS, subscription_id=subscription_id))
            await self.reapply(user_id, rule.id)
        elif rule is not None and not wanted:
            await self.store.delete(user_id, rule.id)

    async def run(self, task: Task) -> Mapping[str, object]:
        if task.user_id is not None:
            return await self._run_over_all(task, task.user_id)
        matched = 0
        feed_id, article_ids = task.payload["feed_id"], task.payload["article_ids"]
        if not isinstance(feed_id, int) or not isinstance(article_ids, list):
            return {"matched": 0}
        on_scores = task.payload.get("on_scores") is True
        for work in await self.store.work(feed_id, article_ids, on_scores=on_scores):
            wanted = Wanted(
                item_nos=work.item_nos,
                order=Order.ITEM_ASC,
                limit=len(work.item_nos),
                with_content=True,
            )
            page = await self.reading.articles(work.user_id, wanted)
            matched += await self._apply(work.user_id, work.rules, page.articles)
        return {"matched": matched}

    async def _run_over_all(self, task: Task, user_id: int) -> Mapping[str, object]:
        wanted_rule = task.payload.get("rule_id")
        rules = [
            rule
            for rule in await self.store.rules(user_id)
            if (rule.enabled if wanted_rule is None else rule.id == wanted_rule)
        ]
        done = cast("Mapping[str, int]", task.progress or {})
        looked_at, matched, after = (
            done.get(name, 0) for name in ("looked_at", "matched", "after")
        )
        wanted = Wanted(order=Order.ITEM_ASC, limit=_BATCH, with_content=True)
        while True:
            page = await self.reading.articles(user_id, replace(wanted, after_item=after))
            if not page.articles:
                return {"looked_at": looked_at, "matched": matched}
            matched += await self._apply(user_id, rules, page.articles)
            looked_at += len(page.articles)
            after = page.articles[-1].item_no
            progress = {"looked_at": looked_at, "matched": matched, "after": after}
            await self.tasks.progress(task, progress)

    async def _apply(self, user_id: int, rules: Sequence[Rule], articles: Sequence[Article]) -> int:
        found: set[int] = set()
        for rule in rules:
            of_rule = [a for a in articles if rule.subscription_id in {None, a.subscription_id}]
            is_match = matcher(rule.field, rule.pattern)
            matched = await asyncio.to_thread(_matching, is_match, rule, of_rule)
            item_nos = [article.item_no for article in matched]
            found.update(item_nos)
            if item_nos and rule.action == "tag":
                try:
                    await self.reading.tag(user_id, item_nos, rule.tag or "")
                except InvalidInput as error:
                    # Somebody with too many tags: their other rules still do their part.
                    log.warning("rule_tag_refused", rule_id=rule.id, why=str(error))
            elif item_nos:
                # Not one by one: what a rule does says nothing about what its owner likes.
                wanted = Wanted(item_nos=tuple(item_nos), include_hidden=True)
                await self.reading.mark_all(user_id, wanted, _MARKS[rule.action])
        return len(found)


def _matching(
    is_match: Callable[[Article], bool], rule: NewRule | Rule, articles: Sequence[Article]
) -> list[Article]:
    return [article for article in articles if is_match(article) != rule.inverted]
