"""A labelled day of 300 feeds: what the digest takes, what it leaves out, what it proves."""

from collections import Counter
from dataclasses import replace

import pytest

from feedloom.distill.offline.advertisements import is_advertisement
from feedloom.distill.offline.digests import offline_digest
from feedloom.distill.offline.selection import select_stories
from feedloom.distill.offline.support import is_proven
from feedloom.model.distilled.requests import Digest, Part
from feedloom.model.errors import ModelAnswerInvalid
from tests.unit.distill.doubles import NOON, TalkingFetcher, engine
from tests.unit.distill.labelled_day import labelled_day

DAY = labelled_day()
ARTICLES = [one.article for one in DAY]
LABEL = {one.article.id: one for one in DAY}


@pytest.fixture(scope="module")
def digest() -> Digest:
    return offline_digest(ARTICLES, "en")


def test_the_day_has_sections_and_no_advertisement(digest: Digest):
    labels = Counter(LABEL[i].label for p in digest.paragraphs for i in p.article_ids)

    assert len(digest.paragraphs) >= 10
    assert len({p.section for p in digest.paragraphs}) > 3
    assert set(labels) <= {"news", "repeat"}


def test_what_is_left_out_is_counted(digest: Digest):
    labels = Counter(one.label for one in DAY)

    assert digest.left_out.advertisements == labels["advertisement"]
    assert digest.left_out.near_empty == labels["near_empty"]
    assert digest.left_out.repeats == labels["repeat"]
    assert (
        digest.left_out.text == "Left out: 200 advertisements, 80 near-empty posts and 33 repeats."
    )


def test_events_that_several_report_come_first_and_are_hardly_mixed(digest: Digest):
    events = [{LABEL[i].event for i in p.article_ids} for p in digest.paragraphs]

    assert sum(len(p.source_ids) > 1 for p in digest.paragraphs) >= 10
    assert sum(len(found) == 1 for found in events) >= len(events) - 2


@pytest.mark.threat("L6")
def test_every_citation_stands_where_it_says(digest: Digest):
    for claim in (claim for p in digest.paragraphs for claim in p.told):
        assert is_proven(claim)
        for one in claim.evidence:
            cited = LABEL[one.article_id].article
            text = cited.title if one.part is Part.TITLE else cited.excerpt
            assert text[one.start :].startswith(one.words)


def test_a_post_of_a_quiet_feed_that_arrived_late_is_no_old_news():
    news = next(one.article for one in DAY if one.label == "news")
    old = replace(news, published_at=NOON.replace(month=2, day=25), arrived_at=NOON)
    late = [old, *(replace(a, arrived_at=a.published_at) for a in ARTICLES if a != news)]
    ranked = select_stories(late, "en", ()).stories
    stale = select_stories([replace(old, arrived_at=old.published_at), *late[1:]], "en", ()).stories

    def place(stories) -> int:
        return next(
            n for n, story in enumerate(stories) if old.id in {a.id for a in story.articles}
        )

    assert place(ranked) < place(stale)


def test_an_item_names_each_of_its_sources():
    event = Counter(one.event for one in DAY if one.label == "news").most_common(1)[0][0]
    article = next(one.article for one in DAY if one.event == event)
    told = [
        replace(article, id=n, source=f"Paper {n}", url=f"https://p{n}.example/", cluster_key="")
        for n in range(20)
    ]

    assert len(offline_digest(told, "en").paragraphs[0].source_ids) == 20


def test_of_a_ticker_only_the_newest_is_told():
    first = next(one.article for one in DAY if one.label == "news")
    ticks = [
        replace(
            first,
            id=n,
            title=f"20:{n}9 at the quay: 2.{n} m and falling",
            excerpt=f"The gauge at the old quay read 2.{n}7 m at 20:{n}9.",
            url=f"https://ticker.example/{n}",
            cluster_key="",
            published_at=first.published_at.replace(minute=n),
        )
        for n in (2, 3, 4)
    ]
    elsewhere = replace(ticks[0], id=5, source="Another gauge", url="https://gauge.example/")
    selection = select_stories([*ticks, elsewhere], "en", ())

    assert {a.id for story in selection.stories for a in story.articles} == {4, 5}
    assert selection.left_out.repeats == 2


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Black Friday sales reach record of $10 billion", "Shoppers spent more than last year."),
        ("Government wants to ban advertising for sweets", "Advertisements are to end by 2027."),
        ("EU and Mercosur sign trade deal", "The deal lowers tariffs by 20 percent."),
        ("Ads on public radio: what the court decided", "The court allowed six minutes a day."),
        ("Rabatte auf Medikamente: Kassen streiten", "Die Kassen sparen bis zu 20 Prozent."),
    ],
)
def test_news_about_selling_is_no_advertisement(title: str, text: str):
    assert not is_advertisement(replace(ARTICLES[0], title=title, excerpt=text))


@pytest.mark.threat("L6")
async def test_a_model_that_invents_has_all_of_it_dropped():
    newest = sorted(select_stories(ARTICLES, "en", ()).stories[0].articles, key=lambda a: a.id)
    one = newest[0]
    said = one.excerpt.rstrip(".")
    names = [word for word in said.split()[1:] if word[0].isupper()]
    lies = [
        said.replace(names[0].strip(",."), "Lisbon"),
        f"{said} and 4711 people were hurt",
        f"It is not true that {said}",
        f"“{names[0]} has to go,” the minister said about {said}",
        f"{names[0]} resigned after a scandal over bribes",
        f"A man from {names[0]} won the lottery for the second time",
        "The moon is to be painted green",
    ]
    told = [" ".join(f"{lie} [{n}]." for lie in lies) for n in range(1, 6)]
    built = engine(TalkingFetcher(lambda _: {"paragraphs": told}))

    with pytest.raises(ModelAnswerInvalid):
        await built.digester.digest(newest, "en")
