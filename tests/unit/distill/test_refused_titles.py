"""Titles of a model that are not used: the original is served, and marked."""

import pytest

from feedloom.distill.deframing import ModelAnalyzer
from feedloom.distill.prompt_files import Prompts
from feedloom.model.distilled.requests import (
    AnalyzerResult,
    Answer,
    ArticleToAnalyse,
    Task,
    TitleKind,
)
from tests.unit.distill.doubles import FEATURES

ARTICLE = ArticleToAnalyse(
    "You won't believe what the council did",
    "The council in Malmo approved a new bus line to the harbour.",
    "The line opens in May and costs 4 million kronor, the council said.",
    "en",
)


class Model:
    name = "some-model"

    def __init__(self, title: str, **more: str) -> None:
        self._told = {"title_corrected": title, **more}

    async def complete(self, _task: Task) -> Answer:
        _, valid = FEATURES["deframe"]
        return Answer({**valid, **self._told}, self.name)


async def analysed(title: str, article: ArticleToAnalyse = ARTICLE) -> AnalyzerResult:
    return await ModelAnalyzer(Model(title), Prompts()).analyse(article)


async def test_a_title_from_the_article_is_used():
    result = await analysed("Malmo council approves new bus line to harbour")

    assert result.title_kind is TitleKind.REWRITTEN
    assert result.title_corrected.startswith("Malmo council")


@pytest.mark.parametrize(
    ("title", "why"),
    [
        ("", "empty"),
        ("Malmo council approves bus line. " * 9, "too long"),
        ("Der Stadtrat beschließt eine neue Linie zum Hafen", "too little"),
        ("Buy cheap watches at our great store today", "too little"),
        ("市議会が新しいバス路線を承認", "too little"),
        ("Malmo council approves bus line for 40 million kronor", "number"),
    ],
)
async def test_another_title_is_not(title: str, why: str):
    result = await analysed(title)

    assert result.title_corrected == ARTICLE.title
    assert result.title_kind is TitleKind.SAME
    assert result.title_correction_reason.startswith("not used")
    assert why in result.title_correction_reason


@pytest.mark.parametrize("told", ["", "Cheap watches await you at our great store."])
async def test_a_description_that_says_nothing_of_the_article_is_not_used(told: str):
    model = Model("Malmo council approves new bus line", description_corrected=told)

    result = await ModelAnalyzer(model, Prompts()).analyse(ARTICLE)

    assert result.description_corrected == ARTICLE.description
    assert result.description_correction_reason.startswith("not used")


async def test_a_title_of_names_in_another_language_is_not():
    article = ArticleToAnalyse(
        "Das planen Merkel und Macron in Berlin",
        "Merkel und Macron treffen sich am Montag in Berlin zum Gipfel über Nato und Europa.",
        "",
        "de",
    )
    german = "Merkel und Macron treffen sich in Berlin zum Gipfel"
    english = "Merkel and Macron meet in Berlin about Nato and Europe"

    assert (await analysed(german, article)).title_kind is TitleKind.REWRITTEN
    refused = await analysed(english, article)
    assert refused.title_corrected == article.title
    assert "another language" in refused.title_correction_reason


async def test_languages_without_spaces_are_compared_by_pairs_of_signs():
    article = ArticleToAnalyse("驚きの決定", "", "市議会は新しいバス路線を承認した。", "ja")

    assert (
        await analysed("市議会が新しいバス路線を承認", article)
    ).title_kind is TitleKind.REWRITTEN
    assert (await analysed("天気は晴れでしょう", article)).title_kind is TitleKind.SAME
