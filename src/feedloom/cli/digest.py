"""``feedloom digest``: the evidence behind the sentences of a digest."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from feedloom.cli.output import err, person_at, show, with_container
from feedloom.distill import is_proven
from feedloom.model.distilled.requests import Claim, Evidence, Part
from feedloom.model.errors import FeedloomError, InvalidInput
from feedloom.model.reader import Article, Wanted

if TYPE_CHECKING:
    from feedloom.app import Container
    from feedloom.model.distilled.digests import Summary

program = typer.Typer(help="Check digests.", no_args_is_help=True)


@program.callback()
def _group() -> None:
    pass


@program.command()
def verify(
    *,
    user: Annotated[str, typer.Option("--user", help="Email address of the account.")] = "",
    file: Annotated[
        Path | None, typer.Option("--file", help="A JSON export; needs no database.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Check that every sentence of a person's digests stands in the articles it cites.

    The words it rests on must match their hash and be those of the sentence. With --user,
    they are also looked up in the articles; an article that was deleted or has changed since
    is counted, and does no harm. Digests of version 0.1 kept no evidence, so none of their
    sentences is checked. Exit code 1 if a sentence fails.

    Example: feedloom digest verify --file export.json
    """
    if bool(user) == (file is not None):
        raise typer.BadParameter("Give either --user or --file.")
    rows = list(_of_file(file)) if file is not None else with_container(of_person(user))
    failed = sum(row["sentences"] - row["proven"] for row in rows)
    show(rows, as_json=as_json, empty="There are no digests.")
    if failed:
        raise FeedloomError(f"Sentences without support: {failed}.")


def of_person(email: str) -> Any:
    async def work(container: "Container") -> list[dict[str, Any]]:
        person = await person_at(container, email)
        store = container.digests(container.web).store
        rows, cursor = [], None
        while True:
            page = await store.summaries(person.id, cursor=cursor, limit=100)
            for summary in page.summaries:
                wanted = Wanted(
                    item_nos=tuple(one.item_no for one in summary.cited),
                    include_hidden=True,
                    with_content=True,
                    limit=len(summary.cited),
                )
                there = (await container.services().reading.articles(person.id, wanted)).articles
                rows.append(_report_of(summary, {one.item_no: one for one in there}))
            cursor = page.next_cursor
            if cursor is None:
                return rows

    return work


def _report_of(summary: "Summary", there: Mapping[int, Article]) -> dict[str, Any]:
    told = [claim for paragraph in summary.paragraphs for claim in paragraph.told]
    if not any(paragraph.source_ids for paragraph in summary.paragraphs):
        # Version 0.1 kept neither sources nor evidence.
        told = [claim for claim in told if claim.evidence]
    report = _report(summary.created_at.isoformat(), told)
    evidence = (one for claim in told for one in claim.evidence)
    places = Counter(_place(one, there.get(one.article_id)) for one in evidence)
    return report | {name: places[name] for name in ("found", "changed", "gone")}


def _place(evidence: Evidence, article: Article | None) -> str:
    from feedloom.flow.distill.digest import text_of

    if article is None:
        return "gone"
    text = article.title if evidence.part is Part.TITLE else text_of(article)
    return "found" if text[evidence.start :].startswith(evidence.words) else "changed"


def _of_file(file: Path) -> Iterator[dict[str, Any]]:
    try:
        document = json.loads(file.read_text("utf-8"))
        for digest in document["digests"]:
            told = [
                _claim(claim)
                for item in digest["items"]
                for claim in (item["headline"], *item["claims"])
                if claim is not None
            ]
            yield _report(digest["created_at"], told)
    except OSError as error:
        raise InvalidInput(f"{file} cannot be read: {error.strerror}.") from error
    except (ValueError, TypeError, KeyError) as error:
        raise InvalidInput(f"{file} is not an export of this version.") from error


def _claim(given: Mapping[str, Any]) -> Claim:
    evidence = tuple(
        Evidence(one["article_id"], Part(one["part"]), one["start"], one["words"], one["sha256"])
        for one in given["evidence"]
    )
    return Claim(given["text"], tuple(given["article_ids"]), evidence)


def _report(created_at: str, told: Sequence[Claim]) -> dict[str, Any]:
    failures = [claim.text for claim in told if not is_proven(claim)]
    for text in failures:
        err.print(f"{created_at}: not supported: {text}", style="red", markup=False)
    return {"created_at": created_at, "sentences": len(told), "proven": len(told) - len(failures)}
