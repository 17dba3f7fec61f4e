"""Folding: one row for what tells the same, and nothing lost by it."""

from datetime import timedelta

from feedloom.flow.stories import companions, fold_page
from feedloom.model.reader import Article, ArticlePage
from feedloom.model.stories import Kin
from tests.fakes import START
from tests.unit.flow.test_rules import ARTICLE


def article(item: int, feed: int, *, address: str = "", title: str = "", text: str = "") -> Article:
    return ARTICLE._replace(
        item_no=item,
        article_id=item,
        subscription_id=feed,
        title=title or f"Title {item}",
        summary=text,
        cluster_key=address or f"{item:012}",
        published_at=START - timedelta(minutes=item),
        unread=True,
    )


def kin(*articles: Article, stories: dict[int, int] | None = None) -> Kin:
    return Kin(stories or {}, articles, [each.item_no for each in articles])


def rows(page: ArticlePage) -> list[int]:
    return [each.item_no for each in page.articles]


def test_the_first_in_the_list_stands_for_the_copies():
    found = (article(1, 1, address="same"), article(2, 2), article(3, 3, address="same"))

    page, folds = fold_page(ArticlePage(found), kin(*found), copies=True, stories=False)

    assert rows(page) == [1, 2]
    assert [other.item_no for other in folds[1].others] == [3]
    assert (folds[1].feeds, folds[1].unread, folds[1].story_id) == (1, 1, None)


def test_a_row_whose_first_stands_on_an_earlier_page_is_left_out():
    first, later = article(1, 1, address="same"), article(9, 2, address="same")

    page, folds = fold_page(ArticlePage((later,)), kin(first, later), copies=True, stories=False)

    assert (rows(page), folds) == ([], {})


def test_what_the_list_does_not_hold_stands_for_nothing():
    read, unread = article(1, 1, address="same"), article(9, 2, address="same")
    known = Kin({}, (read, unread), [9])

    page, folds = fold_page(ArticlePage((unread,)), known, copies=True, stories=False)

    assert rows(page) == [9]
    assert [other.item_no for other in folds[9].others] == [1]


def test_one_feeds_articles_are_never_copies_of_each_other():
    found = tuple(article(n, 1, address="home page") for n in range(1, 4))

    page, _ = fold_page(ArticlePage(found), kin(*found), copies=True, stories=True)

    assert rows(page) == [1, 2, 3]


def test_an_address_that_a_feed_gives_all_its_articles_tells_nothing():
    found = (
        *(article(n, 1, address="home page") for n in (1, 2)),
        article(3, 2, address="home page"),
    )

    page, _ = fold_page(ArticlePage(found), kin(*found), copies=True, stories=False)

    assert rows(page) == [1, 2, 3]


def test_the_same_text_at_two_addresses_is_a_copy_within_a_story():
    told = {"title": "Storm", "text": "The storm came at night."}
    found = (article(1, 1, **told), article(2, 2, **told), article(3, 3, title="A storm"))
    known = kin(*found, stories={1: 1, 2: 1, 3: 1})

    copies, _ = fold_page(ArticlePage(found), known, copies=True, stories=False)
    stories, folds = fold_page(ArticlePage(found), known, copies=True, stories=True)

    assert (rows(copies), rows(stories)) == ([1, 3], [1])
    assert (folds[1].feeds, folds[1].story_id) == (2, 1)


def test_the_row_that_is_open_stays():
    found = (article(1, 1, address="same"), article(2, 2, address="same"))

    page, _ = fold_page(ArticlePage(found), kin(*found), copies=True, stories=False, keep=2)

    assert rows(page) == [1, 2]


def test_companions_are_told_with_what_was_read():
    found = (article(1, 1, address="same"), article(2, 2, address="same"), article(3, 3))
    known = kin(*found, stories={2: 7, 3: 7})

    assert companions([1], known, copies=True, stories=False) == [1, 2]
    assert companions([1], known, copies=True, stories=True) == [1, 2, 3]
    assert companions([3], known, copies=True, stories=True) == [1, 2, 3]
    assert companions([3], known, copies=True, stories=False) == []
