"""One person's articles of the day in; a digest by a language model out.

The model cites articles by number. Numbers it was not given are dropped, and so are
sentences that what they cite does not say in the same words; links are made by us, to
the given articles only.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from typing import cast

from feedloom.distill.deframing import CATEGORIES
from feedloom.distill.offline.digests import Told, by_section, quoted_paragraph, story_paragraph
from feedloom.distill.offline.selection import Story, select_stories
from feedloom.distill.offline.support import prove
from feedloom.distill.offline.words import sentences
from feedloom.distill.plain_text import clean_text, cut
from feedloom.distill.prompt_files import Prompts
from feedloom.model.distilled.requests import (
    Claim,
    Digest,
    DigestArticle,
    DigestParagraph,
    Evidence,
    LanguageModel,
    ModelPurpose,
    Task,
)
from feedloom.model.errors import ModelAnswerInvalid

MAX_ARTICLES = 100
MAX_EXCERPT = 1_000
_MAX_TITLE = 300
_MAX_SOURCE = 100
_PARAGRAPH_OUT = 1_500
_FEWEST, _MOST = 3, 5
_CITED = re.compile(r"\s*((?:[\[【]\s*\d{1,4}(?:\s*[,;]\s*\d{1,4})*\s*[\]】]\s*)+)([.,;:!?]*)")
_MARKS = " .,;:!?"
_NUMBER = re.compile(r"\d+")


class ModelDigester:
    """A ``Digester`` over a language model."""

    def __init__(self, model: LanguageModel, prompts: Prompts) -> None:
        self._model = model
        self._prompts = prompts

    async def digest(
        self, articles: Sequence[DigestArticle], language: str, *, user_id: int | None = None
    ) -> Digest:
        selection = await asyncio.to_thread(select_stories, articles, language, CATEGORIES)
        best = [article for story in selection.stories for article in story.articles]
        newest = sorted(best[:MAX_ARTICLES], key=lambda a: (a.published_at, a.id), reverse=True)
        data = {f"[{n}]": _told(article) for n, article in enumerate(newest, 1)}
        task = Task(
            purpose=ModelPurpose.DIGEST,
            messages=self._prompts.messages(ModelPurpose.DIGEST, language, data),
            schema=_schema(len(newest)),
            user_id=user_id,
            temperature=0.3,
            max_tokens=1_000,
        )
        answer = await self._model.complete(task)
        numbered = {n: article.id for n, article in enumerate(newest, 1)}
        read = [
            read_paragraph(text, numbered) for text in cast("list[str]", answer.value["paragraphs"])
        ]
        kept = await asyncio.to_thread(_proven, read, newest, selection.stories)
        if not kept:
            raise ModelAnswerInvalid(detail="no sentence is supported by what it cites")
        return Digest(
            paragraphs=by_section(iter(kept)),
            model=answer.model,
            article_count=len(articles),
            left_out=selection.left_out,
        )


def _proven(
    paragraphs: Sequence[DigestParagraph],
    articles: Sequence[DigestArticle],
    stories: Sequence[Story],
) -> list[DigestParagraph]:
    """Keep the sentences that what they cite says, with the very words.

    A paragraph of which nothing is left is told by its articles' own sentences; but where
    nothing at all was true, nothing is kept.
    """
    by_id = {article.id: article for article in articles}
    story_of = {article.id: story for story in stories for article in story.articles}
    told = Told()
    kept: list[DigestParagraph] = []
    invented: list[Story] = []
    for paragraph in paragraphs:
        claims = [
            _claim(evidence[0].words, tuple(one.article_id for one in evidence), evidence)
            for claim in paragraph.claims
            for sentence in sentences(claim.text)
            if (evidence := prove(sentence, [by_id[i] for i in claim.article_ids]))
        ]
        if claims:
            told.add(" ".join(claim.text for claim in claims))
            lead = by_id[claims[0].article_ids[0]]
            kept.append(story_paragraph(story_of[lead.id], claims, lead))
        elif paragraph.citations and story_of[paragraph.citations[0]] not in invented:
            invented.append(story_of[paragraph.citations[0]])
    told_of = [story_of[paragraph.citations[0]] for paragraph in kept]
    quoted = [quoted_paragraph(one, told) for one in invented if kept and one not in told_of]
    return [*kept, *(paragraph for paragraph in quoted if paragraph.claims)]


def _told(article: DigestArticle) -> str:
    return (
        f"{cut(article.title, _MAX_TITLE)} | {cut(article.source, _MAX_SOURCE)} | "
        f"{article.published_at:%Y-%m-%d %H:%M} | {cut(article.excerpt, MAX_EXCERPT)}"
    )


def _schema(count: int) -> Mapping[str, object]:
    paragraph = {"type": "string", "maxLength": 4_000, "minLength": 1}
    fewest = _FEWEST if count >= _FEWEST else 1
    return {
        "type": "object",
        "properties": {
            "paragraphs": {
                "type": "array",
                "items": paragraph,
                "minItems": fewest,
                "maxItems": _MOST,
            }
        },
    }


def read_paragraph(text: str, numbered: Mapping[int, int]) -> DigestParagraph:
    """Split a paragraph at its citations, and map their numbers to article ids."""
    text = clean_text(text, _PARAGRAPH_OUT)
    is_ahead = _CITED.match(text) is not None
    claims: list[Claim] = []
    held: tuple[int, ...] = ()
    start = 0
    for match in _CITED.finditer(text):
        said = text[start : match.start()].strip()
        ids = _given(match[1], numbered)
        if not said.strip(_MARKS):
            held += ids
        elif is_ahead and not _closes(match):
            claims.append(_claim(said, held))
            held = ids
        else:
            claims.append(_claim(said + match[2], held + ids))
            held = ()
        start = match.end()
    if rest := text[start:].strip():
        claims.append(_claim(rest, held))
    return DigestParagraph(tuple(claims))


def _given(cited: str, numbered: Mapping[int, int]) -> tuple[int, ...]:
    found = (numbered.get(int(n)) for n in _NUMBER.findall(cited))
    return tuple(i for i in found if i is not None)


def _closes(match: re.Match[str]) -> bool:
    """Tell whether a citation closes a sentence, where others stand in front of one."""
    return bool(match[2].strip(":")) or match.end() == len(match.string)


def _claim(said: str, ids: tuple[int, ...], evidence: tuple[Evidence, ...] = ()) -> Claim:
    return Claim(said, tuple(dict.fromkeys(ids)), evidence)
