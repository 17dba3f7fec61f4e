"""An article in; its title and description without slant, and scores, out.

The model sees only this article and fills only this schema. The originals in the
result are ours, never the model's.
"""

from collections.abc import Mapping
from typing import cast

from feedloom.distill.plain_text import clean_text, cut
from feedloom.distill.prompt_files import Prompts
from feedloom.model.distilled.requests import (
    DIMENSIONS,
    AnalyzerResult,
    ArticleToAnalyse,
    LanguageModel,
    ModelPurpose,
    Score,
    Task,
)
from feedloom.model.errors import ModelAnswerInvalid

CATEGORIES = (
    "ai",
    "autos",
    "business",
    "culture",
    "education",
    "environment",
    "food",
    "gaming",
    "health",
    "lifestyle",
    "politics",
    "programming",
    "science",
    "security",
    "sports",
    "technology",
    "travel",
    "world",
    "other",
)
MAX_TITLE = 300
MAX_DESCRIPTION = 2_000
MAX_TEXT = 10_000
_TITLE_OUT = 200
_DESCRIPTION_OUT = 1_000
_REASON_OUT = 200


def _string(longest: int) -> dict[str, object]:
    return {"type": "string", "maxLength": longest}


_SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {
        "title_corrected": {"type": "string", "maxLength": 500, "minLength": 1},
        "title_correction_reason": _string(500),
        "description_corrected": _string(3_000),
        "description_correction_reason": _string(500),
        **{
            key: part
            for name in DIMENSIONS
            for key, part in (
                (name, {"type": "number", "minimum": 0, "maximum": 1}),
                (f"{name}_reason", _string(500)),
            )
        },
        "overall_reason": _string(500),
        "category": {"type": "string", "enum": list(CATEGORIES)},
    },
}


class ModelAnalyzer:
    """An ``Analyzer`` over a language model."""

    def __init__(self, model: LanguageModel, prompts: Prompts) -> None:
        self._model = model
        self._prompts = prompts

    @property
    def model(self) -> str:
        return self._model.name

    def prompt_version(
        self, language: str | None, prompt_key: str | None = None
    ) -> str:
        return self._prompts.version(ModelPurpose.DEFRAME, language, prompt_key)

    async def analyse(self, article: ArticleToAnalyse) -> AnalyzerResult:
        data = {
            "TITLE": cut(article.title, MAX_TITLE),
            "DESCRIPTION": cut(article.description, MAX_DESCRIPTION),
            "TEXT": cut(article.text, MAX_TEXT),
        }
        task = Task(
            purpose=ModelPurpose.DEFRAME,
            messages=self._prompts.messages(
                ModelPurpose.DEFRAME, article.language, data, key=article.prompt_key
            ),
            schema=_SCHEMA,
            max_tokens=1_200,
        )
        answer = await self._model.complete(task)
        return _result(article, answer.value)


def _result(article: ArticleToAnalyse, value: Mapping[str, object]) -> AnalyzerResult:
    title = clean_text(str(value["title_corrected"]), _TITLE_OUT)
    if not title and article.title.strip():
        raise ModelAnswerInvalid(detail="no title is left after cleaning")
    return AnalyzerResult(
        title_original=article.title,
        description_original=article.description,
        title_corrected=title,
        title_correction_reason=_reason(value, "title_correction_reason"),
        description_corrected=clean_text(
            str(value["description_corrected"]), _DESCRIPTION_OUT
        ),
        description_correction_reason=_reason(value, "description_correction_reason"),
        framing=_score(value, "framing"),
        clickbait=_score(value, "clickbait"),
        persuasive=_score(value, "persuasive"),
        hyper_stimulus=_score(value, "hyper_stimulus"),
        speculative=_score(value, "speculative"),
        overall_reason=_reason(value, "overall_reason"),
        category=str(value["category"]),
    )


def _reason(value: Mapping[str, object], key: str) -> str:
    return clean_text(str(value[key]), _REASON_OUT)


def _score(value: Mapping[str, object], name: str) -> Score:
    # Models write 0 and 1 as they like.
    found = float(cast("float", value[name]))
    return Score(round(found, 3), _reason(value, f"{name}_reason"))
