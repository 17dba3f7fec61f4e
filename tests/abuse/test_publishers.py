"""Publishers with large answers, for what a server asks of them."""

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from tests.abuse.lab import FEED, HOSTS, MOST_MB, PAGE, Site, packed, serving
from tests.containers import settings_for
from tests.databases import sqlite_databases

AT_ONCE = 40
EACH, IN_ALL = 4, 12


@pytest.mark.sampled(2)
@pytest.mark.faults
@pytest.mark.threat("W3")
@pytest.mark.parametrize("people", [1, AT_ONCE])
@pytest.mark.parametrize(
    ("body", "kind"), [(PAGE, "text/html"), (FEED, "text/xml")], ids=["page", "feed"]
)
async def test_adding_feeds_of_large_answers_takes_little_memory(
    body: bytes, kind: str, people: int, tmp_path: Path, counts, scaled
):
    settings = settings_for(sqlite_databases(tmp_path), tmp_path)
    searches = EACH if people == 1 else IN_ALL
    async with (
        Site(packed(body, kind)) as site,
        serving(settings, people=people) as server,
        server.watched() as seen,
    ):
        # Nothing is answered before all but those that may search were refused.
        site.may_answer.clear()
        adding = [
            asyncio.create_task(
                server.people[n % people].post(
                    "/feeds", json={"url": site.url(f"/{n}", host=HOSTS[n])}
                )
            )
            for n in range(AT_ONCE)
        ]
        ended = asyncio.as_completed(adding)
        refused = [await next(ended) for _ in range(AT_ONCE - searches)]
        site.may_answer.set()
        searched = [await one for one in ended]
        # What goes on in the background is measured too.
        await site.until_asked(scaled(4, 12) * searches)

    answers = Counter(reply.status for reply in searched)
    counts(
        "adding",
        kind=kind,
        people=people,
        answers=dict(answers),
        asked=site.asked,
        peak_mb=round(seen.peak_mb),
        read=len(seen.answers),
    )
    assert seen.peak_mb < MOST_MB
    assert {reply.status for reply in refused} == {429}
    assert {reply.headers["Retry-After"] for reply in refused} == {"5"}
    assert set(answers) <= {202, 422}
    assert set(seen.answers) == {200}
