"""The candidates of one discovery: what was found, what it turned out to be, and how they rank.

Candidates and answers go in, scored candidates come out. A feed that several sources name is one
candidate with the most trusted of them; two addresses that lead to the same document are one feed.
"""

from collections.abc import Iterable
from dataclasses import replace
from itertools import islice

from feedloom.discover.request_plan import Reply
from feedloom.discover.scores import (
    WEIGHTS,
    Context,
    Validated,
    is_foreign,
    is_main,
    may_be_whole,
    promise_of,
    rank_all,
)
from feedloom.model.stages import Candidate, Origin, ScoredCandidate
from feedloom.model.urls import is_address, url_key

NOT_CHECKED = "Not checked: the search ran out of requests or time."
NOT_YET = "Not checked yet."
MAX_REFUSED = 40
"""Most candidates that are no feeds, or were not asked, that are told about."""


class Ledger:
    def __init__(self) -> None:
        self._found: dict[str, Candidate] = {}
        self._answers: dict[str, Reply] = {}

    def note(self, candidate: Candidate) -> None:
        """Remember a candidate, or that a more trusted source names it too."""
        key = url_key(candidate.url)
        known = self._found.get(key)
        if known is None:
            self._found[key] = candidate
            return
        known = replace(known, is_of_address=known.is_of_address or candidate.is_of_address)
        if WEIGHTS[candidate.origin.value] > WEIGHTS[known.origin.value]:
            # Answers are filed by the address that was asked: it stays.
            title, is_of_address = candidate.title or known.title, known.is_of_address
            known = replace(candidate, url=known.url, title=title, is_of_address=is_of_address)
        self._found[key] = known

    def record(self, candidate: Candidate, reply: Reply) -> None:
        self.note(candidate)
        self._answers[url_key(candidate.url)] = reply.kept

    def unchecked(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        keys = dict.fromkeys(url_key(candidate.url) for candidate in candidates)
        return [self._found[key] for key in keys if key not in self._answers]

    def has_main(self, context: Context) -> bool:
        return any(is_main(one, context) for one in self._validated())

    def has_whole(self, context: Context) -> bool:
        """Tell whether one of them is not only of a topic."""
        found = self._validated()
        return any(is_main(one, context) and may_be_whole(one.candidate, context) for one in found)

    def has_own(self, context: Context) -> bool:
        """Tell whether one of them is the site's, be it of a part of it."""
        return any(not is_foreign(one, context) for one in self._validated())

    def scored(self, context: Context, *, complete: bool) -> tuple[ScoredCandidate, ...]:
        """Return all candidates, the best first, those that are no feeds last."""
        unproved = sorted(
            ((candidate, self._answers.get(key)) for key, candidate in self._found.items()),
            key=lambda pair: (-promise_of(pair[0], context), pair[0].url),
        )
        waiting = NOT_CHECKED if complete else NOT_YET
        refused = (
            _refused(candidate, reply.outcome if reply else waiting)
            for candidate, reply in unproved
            # A guess that failed was never more than a question.
            if not (reply and reply.feed) and candidate.origin is not Origin.GUESS
        )
        return (*rank_all(self._validated(), context), *islice(refused, MAX_REFUSED))

    def _validated(self) -> list[Validated]:
        """Return one entry per document, under its most trusted name."""
        by_document: dict[str, Validated] = {}
        for key, reply in self._answers.items():
            if reply.fetched is None or reply.feed is None:
                continue
            candidate, url = self._found[key], reply.fetched.permanent_url
            if not url or not is_address(url):
                url = candidate.url
            found = Validated(candidate, url, reply.feed)
            document = url_key(reply.fetched.url)
            known = by_document.get(document)
            if known is None or _trust(found) < _trust(known):
                by_document[document] = found
        by_address: dict[str, Validated] = {}
        for found in sorted(by_document.values(), key=_trust):
            by_address.setdefault(url_key(found.url), found)
        return list(by_address.values())


def _trust(found: Validated) -> tuple[int, int, int, str]:
    weight = WEIGHTS[found.candidate.origin.value]
    return (-weight, found.candidate.rank, len(found.url), found.url)


def _refused(candidate: Candidate, error: str) -> ScoredCandidate:
    return ScoredCandidate(
        url=candidate.url,
        origin=candidate.origin,
        score=0,
        reasons={},
        valid=False,
        error=error,
        title=candidate.title,
    )
