"""Digests as rows: kept whole, one generation at a time, daily for who wants it."""

from datetime import timedelta

import pytest

from feedloom.model.distilled.digests import CitedArticle, NewSummary
from feedloom.model.distilled.requests import Claim, DigestParagraph, Evidence, LeftOut, Part
from feedloom.model.errors import Conflict, InvalidInput, NotFound, Throttled
from feedloom.store import SummaryStore
from tests.fakes import START
from tests.stores import Stores

FAR_AHEAD = timedelta(days=400)
LONG_AGO = timedelta(days=400)


def new_summary(text: str = "Something happened.", note: str = "") -> NewSummary:
    cited = CitedArticle(7, "A title", "A feed", "https://site.example/7", START)
    return NewSummary(
        paragraphs=(
            DigestParagraph(
                (Claim(text, (7,), (Evidence.of(7, Part.TEXT, 3, text),)), Claim("And then.", ())),
                section="News",
                headline=Claim("A title", (7,), (Evidence.of(7, Part.TITLE, 0, "A title"),)),
                source_ids=(7,),
            ),
        ),
        cited=(cited,),
        article_ids=(70, 80),
        model="offline-1",
        note=note,
        left_out=LeftOut(advertisements=2, repeats=1),
        language="de",
    )


async def test_a_summary_comes_back_as_it_was_kept(stores: Stores):
    person = await stores.person()
    store = SummaryStore(stores.front)

    kept = await store.save(person.id, new_summary(note="Made offline."))

    found = await store.summary(person.id, kept.id)
    assert found == kept
    assert found.paragraphs == new_summary().paragraphs
    assert found.cited == new_summary().cited
    assert found.content == "A title\nSomething happened. And then."
    assert (found.left_out, found.language) == (LeftOut(2, 0, 1), "de")
    assert (found.article_count, found.model, found.note) == (2, "offline-1", "Made offline.")
    assert await store.latest(person.id) == kept
    [row] = await stores.rows("SELECT article_ids FROM summaries")
    assert row["article_ids"] == "[70, 80]"


async def test_keeping_writes_the_event(stores: Stores):
    person = await stores.person()

    await SummaryStore(stores.front).save(person.id, new_summary())

    [event] = await stores.rows(
        "SELECT user_id, metadata FROM events WHERE event_type = 'summary_generated'"
    )
    assert event["user_id"] == person.id
    assert '"article_count": 2' in event["metadata"]


async def test_pages_go_from_the_newest_to_the_oldest(stores: Stores):
    person = await stores.person()
    store = SummaryStore(stores.front)
    for number in range(5):
        await store.save(person.id, new_summary(f"Day {number}."))

    first = await store.summaries(person.id, limit=3)
    second = await store.summaries(person.id, cursor=first.next_cursor, limit=3)

    told = [s.paragraphs[0].claims[0].text for s in (*first.summaries, *second.summaries)]
    assert told == [f"Day {number}." for number in (4, 3, 2, 1, 0)]
    assert second.next_cursor is None


@pytest.mark.parametrize("cursor", ["", "x", "-1", "9" * 30, "\u0661"])
async def test_a_cursor_that_is_none_is_refused(stores: Stores, cursor: str):
    person = await stores.person()

    with pytest.raises(InvalidInput):
        await SummaryStore(stores.front).summaries(person.id, cursor=cursor)


@pytest.mark.threat("A7", "L4")
async def test_another_persons_summary_is_not_found(stores: Stores):
    ada, bob = await stores.person(), await stores.person("bob@example.org")
    store = SummaryStore(stores.front)
    kept = await store.save(ada.id, new_summary())

    with pytest.raises(NotFound):
        await store.summary(bob.id, kept.id)
    with pytest.raises(NotFound):
        await store.delete(bob.id, kept.id)

    assert await store.latest(bob.id) is None
    assert await store.latest(ada.id) == kept


async def test_a_deleted_summary_is_gone(stores: Stores):
    person = await stores.person()
    store = SummaryStore(stores.front)
    kept = await store.save(person.id, new_summary())

    await store.delete(person.id, kept.id)

    assert await store.latest(person.id) is None


async def test_one_generation_at_a_time_and_each_person_for_themselves(stores: Stores):
    ada, bob = await stores.person(), await stores.person("bob@example.org")
    store = SummaryStore(stores.front)
    await store.begin(ada.id)

    with pytest.raises(Conflict, match="being generated"):
        await store.begin(ada.id)
    await store.begin(bob.id)
    await store.end(ada.id)
    await store.begin(ada.id)


@pytest.mark.threat("L8")
async def test_a_generation_whose_process_ended_holds_nobody_up_for_long(stores: Stores):
    person = await stores.person()
    store = SummaryStore(stores.front)
    await store.begin(person.id)

    await stores.execute("UPDATE throttle SET blocked_until = now_us() - 1")

    await store.begin(person.id)


async def test_right_after_one_the_next_has_to_wait(stores: Stores):
    person = await stores.person()
    store = SummaryStore(stores.front)
    await store.begin(person.id)
    await store.save(person.id, new_summary())
    await store.end(person.id)

    with pytest.raises(Throttled) as caught:
        await store.begin(person.id)

    assert 25 <= caught.value.retry_after_s <= 30
    # The refusal itself holds nothing: it is the time alone that has to pass.
    await stores.execute("UPDATE throttle SET blocked_until = now_us() - 1")
    await store.begin(person.id)


@pytest.mark.threat("Q16")
async def test_a_daily_digest_is_queued_once_and_moved_on(stores: Stores):
    person = await stores.person()
    store, work = SummaryStore(stores.front), SummaryStore(stores.work)
    await stores.accounts.save_settings(person.id, {"digest_hour": 7, "timezone": "Europe/Berlin"})
    now = await stores.operations.database_time()
    await store.schedule(person.id, now - timedelta(minutes=1))

    [due] = await work.due(10)
    first = await work.queue(due, now + FAR_AHEAD)
    second = await work.queue(due, now + FAR_AHEAD)

    assert (due.user_id, due.hour, due.timezone) == (person.id, 7, "Europe/Berlin")
    assert (first, second) == (True, False)
    assert await work.due(10) == []
    [task] = await stores.tasks.claim(10)
    assert (task.kind, task.user_id) == ("summarise", person.id)


async def test_nobody_gets_a_digest_who_did_not_ask_or_is_locked_out(stores: Stores):
    ada, bob = await stores.person(), await stores.person("bob@example.org")
    store = SummaryStore(stores.front)
    now = await stores.operations.database_time()
    await store.schedule(ada.id, now - LONG_AGO)
    await store.schedule(ada.id, None)
    await store.schedule(bob.id, now - LONG_AGO)
    await stores.accounts.set_disabled(bob.id, disabled=True)

    assert await SummaryStore(stores.work).due(10) == []
