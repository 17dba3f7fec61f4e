import pytest

from feedloom.distill.offline.support import is_proven, prove
from feedloom.model.distilled.requests import Claim
from feedloom.model.errors import ModelAnswerInvalid
from tests.unit.distill.day import stories, told_of
from tests.unit.distill.doubles import TalkingFetcher, engine

INVENTED = [
    "The minister of finance resigned after a scandal over bribes [1].",
    "Parliament passed the water bill with 312 votes [1].",
    "Scientists found water on a distant planet [2].",
    "Ebba Lindgren was arrested in Lisbon for fraud [1][3].",
    "Parliament passed the water bill with 214 votes.",
    "[99] Parliament passed the water bill with 214 votes.",
]


@pytest.mark.threat("L6")
def test_no_lie_has_support():
    passed = [said for article, kind, said in told_of() if kind == "-" and prove(said, [article])]

    assert passed == []


def test_the_articles_own_sentences_have_support():
    own = [(article, said) for article, kind, said in told_of() if kind == "="]

    assert [said for article, said in own if not prove(said, [article])] == []
    for article, said in own:
        evidence = prove(said, [article])
        assert is_proven(Claim(said, (article.id,), evidence))
        assert not is_proven(Claim(f"{said} It is so", (article.id,), evidence))


def test_other_words_have_none_even_if_they_are_true():
    kept = [said for article, kind, said in told_of() if kind == "~" and prove(said, [article])]

    assert kept == []


@pytest.mark.parametrize("sentence", ["It did.", "", ".", "\U0001f525"])
def test_hardly_anything_has_no_support(sentence):
    assert all(prove(sentence, [article]) == () for article in stories()[0])


def test_nothing_is_supported_by_nothing():
    assert prove("Parliament passed the water bill.", []) == ()


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


async def test_where_all_of_a_paragraph_was_invented_its_articles_speak():
    articles = [article for story in stories() for article in story]
    newest = sorted(articles, key=lambda article: (article.published_at, article.id), reverse=True)
    true = f"{newest[0].excerpt.split('. ')[0].rstrip('.')} [1]."
    lie = f"The finance minister fled to Brixham [{len(newest)}]."
    built = engine(TalkingFetcher(lambda _: {"paragraphs": [true, lie, lie]}))
    digest = await built.digester.digest(articles, "en")

    told = [claim for paragraph in digest.paragraphs for claim in paragraph.told]
    assert len(digest.paragraphs) == 2
    assert "Brixham" not in " ".join(claim.text for claim in told)
    assert all(map(is_proven, told))
