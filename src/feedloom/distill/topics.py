"""A feed and a closed vocabulary in; a topic by a language model out."""

from collections.abc import Sequence
from typing import cast

from feedloom.distill.plain_text import cut
from feedloom.distill.prompt_files import Prompts
from feedloom.model.distilled.requests import (
    FeedToClassify,
    LanguageModel,
    ModelPurpose,
    Task,
    TopicGuess,
)
from feedloom.model.urls import shown_address

_MAX_TITLE = 200
_MAX_DESCRIPTION = 600
_MOST_TITLES = 10


class ModelTopics:
    """A ``TopicClassifier`` over a language model."""

    def __init__(self, model: LanguageModel, prompts: Prompts) -> None:
        self._model = model
        self._prompts = prompts

    async def classify(self, feed: FeedToClassify, vocabulary: Sequence[str]) -> TopicGuess | None:
        headlines = [cut(t, _MAX_TITLE) for t in feed.recent_titles[:_MOST_TITLES]]
        data = {
            "TITLE": cut(feed.title, _MAX_TITLE),
            "ADDRESS": cut(shown_address(feed.site_url), _MAX_TITLE),
            "DESCRIPTION": cut(feed.description, _MAX_DESCRIPTION),
            "HEADLINES": " | ".join(headlines),
        }
        task = Task(
            purpose=ModelPurpose.TOPIC,
            messages=self._prompts.messages(ModelPurpose.TOPIC, feed.language, data),
            schema={
                "type": "object",
                "properties": {
                    "topic": {"type": "string", "enum": list(vocabulary)},
                    "confidence": {"type": "number", "minimum": 0, "maximum": 1},
                },
            },
            max_tokens=60,
        )
        answer = await self._model.complete(task)
        confidence = round(cast("float", answer.value["confidence"]), 3)
        return TopicGuess(str(answer.value["topic"]), confidence, answer.model)
