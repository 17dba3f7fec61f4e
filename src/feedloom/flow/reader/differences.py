"""Two versions of a text in; their lines, with the words that changed, out. Pure."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from feedloom.model.reader import Line, Piece

_MOST_PAIRS = 1_000_000
"""Of words to compare in one text; parts that need more are shown whole: old, then new."""
_MOST_LINES = 1_000
# Scripts without spaces are compared sign by sign.
_TOKEN = re.compile(
    r"\n|[^\S\n]*(?:[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u9fff\uac00-\ud7af]|"
    r"[^\W\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u9fff\uac00-\ud7af]+|[^\w\s])|\s+"
)


def differences(old: str, new: str) -> tuple[Line, ...]:
    """Compare line by line, then word by word where lines differ."""
    before, after = old.split("\n"), new.split("\n")
    words = _Words()
    if max(len(before), len(after)) > _MOST_LINES:
        return words.compare(before, after)
    found: list[Line] = []
    for kind, a, b, c, d in SequenceMatcher(None, before, after).get_opcodes():
        if kind == "equal":
            found += [(Piece("same", line),) for line in before[a:b]]
        else:
            found += words.compare(before[a:b], after[c:d])
    return tuple(found)


class _Words:
    """Compares parts of a text word by word, as long as that does not take too long."""

    def __init__(self) -> None:
        self._left = _MOST_PAIRS

    def compare(self, before: Sequence[str], after: Sequence[str]) -> tuple[Line, ...]:
        if not (before and after):
            kind = "old" if before else "new"
            return tuple((Piece(kind, line),) for line in before or after)
        old, new = (_TOKEN.findall("\n".join(lines)) for lines in (before, after))
        if len(old) * len(new) > self._left:
            return _in_lines([Piece("old", "".join(old)), Piece("new", "".join(new))])
        self._left -= len(old) * len(new)
        match = SequenceMatcher(None, [t.strip(" ") for t in old], [t.strip(" ") for t in new])
        pieces: list[Piece] = []
        for kind, a, b, c, d in match.get_opcodes():
            if kind == "equal":
                pieces.append(Piece("same", "".join(new[c:d])))
            else:
                pieces += [Piece("old", "".join(old[a:b])), Piece("new", "".join(new[c:d]))]
        return _in_lines(pieces)


def _in_lines(pieces: Sequence[Piece]) -> tuple[Line, ...]:
    lines: list[list[Piece]] = [[]]
    for piece in pieces:
        first, *more = piece.text.split("\n")
        if first:
            lines[-1].append(Piece(piece.kind, first))
        lines += [[Piece(piece.kind, text)] if text else [] for text in more]
    return tuple(tuple(line) for line in lines if line)
