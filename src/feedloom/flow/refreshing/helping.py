"""What a helping process does: it reads documents that another process fetched.

It is started in the middle of a first refresh, when every core has enough to do. So this
module imports what reading takes and nothing else: feeds wait until it is up.
"""

import gc
import multiprocessing
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from types import ModuleType
from typing import TYPE_CHECKING, Any

from feedloom.flow.refreshing.articles import new_articles
from feedloom.model.feed import ParsedEntry, ParsedFeed
from feedloom.model.stages import Fetched, Known, NewArticle

if TYPE_CHECKING:
    from feedloom.model.ports import Parser

MakeParser = Callable[[], "Parser"]
Understood = tuple[ParsedFeed, tuple[NewArticle, ...]]
Columns = tuple[tuple[Any, ...], ...]
Packed = tuple[ParsedFeed, Columns, Columns]
"""The same as it travels: the feed, its entries in short, its articles."""

LOOK_EVERY = 10_000
"""Objects between two looks for cycles: what reading makes has none."""
_parser: "Parser | None" = None


def understand_at_once(
    parser: "Parser", answer: Fetched, known: Known, now: datetime
) -> Understood | None:
    """Parse a document and clean what is new in it; None when it takes guessing.

    Raises ``ParseError`` kinds.
    """
    parsed = parser.parse_at_once(
        answer.body, url=answer.url, content_type=answer.content_type, now=now
    )
    if parsed is None:
        return None
    return parsed, new_articles(parsed, known, feed_url=answer.url, now=now)


@contextmanager
def without_main() -> Iterator[None]:
    """Start processes that do not run our program's first module again.

    They would import all of the application, and use nothing of it.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def prepare(make_parser: MakeParser) -> None:
    """Get ready, in the helping process."""
    global _parser  # noqa: PLW0603 - one parser per process
    _parser = make_parser()
    gc.freeze()
    gc.set_threshold(LOOK_EVERY)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End when the process is gone that this one works for, even if it was killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(0)


def answer_call() -> None:
    """Show that the helping process is up."""


def understand_there(answer: Fetched, known: Known, now: datetime) -> Packed | None:
    """Do as ``understand_at_once`` does, in the helping process; see ``unpacked``."""
    if _parser is None:
        raise RuntimeError
    found = understand_at_once(_parser, answer, known, now)
    return found and _packed(*found)


def _packed(parsed: ParsedFeed, articles: tuple[NewArticle, ...]) -> Packed:
    """Turn rows into columns, which are sent in half the time.

    What nobody asks an entry once its article is made is left out: it is long.
    """
    entries = ((e.guid, e.url, e.title, e.published_at) for e in parsed.entries)
    return (
        replace(parsed, entries=()),
        tuple(zip(*entries, strict=True)),
        tuple(zip(*articles, strict=True)),
    )


def unpacked(sent: Packed) -> Understood:
    """Return what was understood there."""
    parsed, entries, articles = sent
    short = tuple(
        ParsedEntry(guid, url, title, published_at=at)
        for guid, url, title, at in zip(*entries, strict=True)
    )
    rows = map(NewArticle._make, zip(*articles, strict=True))
    return replace(parsed, entries=short), tuple(rows)
