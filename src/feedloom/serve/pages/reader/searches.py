"""Search results: hit counts, filter chips, highlighted words; and saved searches."""

import re
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import pairwise
from urllib.parse import urlencode

from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import Response

from feedloom.markup import to_text
from feedloom.model.reader import Article, Order, SavedSearch
from feedloom.model.search_query import fold, is_condition, pieces_of, read_search
from feedloom.serve.auth import actor, services
from feedloom.serve.ids import path_id
from feedloom.serve.pages.formatting import counted, first_line
from feedloom.serve.pages.forms import field, redirect_to
from feedloom.serve.pages.reader.places import Place
from feedloom.serve.routes import Access, Route

_MOST_HITS = 1_000
"""More are not counted."""
_TOKEN = re.compile(r"\w+")
_BEFORE, _LONGEST = 60, 180
_PERIODS = (("Past day", 1), ("Past week", 7), ("Past month", 30))
_SPACE_NEAR = 20
"""How far a snippet's beginning may move to stand at a word's."""


@dataclass(frozen=True, slots=True)
class Chip:
    text: str
    href: str
    is_on: bool


@dataclass(frozen=True, slots=True)
class Results:
    hits: str
    chips: tuple[Chip, ...]
    saved: SavedSearch | None


class Marker:
    """Marks the words of a search in a text."""

    def __init__(self, text: str) -> None:
        words: set[str] = set()
        beginnings: list[str] = []
        parts: list[str] = []
        for term in read_search(text).wanted:
            if term.text:
                parts += term.text.split()
                continue
            words.update(term.words)
            if term.goes_on:
                beginnings.append(term.words[-1])
        self._words, self._beginnings, self._parts = words, tuple(beginnings), parts

    def spans(self, text: str) -> list[tuple[int, int]]:
        found = []
        for match in _TOKEN.finditer(text):
            word = fold(match.group())
            if word in self._words or word.startswith(self._beginnings or "\x00"):
                found.append(match.span())
                continue
            for part in self._parts:
                if (at := word.find(part)) >= 0:
                    whole = len(word) != match.end() - match.start()
                    first = match.start() + (0 if whole else at)
                    found.append((first, match.end() if whole else first + len(part)))
                    break
        return found

    def marked(self, text: str) -> Markup:
        ends = [0, *(end for span in self.spans(text) for end in span), len(text)]
        shapes = Markup("{}"), Markup("<mark>{}</mark>")
        parts = [text[start:end] for start, end in pairwise(ends)]
        return Markup("").join(shapes[n % 2].format(part) for n, part in enumerate(parts))

    def snippet(self, article: Article) -> Markup:
        """Cut the text round the first word that was searched for."""
        for said in (article.summary, to_text(article.full_content or article.content)):
            text = " ".join(said.split())
            if spans := self.spans(text):
                return self._around(text, spans[0][0])
        return escape(first_line(article.summary))

    def _around(self, text: str, first: int) -> Markup:
        start = max(0, first - _BEFORE)
        if start:
            space = text.find(" ", start, start + _SPACE_NEAR)
            start = space + 1 if space >= 0 else start
        cut = first_line(text[start:], _LONGEST)
        return self.marked(f"… {cut}" if start else cut)


async def results_of(request: Request, place: Place) -> Results:
    user_id, app_services = actor(request).user.id, services(request)
    wanted = replace(place.wanted(limit=_MOST_HITS + 1), order=Order.NEWEST)
    hits = len(await app_services.reading.item_nos(user_id, wanted))
    saved = await app_services.saved_searches.searches(user_id)
    told = f"More than {_MOST_HITS:,} articles" if hits > _MOST_HITS else counted(hits, "article")
    this_one = next((search for search in saved if search.query == place.text), None)
    return Results(told, tuple(_chips(request, place)), this_one)


def _chips(request: Request, place: Place) -> list[Chip]:
    """Name what narrows the search, each with the search without it; then what may."""
    pieces = pieces_of(place.text or "")
    found = [
        Chip(piece, place.url(q=" ".join((*pieces[:n], *pieces[n + 1 :]))), is_on=True)
        for n, piece in enumerate(pieces)
        if is_condition(piece)
    ]
    given = {chip.text.partition(":")[0] for chip in found}
    offered = [] if "is:starred" in pieces else [("Starred", "is:starred")]
    if "after" not in given:
        today = services(request).clock.now().date()
        offered += [(t, f"after:{today - timedelta(days=days)}") for t, days in _PERIODS]
    found += [
        Chip(text, place.url(q=f"{place.text} {piece}"), is_on=False) for text, piece in offered
    ]
    return found


def _back(query: str, did: str) -> Response:
    return redirect_to(f"/search?{urlencode({'q': query})}" if query else "/search", did)


async def save(request: Request) -> Response:
    form = await request.form()
    query = " ".join(field(form, "q").split())
    name = field(form, "name") or query
    await services(request).saved_searches.save(actor(request).user.id, name, query)
    return _back(query, "saved-search")


async def rename(request: Request) -> Response:
    name = field(await request.form(), "name")
    store, user_id = services(request).saved_searches, actor(request).user.id
    renamed = await store.change(user_id, path_id(request), name=name)
    return _back(renamed.query, "renamed")


async def delete(request: Request) -> Response:
    store, user_id = services(request).saved_searches, actor(request).user.id
    gone = await store.search(user_id, path_id(request))
    await store.delete(user_id, gone.id)
    return _back(gone.query, "deleted")


ROUTES = (
    Route("/searches", save, ("POST",), Access.PERSON),
    Route("/searches/{id}/rename", rename, ("POST",), Access.PERSON),
    Route("/searches/{id}/delete", delete, ("POST",), Access.PERSON),
)
