"""How sources word one story: what one alone says, what is loaded, what one alone states."""

from feedloom.distill import OfflineWording
from feedloom.model.stories import StoryArticle
from tests.fakes import START


def told(number: int, title: str, text: str = "", language: str = "en") -> StoryArticle:
    return StoryArticle(number, title, f"Paper {number}", START, START, text, language)


def test_a_headline_is_whole_whatever_is_marked_in_it():
    titles = ("Mayor slams “reckless” plan, again!", "Plan: mayor votes no", "  Odd   spaces ", "")

    board = OfflineWording().compare([told(n, title) for n, title in enumerate(titles)])

    assert tuple("".join(part.text for part in one.words) for one in board) == titles


def test_one_source_alone_has_nothing_to_be_compared_with():
    [alone] = OfflineWording().compare([told(1, "Mayor slams plan", "It costs 300 coins.")])

    assert not any(part.is_alone for part in alone.words)
    assert alone.facts == ()
    assert alone.signs == (("slams", "framing"),)


def test_words_in_another_form_are_the_same_words():
    one, other = OfflineWording().compare([told(1, "Council votes"), told(2, "Council's vote")])

    assert not any(part.is_alone for part in (*one.words, *other.words))


def test_facts_are_those_that_no_other_source_states():
    cost = "It cost 2.4 million."
    board = OfflineWording().compare(
        [
            told(1, "Park closes", f"It closes. Ada Lind said: “We had no choice.” {cost}"),
            told(2, "Park closes", f"It closes on 30 June, Ada Lind said. {cost}"),
        ]
    )

    assert [[(f.kind, f.text) for f in one.facts] for one in board] == [
        [("quotation", "We had no choice.")],
        [("number", "30 June")],
    ]


def test_a_language_that_is_not_judged_has_no_scores():
    titles = ("Le maire ferme trois parcs", "Trois parcs")
    [one, _] = OfflineWording().compare([told(1, title, language="fr") for title in titles])

    assert (one.score, one.signs) == (None, ())
    assert OfflineWording().score("Le maire ferme trois parcs", "fr") is None
