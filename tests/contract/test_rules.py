"""Rules as rows, and the tasks that apply them to what arrives."""

import json

import pytest

from feedloom.model.errors import InvalidInput, NotFound
from feedloom.model.rules import MOST_RULES, NewRule
from feedloom.store import RuleStore
from tests.stores import Stores

FEED = "https://one.example/feed"
RULE = NewRule(name="No ads", field="title", pattern="advert", action="hide")
QUEUED = "SELECT payload FROM tasks WHERE kind = 'apply_rules'"


async def test_rules_come_back_in_the_order_they_were_made(stores: Stores):
    ada = await stores.person()
    store = RuleStore(stores.front)

    first = await store.add(ada.id, RULE)
    second = await store.add(
        ada.id, NewRule(name="Tag", field="any", pattern="x", action="tag", tag="t")
    )

    assert await store.rules(ada.id) == [first, second]
    assert (first.name, first.pattern, first.enabled) == ("No ads", "advert", True)
    assert await store.rule(ada.id, second.id) == second


async def test_a_rule_is_changed_and_deleted(stores: Stores):
    ada = await stores.person()
    store = RuleStore(stores.front)
    rule = await store.add(ada.id, RULE)

    changed = await store.change(
        ada.id, rule.id, {"pattern": "promo", "enabled": False, "user_id": 99}
    )
    await store.delete(ada.id, rule.id)

    assert (changed.pattern, changed.enabled) == ("promo", False)
    assert await store.rules(ada.id) == []
    with pytest.raises(NotFound):
        await store.rule(ada.id, rule.id)


@pytest.mark.threat("A7")
async def test_rules_of_others_are_not_there(stores: Stores):
    ada, bob = await stores.person(), await stores.person("bob@example.org")
    store = RuleStore(stores.front)
    rule = await store.add(ada.id, RULE)

    with pytest.raises(NotFound):
        await store.rule(bob.id, rule.id)
    with pytest.raises(NotFound):
        await store.change(bob.id, rule.id, {"enabled": False})
    with pytest.raises(NotFound):
        await store.delete(bob.id, rule.id)
    assert await store.rules(bob.id) == []


@pytest.mark.threat("A8")
async def test_a_rule_about_somebody_elses_feed_is_refused(stores: Stores):
    ada, bob = await stores.person(), await stores.person("bob@example.org")
    feed = await stores.subscriptions.subscribe(bob.id, FEED)
    store = RuleStore(stores.front)
    rule = await store.add(ada.id, RULE)

    with pytest.raises(NotFound):
        await store.change(ada.id, rule.id, {"subscription_id": feed.id})


@pytest.mark.threat("W9")
async def test_nobody_has_too_many_rules(stores: Stores):
    ada = await stores.person()
    store = RuleStore(stores.front)
    for _ in range(MOST_RULES):
        await store.add(ada.id, RULE)

    with pytest.raises(InvalidInput):
        await store.add(ada.id, RULE)


async def test_what_arrives_is_queued_when_a_rule_concerns_it(stores: Stores):
    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, FEED)
    await RuleStore(stores.front).add(ada.id, RULE)

    await stores.deliver(FEED, "a", "b")

    (task,) = await stores.rows(QUEUED)
    payload = json.loads(task["payload"])
    work = await RuleStore(stores.work).work(payload["feed_id"], payload["article_ids"])
    assert [(w.user_id, w.item_nos) for w in work] == [(ada.id, (1, 2))]
    assert [rule.name for rule in work[0].rules] == ["No ads"]


async def test_nothing_is_queued_without_a_rule_for_the_feed(stores: Stores):
    ada = await stores.person()
    await stores.subscriptions.subscribe(ada.id, FEED)
    other = await stores.subscriptions.subscribe(ada.id, "https://two.example/feed")
    store = RuleStore(stores.front)
    rule = await store.add(ada.id, RULE)
    await store.change(ada.id, rule.id, {"subscription_id": other.id})
    off = await store.add(ada.id, RULE)
    await store.change(ada.id, off.id, {"enabled": False})

    await stores.deliver(FEED, "a")

    assert await stores.rows(QUEUED) == []


async def test_each_subscriber_has_their_own_work(stores: Stores):
    ada, bob = await stores.person(), await stores.person("bob@example.org")
    store = RuleStore(stores.front)
    for person in (ada, bob):
        await stores.subscriptions.subscribe(person.id, FEED)
        await store.add(person.id, RULE)

    await stores.deliver(FEED, "a")

    (task,) = await stores.rows(QUEUED)
    payload = json.loads(task["payload"])
    work = await RuleStore(stores.work).work(payload["feed_id"], payload["article_ids"])
    assert sorted(w.user_id for w in work) == sorted([ada.id, bob.id])


async def test_rules_go_with_their_feed(stores: Stores):
    ada = await stores.person()
    feed = await stores.subscriptions.subscribe(ada.id, FEED)
    store = RuleStore(stores.front)
    rule = await store.add(ada.id, RULE)
    await store.change(ada.id, rule.id, {"subscription_id": feed.id})

    await stores.subscriptions.unsubscribe(ada.id, feed.id)

    assert await store.rules(ada.id) == []
