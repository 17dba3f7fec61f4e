"""Decisions of deframing: what is served, what is analysed, when a document changes."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from feedloom.flow.distill.deframing import build, next_try_at, served_articles, should_analyse
from feedloom.flow.distill.proxies import address_hashes
from feedloom.model.distilled.documents import Built, Channel, DeframedItem
from feedloom.model.distilled.proxies import ArticleToDeframe, FeedToDeframe, StoredAnalysis
from feedloom.model.distilled.requests import AnalyzerResult, Score
from feedloom.model.urls import url_hash
from tests.fakes import START

CALM = Score(0.1, "")
RESULT = AnalyzerResult(
    title_original="One",
    description_original="",
    title_corrected="One, calmly",
    title_correction_reason="",
    description_corrected="",
    description_correction_reason="",
    framing=CALM,
    clickbait=CALM,
    persuasive=CALM,
    hyper_stimulus=CALM,
    speculative=CALM,
    overall_reason="",
    category="other",
)


ANALYSIS = StoredAnalysis(RESULT, "m", "p-en", "hash")


def article(
    number: int = 1, url: str = "https://www.site.example/a", **more: object
) -> ArticleToDeframe:
    item = DeframedItem(
        guid=f"g{number}",
        url=url,
        url_hash=f"h{number}",
        title="One",
        description="",
        published_at=START,
        analysis=None,
    )
    made = ArticleToDeframe(
        id=number, item=item, content_hash="hash", language="en", is_listed=True
    )
    return replace(made, **more)  # type: ignore[arg-type]  # names are the test's


def feed(*articles: ArticleToDeframe, **more: object) -> FeedToDeframe:
    made = FeedToDeframe(
        feed_id=1,
        lease_token="t",
        url="https://feeds.site.example/news.xml",
        channel=Channel("News", "https://site.example/"),
        enforce_feed_domain=True,
        max_items=50,
        articles=articles,
    )
    return replace(made, **more)  # type: ignore[arg-type]  # as above


@pytest.mark.parametrize(
    ("url", "is_kept"),
    [
        ("https://www.site.example/a", True),
        ("https://site.example/a", True),
        ("https://deep.blog.site.example/a", True),
        ("https://other.example/a", False),
        ("https://site.example.evil.example/a", False),
        ("no address", False),
    ],
)
def test_only_items_of_the_feeds_own_domain_are_served(url, is_kept):
    wanted = feed(article(url=url))

    assert bool(served_articles(wanted)) is is_kept
    assert served_articles(replace(wanted, enforce_feed_domain=False))


def test_foreign_items_do_not_take_the_place_of_own_ones():
    foreign = [article(n, "https://other.example/") for n in range(5)]
    own = [article(n) for n in range(5, 10)]

    kept = served_articles(feed(*foreign, *own, max_items=3))

    assert [each.id for each in kept] == [5, 6, 7]


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({}, True),
        ({"is_listed": False}, False),
        ({"analysis": ANALYSIS}, False),
        ({"analysis": replace(ANALYSIS, content_hash="older")}, True),
        ({"analysis": replace(ANALYSIS, model="another")}, True),
        ({"analysis": replace(ANALYSIS, prompt_version="older")}, True),
        ({"attempts": 1, "retry_at": START}, True),
        ({"attempts": 1, "retry_at": START + timedelta(seconds=1)}, False),
        ({"attempts": 5, "retry_at": None}, False),
    ],
)
def test_an_article_is_analysed_when_it_needs_it_and_may(changes, wanted):
    assert should_analyse(article(**changes), "m", "p-en", now=START) is wanted


def test_tries_come_later_and_later_and_end_with_the_fifth():
    waits = [next_try_at(failures, START) for failures in range(1, 7)]

    given = [at - START for at in waits[:4] if at is not None]
    assert given == sorted(given)
    assert len(given) == 4
    assert given[0] >= timedelta(minutes=5)
    assert waits[4:] == [None, None]


SELF = "https://loom.example/rss?url=x"


def built(wanted: FeedToDeframe, at: datetime) -> Built | None:
    items = [each.item for each in wanted.articles]
    return build(wanted, items, self_url=SELF, now=at)


def test_the_first_document_has_the_time_it_was_built_at():
    made = built(feed(article()), START + timedelta(microseconds=5))

    assert made is not None
    assert made.updated_at == START


def test_the_same_items_make_no_new_document():
    wanted = feed(article())
    before = built(wanted, START)

    assert built(replace(wanted, built=before), START + timedelta(hours=1)) is None


def test_other_items_move_the_time():
    before = built(feed(article()), START)
    later = START + timedelta(hours=1)

    after = built(feed(article(2), article(), built=before), later)

    assert after is not None
    assert after.updated_at == later


def test_an_analysis_that_arrives_moves_the_time():
    before = built(feed(article()), START)
    item = replace(article().item, analysis=RESULT)

    after = built(feed(article(item=item), built=before), START + timedelta(hours=1))

    assert after is not None
    assert after.updated_at == START + timedelta(hours=1)


@pytest.mark.parametrize("back_s", [0, 5])
def test_two_documents_never_share_a_time_whatever_the_clock_does(back_s):
    before = built(feed(article()), START)

    after = built(feed(article(2), article(), built=before), START - timedelta(seconds=back_s))

    assert after is not None
    assert after.updated_at == START + timedelta(seconds=1)


def test_another_name_of_the_feed_leaves_the_time():
    wanted = feed(article())
    before = built(wanted, START)
    renamed = replace(wanted, built=before, channel=Channel("Other", "https://x.example/"))

    after = built(renamed, START + timedelta(hours=1))

    assert before is not None
    assert after is not None
    assert after.updated_at == before.updated_at
    assert after.etag != before.etag


def test_an_article_is_looked_for_with_and_without_www():
    hashes = address_hashes("https://www.site.example/a")

    assert url_hash("https://site.example/a") in hashes
    assert url_hash("https://www.site.example/a") in address_hashes("http://site.example/a/")
