"""Filter rules as rows, and the tasks that apply them to what arrives."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from feedloom.model.errors import InvalidInput
from feedloom.model.reader import Rule
from feedloom.model.rules import MOST_RULES, SCORE_FIELDS, NewRule, RuleWork
from feedloom.model.work import NewTask, TaskKind
from feedloom.store.engine.decorators import Store, as_user, reads, writes
from feedloom.store.engine.scripts import WORKER, Script, sql
from feedloom.store.ingest.wanted import queue_wanted
from feedloom.store.locks import lock_users
from feedloom.store.queries import NOW, exists, insert, number, one, update, values
from feedloom.store.queues.task_queue import add_task
from feedloom.store.values import value_of

_COLUMNS = "id, name, subscription_id, field, pattern, action, tag, enabled, last_error, inverted"
_CHANGEABLE = {*NewRule.__dataclass_fields__}
_CONCERNS = (
    " FROM rules r JOIN subscriptions s ON s.user_id = r.user_id"
    " AND (r.subscription_id IS NULL OR r.subscription_id = s.id)"
    " WHERE s.feed_id = :feed AND r.enabled"
)


def _one(user_id: int, rule_id: int) -> Script[Rule]:
    text = f"SELECT {_COLUMNS} FROM rules WHERE user_id = :user AND id = :id"
    row = yield from one(sql(text, user=user_id, id=rule_id), "Rule not found.")
    return value_of(Rule, row)


def _change(user_id: int, rule_id: int, changes: Mapping[str, object]) -> Script[Rule]:
    yield from _one(user_id, rule_id)
    values = {name: value for name, value in changes.items() if name in _CHANGEABLE}
    wanted = values.get("subscription_id")
    yield from _check_subscription(user_id, wanted if isinstance(wanted, int) else None)
    if values:
        yield update("rules", rule_id, **values)
    found = yield from _one(user_id, rule_id)
    if found.field in SCORE_FIELDS:
        yield from queue_wanted(user_id)
    return found


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
        yield from lock_users([user_id])
        text = "SELECT count(*) FROM rules WHERE user_id = :user"
        position = yield from number(sql(text, user=user_id))
        if position >= MOST_RULES:
            raise InvalidInput(f"You have {MOST_RULES} rules, which is the maximum.", field="name")
        [row] = yield insert(
            "rules",
            f"RETURNING {_COLUMNS}",
            user_id=user_id,
            position=position,
            created_at=NOW,
            **asdict(new),
        )
        if new.field in SCORE_FIELDS:
            yield from queue_wanted(user_id)
        return value_of(Rule, row)

    change = writes(as_user).of(_change)

    @writes(as_user)
    def delete(self, user_id: int, rule_id: int) -> Script[None]:
        yield from _one(user_id, rule_id)
        yield sql("DELETE FROM rules WHERE id = :id", id=rule_id)

    @reads(WORKER)
    def work(
        self, feed_id: int, article_ids: Sequence[int], *, on_scores: bool = False
    ) -> Script[list[RuleWork]]:
        """List whose enabled rules apply to new articles; for workers.

        Rules about scores are applied once the articles have been analysed.
        """
        columns = ", ".join(f"r.{name.strip()}" for name in _COLUMNS.split(","))
        rows = yield sql(
            f"SELECT r.user_id, {columns} {_CONCERNS} ORDER BY r.user_id, r.position, r.id",
            feed=feed_id,
        )
        rules: dict[int, list[Rule]] = {}
        for row in rows:
            if (row["field"] in SCORE_FIELDS) == on_scores:
                rules.setdefault(row["user_id"], []).append(value_of(Rule, row))
        items = yield sql(
            "SELECT user_id, item_no FROM article_states WHERE article_id = ANY(:ids)"
            " AND user_id = ANY(:users) ORDER BY item_no",
            ids=list(article_ids),
            users=list(rules),
        )
        found: dict[int, list[int]] = {}
        for row in items:
            found.setdefault(row["user_id"], []).append(row["item_no"])
        return [
            RuleWork(user_id, tuple(rules[user_id]), tuple(item_nos))
            for user_id, item_nos in found.items()
        ]


def queue_rules(feed_id: int, article_ids: list[int]) -> Script[None]:
    """Queue the application of rules to new articles, if anybody has rules for the feed.

    This is part of the transaction that stores the articles, so neither can be lost alone.
    """
    if not article_ids:
        return
    if (yield from exists(sql(f"SELECT 1 {_CONCERNS} LIMIT 1", feed=feed_id))):
        yield from add_task(
            NewTask(TaskKind.APPLY_RULES, {"feed_id": feed_id, "article_ids": article_ids})
        )


def _check_subscription(user_id: int, subscription_id: int | None) -> Script[None]:
    if subscription_id is None:
        return
    text = "SELECT id FROM subscriptions WHERE user_id = :user AND id = :id"
    yield from one(sql(text, user=user_id, id=subscription_id), "Feed not found")
