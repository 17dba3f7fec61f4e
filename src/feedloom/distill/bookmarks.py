"""A saved page in; two or three sentences and tags by a language model out."""

from collections.abc import Mapping
from typing import cast

from feedloom.distill.offline.tags import TAGS, chosen_tags
from feedloom.distill.offline.words import sentences
from feedloom.distill.plain_text import clean_text, cut
from feedloom.distill.prompt_files import Prompts, defused
from feedloom.model.distilled.requests import (
    LanguageModel,
    ModelPurpose,
    PageSummary,
    PageToSummarise,
    Task,
)
from feedloom.model.errors import ModelAnswerInvalid

MAX_TEXT = 10_000
_MAX_TITLE = 300
_MAX_DESCRIPTION = 1_000
_SUMMARY_OUT = 700
_MOST_SENTENCES = 3
_MOST_OWN_TAGS = 100
_SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {
        "summary": {"type": "string", "maxLength": 2_000, "minLength": 1},
        "tags": {
            "type": "array",
            "items": {"type": "string", "maxLength": 60},
            "minItems": 0,
            "maxItems": 10,
        },
    },
}


class ModelSummariser:
    """A ``Summariser`` over a language model."""

    def __init__(self, model: LanguageModel, prompts: Prompts) -> None:
        self._model = model
        self._prompts = prompts

    async def summarise(self, page: PageToSummarise, *, user_id: int | None = None) -> PageSummary:
        data = {
            "TITLE": cut(page.title, _MAX_TITLE),
            "DESCRIPTION": cut(page.description, _MAX_DESCRIPTION),
            "TEXT": cut(page.text, MAX_TEXT),
        }
        own = tuple(defused(tag) for tag in page.tags[:_MOST_OWN_TAGS])
        messages = self._prompts.messages(
            ModelPurpose.BOOKMARK, page.language, data, tags=", ".join((*own, *TAGS))
        )
        task = Task(
            purpose=ModelPurpose.BOOKMARK,
            messages=messages,
            schema=_SCHEMA,
            user_id=user_id,
            temperature=0.2,
            max_tokens=400,
        )
        answer = await self._model.complete(task)
        told = clean_text(str(answer.value["summary"]), _SUMMARY_OUT)
        if not told:
            raise ModelAnswerInvalid(detail="no summary is left after cleaning")
        given = [clean_text(t, 60) for t in cast("list[str]", answer.value["tags"])]
        return PageSummary(
            summary=" ".join(sentences(told)[:_MOST_SENTENCES]),
            tags=chosen_tags(given, page.tags),
            model=answer.model,
        )
