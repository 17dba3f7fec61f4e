"""Several good feeds at one address: which of them to let a person choose from. Pure.

A discovery in its plain form goes in, as a task keeps it. Choices come out, best first;
none when the best feed is plainly the one. The same feed in another format is no choice.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from feedloom.model.search_query import fold
from feedloom.model.stages import Origin

_NEAR = 10
"""How far behind the best a feed may be and still be as good for somebody."""
_MOST = 10


@dataclass(frozen=True, slots=True)
class Choice:
    url: str
    title: str
    format: str
    score: int
    newest: str = ""
    """Title of its newest entry."""


def choices_of(discovered: Mapping[str, object]) -> tuple[Choice, ...]:
    valid = [one for one in _candidates(discovered) if one.get("valid")]
    if not valid or valid[0].get("from") == Origin.PASTED:
        return ()
    near = _number(valid[0]) - _NEAR
    chosen: dict[object, Choice] = {}
    seen: set[object] = set()
    for one in valid[:_MOST]:
        marks = _marks(one)
        if _number(one) >= near and not marks & seen:
            chosen[one.get("url")] = _choice(one)
        seen |= marks
    return tuple(chosen.values()) if len(chosen) > 1 else ()


def _candidates(discovered: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    found = discovered.get("candidates")
    for one in found if isinstance(found, list) else ():
        if isinstance(one, Mapping):
            yield one


def _number(one: Mapping[str, object]) -> int:
    score = one.get("score")
    return score if isinstance(score, int) else 0


def _newest(one: Mapping[str, object]) -> Mapping[str, object]:
    newest = one.get("newest")
    return newest if isinstance(newest, Mapping) else {}


def _marks(one: Mapping[str, object]) -> set[object]:
    """Name what two forms of one feed have in common: a title, or the newest entry."""
    marks: set[object] = {("title", fold(str(one.get("title") or one.get("url"))))}
    if url := _newest(one).get("url"):
        marks.add(("newest", url))
    return marks


def _choice(one: Mapping[str, object]) -> Choice:
    return Choice(
        url=str(one.get("url")),
        title=str(one.get("title") or one.get("url")),
        format=str(one.get("format") or ""),
        score=_number(one),
        newest=str(_newest(one).get("title") or ""),
    )
