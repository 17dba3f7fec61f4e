import pytest

from feedloom.distill.offline.support import is_supported
from feedloom.model.errors import ModelAnswerInvalid
from tests.unit.distill.day import stories
from tests.unit.distill.doubles import TalkingFetcher, engine

BILL = (
    "Parliament passes water bill\nThe Courier\nParliament passed the water bill early on"
    " Sunday with 214 votes to 187. Landlords have to report old pipes."
)
INVENTED = [
    "The minister of finance resigned after a scandal over bribes [1].",
    "Parliament passed the water bill with 312 votes [1].",
    "Scientists found water on a distant planet [2].",
    "Ebba Lindgren was arrested in Lisbon for fraud [1][3].",
    "Parliament passed the water bill with 214 votes.",
    "[99] Parliament passed the water bill with 214 votes.",
]


@pytest.mark.parametrize(
    "sentence",
    [
        "Parliament passed the water bill with 214 votes to 187.",
        "The water bill was passed on Sunday.",
        "Old pipes have to be reported by landlords.",
    ],
)
def test_what_the_source_says_is_supported(sentence):
    assert is_supported(sentence, [BILL], "en")


@pytest.mark.parametrize(
    "sentence",
    [
        "Parliament passed the water bill with 215 votes to 187.",
        "The finance minister resigned over bribes.",
        "Landlords went on strike in the capital over rents.",
        "It did.",
        "",
    ],
)
def test_what_the_source_does_not_say_is_not(sentence):
    assert not is_supported(sentence, [BILL], "en")


PROFIT = (
    "Novatec said on Monday that its profit rose by 12 percent to 3.4 billion euros in the third"
    " quarter, and that it would hire more than two hundred engineers in Lindenau."
)
GEWINN = (
    "Der Gewinn von Novatec stieg nach Angaben vom Montag im dritten Quartal um 12 Prozent auf"
    " 3,4 Milliarden Euro, der Konzern stellt mehr als zweihundert Ingenieure in Lindenau ein."
)


@pytest.mark.parametrize(
    ("language", "source", "said", "lies"),
    [
        ("en", PROFIT, "Novatec said its profit rose by 12% to 3.4bn euros in the third quarter.",
         {"rose": "fell", "profit": "loss", "3.4bn": "3.4 million", "12%": "3.4%"}),
        ("en", PROFIT, "Novatec would hire more than two hundred engineers in Lindenau.",
         {"hundred": "thousand", "more": "fewer"}),
        ("de", GEWINN, "Der Gewinn von Novatec stieg im dritten Quartal um 12 % auf 3,4 Mrd Euro.",
         {"stieg": "sank", "Gewinn": "Verlust", "Mrd": "Mio", "12 %": "3,4 %"}),
    ],
)  # fmt: skip
def test_neither_opposites_nor_other_amounts_are_supported(language, source, said, lies):
    assert is_supported(said, [source], language)
    for word, lie in lies.items():
        assert not is_supported(said.replace(word, lie), [source], language), lie


def test_nothing_is_supported_by_nothing():
    assert not is_supported("Parliament passed the water bill.", [], "en")


@pytest.mark.parametrize(
    ("sentence", "is_so"),
    [
        ("Der Stadtrat von Aldenburg stimmt mit 214 Stimmen zu.", False),
        ("Laut Norvia entsteht das Werk in Aldenburg bis 2027.", True),
        ("Laut Brixham entsteht das Werk in Harbury bis 2027.", False),
    ],
)
def test_in_another_language_names_and_numbers_are_compared(sentence, is_so):
    source = "Norvia will build the plant in Aldenburg by 2027, the company said."

    assert is_supported(sentence, [source], "de") is is_so


@pytest.mark.threat("L6")
async def test_all_that_a_model_invents_is_dropped():
    articles = [article for story in stories() for article in story]
    built = engine(TalkingFetcher(lambda _: {"paragraphs": INVENTED[:5]}))

    with pytest.raises(ModelAnswerInvalid):
        await built.digester.digest(articles, "en")


@pytest.mark.threat("L6")
async def test_what_is_true_stays_without_what_was_invented_beside_it():
    articles = stories()[0]
    newest = max(articles, key=lambda article: (article.published_at, article.id))
    true = newest.excerpt.split(". ")[0].rstrip(".")
    told = f"{true}. The finance minister fled to Brixham [1]."
    built = engine(TalkingFetcher(lambda _: {"paragraphs": [told] * 3}))
    digest = await built.digester.digest(articles, "en")

    assert {p.text for p in digest.paragraphs} == {f"{true}."}
