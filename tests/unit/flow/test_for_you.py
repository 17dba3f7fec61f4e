"""Ranking: what counts, what it says, and that it is the same each time."""

from datetime import timedelta
from itertools import count

from hypothesis import given
from hypothesis import strategies as st

from feedloom.flow.reader.for_you import Ranked, rank
from feedloom.model.interests import ArticleToRank, Interest, InterestKind, terms_of
from tests.fakes import START

NUMBERS = count(1)


def candidate(title: str = "", feed: int = 1, **others: object) -> ArticleToRank:
    number = next(NUMBERS)
    known: dict[str, object] = {
        "item_no": number,
        "subscription_id": feed,
        "feed_title": f"Feed {feed}",
        "published_at": START,
        "title": title,
        "author": None,
        "categories": (),
    }
    return ArticleToRank(**(known | others))  # type: ignore[arg-type]  # any field may be given


def feed_interest(feed: int, **counts: int) -> Interest:
    return Interest(feed, InterestKind.FEED, f"Feed {feed}", subscription_id=feed, **counts)


def texts(ranked: Ranked) -> list[str]:
    return [reason.text for reason in ranked.reasons]


def test_who_liked_nothing_yet_gets_the_newest_first():
    old, new = candidate(published_at=START - timedelta(days=1)), candidate(feed=2)

    ranked = rank([], [old, new], START)

    assert [each.item_no for each in ranked] == [new.item_no, old.item_no]
    assert [each.reasons for each in ranked] == [(), ()]


def test_articles_of_a_feed_with_stars_come_first_and_say_so():
    candidates = [candidate(feed=feed) for feed in (1, 2, 3)]

    ranked = rank([feed_interest(2, starred=3)], candidates, START)

    assert ranked[0].item_no == candidates[1].item_no
    assert texts(ranked[0]) == ["You starred 3 articles from Feed 2."]


def test_a_feed_does_not_win_by_publishing_a_lot():
    loud = [candidate(feed=1) for _ in range(80)]
    quiet = [candidate(feed=2) for _ in range(2)]
    interests = [feed_interest(1, opened=20), feed_interest(2, opened=10)]

    ranked = rank(interests, loud + quiet, START)

    assert {each.item_no for each in ranked[:2]} == {each.item_no for each in quiet}


def test_words_of_every_title_count_nothing():
    titles = [f"Council says {word}" for word in ("lunch", "orchids", "trains", "glass")]
    candidates = [candidate(title, feed=n) for n, title in enumerate(titles)]
    interests = [
        feed_interest(9, opened=4),
        Interest(1, InterestKind.WORD, "council", opened=4),
        Interest(2, InterestKind.WORD, "orchids", opened=4),
    ]

    ranked = rank(interests, candidates, START)

    assert ranked[0].item_no == candidates[1].item_no
    assert [r.name for each in ranked for r in each.reasons if r.kind == "word"] == ["orchids"]


def test_what_is_dismissed_and_asked_for_less_comes_last():
    candidates = [candidate(feed=feed) for feed in (1, 2, 3)]

    ranked = rank([feed_interest(1, dismissed=4), feed_interest(3, less=1)], candidates, START)

    assert ranked[0].item_no == candidates[1].item_no
    assert texts(ranked[2]) == ["You seldom pick articles from Feed 3."]


def test_more_like_this_outdoes_a_few_opens_and_is_named():
    candidates = [candidate(author="Ada"), candidate(author="Bob", feed=2)]
    interests = [
        feed_interest(3, opened=3),
        Interest(4, InterestKind.AUTHOR, "Ada", opened=2),
        Interest(5, InterestKind.AUTHOR, "Bob", more=1),
    ]

    ranked = rank(interests, candidates, START)

    assert texts(ranked[0])[0] == "You asked for more by Bob."


def test_several_feeds_with_one_story_are_one_row_that_counts_them():
    same = [candidate(feed=feed, story=7, tellers=4) for feed in (1, 2, 3, 4)]
    other = candidate(feed=5)

    ranked = rank([], [*same, other], START)

    assert len(ranked) == 2
    assert texts(ranked[0]) == ["4 of your feeds report it."]


def test_one_feed_does_not_fill_the_list():
    liked = [candidate(feed=1) for _ in range(10)]
    others = [candidate(feed=feed) for feed in range(2, 8)]

    ranked = rank([feed_interest(1, opened=30)], liked + others, START)

    first = {each.item_no for each in ranked[:10]}
    assert first & {each.item_no for each in others}


def test_terms_are_folded_cut_and_few():
    title = "The Über-Votes of 2026: 図書館 " + "w" * 300
    terms = terms_of(7, title, " Ada  L ", ["News ", "NEWS"])

    assert terms[:3] == [("feed", "7"), ("author", "Ada L"), ("topic", "news")]
    words = [name for kind, name in terms if kind == "word"]
    assert words[:3] == ["votes", "図書", "書館"]
    assert all(len(word) <= 100 for word in words)
    assert "2026" not in words


@given(st.permutations(range(12)))
def test_the_order_does_not_depend_on_the_order_of_what_comes_in(places):
    candidates = [candidate(f"word{n % 3} other", feed=n % 4, item_no=n) for n in range(12)]
    interests = [feed_interest(1, opened=3), Interest(2, InterestKind.WORD, "word1", saved=1)]
    shuffled = [candidates[place] for place in places]

    assert rank(interests, shuffled, START) == rank(interests[::-1], candidates, START)
