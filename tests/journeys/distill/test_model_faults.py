"""Every fault of a model service, times digest and bookmark, on both engines.

The deframer's part of this table is in ``tests/journeys/proxies/test_models.py``.
"""

from datetime import timedelta

import pytest

from feedloom.flow.distill.digest import DigestFailed
from feedloom.model.bookmarks import NewBookmark
from feedloom.model.errors import ModelUnavailable
from feedloom.model.reader import User
from tests.journeys.distill.test_bookmarks import ARTICLE
from tests.journeys.proxies.lab import Lab
from tests.model_api import says
from tests.unit.distill.doubles import KEY, SAID, VALID_DIGEST, VALID_SUMMARY
from tests.unit.distill.test_model_faults import FAULTS, SILENT

pytestmark = pytest.mark.asyncio(loop_scope="module")

UNAVAILABLE = "AI service is temporarily unavailable"
FAILED = "Failed to generate summary. Please try again later."
HARMLESS = {"ok", "reserved"}


async def person_with_news(lab: Lab) -> User:
    """Let somebody read a feed with six articles of the last hours."""
    now = lab.container.clock.now()
    # What a digest says must stand in the articles that it cites.
    said = f"<p>{SAID}</p>"
    titles = ("Harbour", "Library", "Orchard", "Ferry", "Bakery", "Museum")
    entries = [
        lab.entry(n, title=title, published_at=now - timedelta(minutes=10 * n), content=said)
        for n, title in enumerate(titles, 1)
    ]
    lab.publisher.feed(lab.path, entries=entries)
    person = await lab.subscribe()
    await lab.run()
    return person


async def outcomes(lab: Lab) -> list[str]:
    rows = await lab.rows("SELECT outcome FROM ai_calls ORDER BY id")
    return [row["outcome"] for row in rows]


@pytest.mark.threat("L6")
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_makes_no_digest_and_the_next_try_is_free(lab: Lab, fault: str):
    behaviour, expected = FAULTS[fault]
    lab.use_model(call_s=0.3 if fault in SILENT else 10)
    person = await person_with_news(lab)
    lab.api.script(behaviour(VALID_DIGEST))
    digests = lab.container.digests(lab.container.web)
    is_down = expected is ModelUnavailable

    with pytest.raises(ModelUnavailable if is_down else DigestFailed) as caught:
        await digests.generate(person.id)

    assert str(caught.value) == (UNAVAILABLE if is_down else FAILED)
    assert KEY not in f"{caught.value} {caught.value.detail}"
    assert await digests.store.latest(person.id) is None
    assert (await lab.container.services().reading.counts(person.id)).unread == 6
    told = await outcomes(lab)
    assert len(told) == len(lab.api.calls)
    assert not set(told) & HARMLESS
    lab.use_model()
    lab.api.script(says(VALID_DIGEST))
    made = await lab.container.digests(lab.container.web).generate(person.id)
    assert len(made.paragraphs) == 3
    assert await digests.store.latest(person.id) == made


@pytest.mark.threat("L6")
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_leaves_a_bookmark_readable_and_told(lab: Lab, fault: str):
    behaviour, _ = FAULTS[fault]
    lab.use_model(call_s=0.3 if fault in SILENT else 10)
    person = await lab.container.accounts.store.create(f"{lab.path}@x.example", "no password")
    page = lab.publisher.page(f"{lab.path}/page", ARTICLE)
    bookmarks = lab.container.services().bookmarks
    kept = (await bookmarks.add(person.id, NewBookmark(page))).bookmark
    lab.api.script(behaviour(VALID_SUMMARY))
    await lab.worker().task_loop().drain()

    found = await bookmarks.bookmark(person.id, kept.id)

    assert found.enrich_status == "done"
    assert found.enrich_error
    assert KEY not in found.enrich_error
    assert (found.title, found.tags) == ("How clocks work", ())
    assert found.summary == "A short history of clocks.", "the page's own words"
    assert "escapement" in found.content
    assert not set(await outcomes(lab)) & HARMLESS
    lab.use_model()
    lab.api.script(says(VALID_SUMMARY))
    await bookmarks.retry(person.id, kept.id)
    await lab.worker().task_loop().drain()
    found = await bookmarks.bookmark(person.id, kept.id)
    assert (found.summary, found.enrich_error) == (VALID_SUMMARY["summary"], None)
    assert "databases" in found.tags
