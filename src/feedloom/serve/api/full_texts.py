"""Full texts in JSON: asked for here, there a little later."""

from starlette.requests import Request
from starlette.responses import Response

from feedloom.model.errors import NotFound
from feedloom.serve.auth import actor, services
from feedloom.serve.doors import Access, Door, Operation
from feedloom.serve.ids import path_id
from feedloom.serve.wire.shapes import (
    ArticleShape,
    TaskShape,
    article_shape,
    task_shape,
)
from feedloom.serve.wire.speaking import answer


async def read_full_text(request: Request) -> Response:
    """Have an article's own page read; one that was read already is shown."""
    user_id = actor(request).user.id
    at_hand = services(request)
    article = await at_hand.reading.article(user_id, path_id(request))
    if article.hidden:
        raise NotFound("Article not found")
    if article.full_content is not None:
        return answer(article_shape(article, with_content=True))
    task_id = await at_hand.full_texts.ask(user_id, article)
    task = await at_hand.tasks.find(user_id, task_id)
    return answer(task_shape(task), 202, {"Location": f"/api/tasks/{task_id}"})


DOORS = (
    Door(
        "/api/articles/{id}/full-text",
        read_full_text,
        ("POST",),
        Access.PERSON,
        about=Operation("Read an article in full", {200: ArticleShape, 202: TaskShape}),
    ),
)
