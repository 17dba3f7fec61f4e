"""Filter rules as rows; the tasks that apply them and analyse what they need."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from feedloom.model.errors import InvalidInput
from feedloom.model.reader import Rule
from feedloom.model.rules import MOST_RULES, SCORE_FIELDS, NewRule, RuleWork
from feedloom.model.work import NewTask, TaskKind
from feedloom.store.engine.decorators import Store, as_user, reads, writes
from feedloom.store.engine.scripts import WORKER, Script, sql
from feedloom.store.locks import lock_users
from feedloom.store.queries import NOW, exists, insert, number, one, update, values
from feedloom.store.queues.task_queue import add_task
from feedloom.store.values import value_of

ON_SCORES = ", ".join(f"'{field}'" for field in SCORE_FIELDS)
WANTING = f"""FROM subscriptions s JOIN users u ON u.id = s.user_id
    WHERE {{}} AND (coalesce(s.calm_titles, u.calm_titles) OR EXISTS (SELECT 1
      FROM rules r WHERE r.user_id = s.user_id AND r.enabled AND r.field IN ({ON_SCORES})
      AND (r.subscription_id IS NULL OR r.subscription_id = s.id)))"""


def queue_analyses(feed_id: int) -> Script[None]:
    """Queue an analysis of new articles if anybody wants it."""
    text = f"SELECT 1 {WANTING.format('s.feed_id = :feed')} LIMIT 1"
    if (yield from exists(sql(text, feed=feed_id))):
        yield from _queue(feed_id)


def queue_wanted(user_id: int) -> Script[None]:
    """Queue an analysis of the feeds for which a person wants it."""
    text = f"SELECT DISTINCT s.feed_id {WANTING.format('s.user_id = :user')}"
    rows = yield sql(text, user=user_id)
    for row in rows:
        if row["feed_id"] is not None:
            yield from _queue(row["feed_id"])


def _queue(feed_id: int) -> Script[None]:
    yield from add_task(NewTask(TaskKind.ANALYSE, {"feed_id": feed_id}, f"analyse:{feed_id}"))


_COLUMNS = "id, name, subscription_id, field, pattern, action, tag, enabled, last_error, inverted"
_CHANGEABLE = {*NewRule.__dataclass_fields__}
_CONCERNS = """FROM rules r JOIN subscriptions s ON s.user_id = r.user_id
    AND (r.subscription_id IS NULL OR r.subscription_id = s.id)
    WHERE s.feed_id = :feed AND r.enabled"""


def _one(user_id: int, rule_id: int) -> Script[Rule]:
    text = f"SELECT {_COLUMNS} FROM rules WHERE user_id = :user AND id = :id"
    row = yield from one(sql(text, user=user_id, id=rule_id), "Rule not found.")
    return value_of(Rule, row)


class RuleStore(Store):
    @reads(as_user)
    def rules(self, user_id: int) -> Script[list[Rule]]:
        text = f"SELECT {_COLUMNS} FROM rules WHERE user_id = :user ORDER BY position, id"
        return (yield from values(Rule, sql(text, user=user_id)))

    rule = reads(as_user).of(_one)

    @writes(as_user)
    def add(self, user_id: int, new: NewRule) -> Script[Rule]:
        """Add a rule; raise ``InvalidInput`` if there are too many."""
        yield from _check_subscription(user_id, new.subscription_id)
        # Without the lock, two concurrent requests could both add the last one.
        yield lock_users([user_id])
        text = "SELECT count(*) FROM rules WHERE user_id = :user"
        position = yield from number(sql(text, user=user_id))
        if position >= MOST_RULES:
            raise InvalidInput(f"You have {MOST_RULES} rules, which is the maximum.", field="name")
        fields = {"user_id": user_id, "position": position, "created_at": NOW, **asdict(new)}
        [row] = yield insert("rules", f"RETURNING {_COLUMNS}", **fields)
        if new.field in SCORE_FIELDS:
            yield from queue_wanted(user_id)
        return value_of(Rule, row)

    @writes(as_user)
    def change(self, user_id: int, rule_id: int, changes: Mapping[str, object]) -> Script[Rule]:
        yield from _one(user_id, rule_id)
        new: dict[str, Any] = {name: changes[name] for name in changes if name in _CHANGEABLE}
        yield from _check_subscription(user_id, new.get("subscription_id"))
        if new:
            yield update("rules", rule_id, **new)
        found = yield from _one(user_id, rule_id)
        if found.field in SCORE_FIELDS:
            yield from queue_wanted(user_id)
        return found

    @writes(as_user)
    def delete(self, user_id: int, rule_id: int) -> Script[None]:
        yield from _one(user_id, rule_id)
        yield sql("DELETE FROM rules WHERE id = :id", id=rule_id)

    @reads(WORKER)
    def work(
        self, feed_id: int, article_ids: Sequence[int], *, on_scores: bool = False
    ) -> Script[list[RuleWork]]:
        """List whose rules apply to new articles; those on scores apply to analysed ones."""
        columns = ", ".join(f"r.{name.strip()}" for name in _COLUMNS.split(","))
        text = f"SELECT r.user_id, {columns} {_CONCERNS} ORDER BY r.user_id, r.position, r.id"
        rows = yield sql(text, feed=feed_id)
        rules: dict[int, list[Rule]] = {}
        for row in rows:
            if (row["field"] in SCORE_FIELDS) == on_scores:
                rules.setdefault(row["user_id"], []).append(value_of(Rule, row))
        text = """SELECT user_id, item_no FROM article_states WHERE article_id = ANY(:ids)
            AND user_id = ANY(:users) ORDER BY item_no"""
        items = yield sql(text, ids=list(article_ids), users=list(rules))
        found: dict[int, list[int]] = {}
        for row in items:
            found.setdefault(row["user_id"], []).append(row["item_no"])
        return [
            RuleWork(user_id, tuple(rules[user_id]), tuple(item_nos))
            for user_id, item_nos in found.items()
        ]


def queue_rules(feed_id: int, article_ids: list[int]) -> Script[None]:
    """Queue the application of rules, in the transaction that stores the articles."""
    if not article_ids:
        return
    if (yield from exists(sql(f"SELECT 1 {_CONCERNS} LIMIT 1", feed=feed_id))):
        payload = {"feed_id": feed_id, "article_ids": article_ids}
        yield from add_task(NewTask(TaskKind.APPLY_RULES, payload))


def _check_subscription(user_id: int, subscription_id: int | None) -> Script[None]:
    if subscription_id is None:
        return
    text = "SELECT id FROM subscriptions WHERE user_id = :user AND id = :id"
    yield from one(sql(text, user=user_id, id=subscription_id), "Feed not found")
