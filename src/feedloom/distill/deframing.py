"""An article in; its title and description without slant, and scores, out.

The model sees only this article and fills only this schema. The originals in the
result are ours, never the model's.
"""

import re
from collections.abc import Mapping
from typing import cast

from feedloom.distill.offline.languages import judged_language
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
    TitleKind,
)

_CATEGORIES = (
    "ai autos business culture education environment food gaming health lifestyle politics"
    " programming science security sports technology travel world other"
)
CATEGORIES = tuple(_CATEGORIES.split())
MAX_TITLE = 300
MAX_DESCRIPTION = 2_000
MAX_TEXT = 10_000
_DESCRIPTION_OUT = 1_000
_LONGEST_OUT = {"title": 200, "description": _DESCRIPTION_OUT}
_REASON_OUT = 200
_LONGEST_READ = 500
_LEAST_SHARED = 0.5
_TELLING = 4
_STEM = 5
_WORD = re.compile(r"[^\W_]+")
_DIGITS = re.compile(r"\d+")
_WITHOUT_SPACES = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u9fff]")


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

    def reads_text(
        self,
        title: str,  # noqa: ARG002 - the port's
        description: str,  # noqa: ARG002
        language: str | None,  # noqa: ARG002
    ) -> bool:
        return True

    def prompt_version(self, language: str | None, prompt_key: str | None = None) -> str:
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
    title = clean_text(str(value["title_corrected"]), _LONGEST_READ)
    title_reason = _reason(value, "title_correction_reason")
    # The scores may be right all the same.
    if refused := _why_refused(title, article, "title"):
        title, title_reason = article.title, f"not used: {refused}"
    description = clean_text(str(value["description_corrected"]), _DESCRIPTION_OUT)
    description_reason = _reason(value, "description_correction_reason")
    if refused := _why_refused(description, article, "description"):
        description, description_reason = article.description, f"not used: {refused}"
    kind = TitleKind.SAME if title == article.title else TitleKind.REWRITTEN
    return AnalyzerResult(
        title_original=article.title,
        description_original=article.description,
        title_corrected=title,
        title_correction_reason=title_reason,
        description_corrected=description,
        description_correction_reason=description_reason,
        **{name: _score(value, name) for name in DIMENSIONS},
        overall_reason=_reason(value, "overall_reason"),
        category=str(value["category"]),
        title_kind=kind,
    )


def _why_refused(told: str, article: ArticleToAnalyse, name: str) -> str:
    """Tell why a model's title or description is not used; empty when it is.

    One in another language mostly shares hardly a word with its article, and neither
    does one that is made up.
    """
    if not told:
        return f"the model's {name} is empty"
    if len(told) > _LONGEST_OUT[name]:
        return f"the model's {name} is too long"
    said = _pieces(told)
    words = f"{article.title} {article.description} {article.text[:MAX_TEXT]}"
    if len(said & _pieces(words)) < _LEAST_SHARED * len(said):
        return f"the model's {name} shares too little with the article"
    if not set(_DIGITS.findall(told)) <= set(_DIGITS.findall(words)):
        return f"the model's {name} has a number that the article does not have"
    # Names are the same in many languages.
    language = judged_language(None, told)
    wanted = judged_language(article.language, article.title, words) or article.language
    if language and wanted and language != wanted.partition("-")[0].lower():
        return f"the model's {name} is in another language"
    return ""


def _pieces(text: str) -> set[str]:
    """Return the beginnings of words, and pairs of signs where none are set apart."""
    found: set[str] = set()
    for word in _WORD.findall(text.casefold()):
        if _WITHOUT_SPACES.match(word):
            found.update(word[n : n + 2] for n in range(max(1, len(word) - 1)))
        elif len(word) >= _TELLING:
            found.add(word[:_STEM])
    return found


def _reason(value: Mapping[str, object], key: str) -> str:
    return clean_text(str(value[key]), _REASON_OUT)


def _score(value: Mapping[str, object], name: str) -> Score:
    # Models write 0 and 1 as they like.
    found = float(cast("float", value[name]))
    return Score(round(found, 3), _reason(value, f"{name}_reason"))
