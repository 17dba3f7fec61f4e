"""A text in; the same with its quotations put away, and later put back, out.

What somebody said is not ours to edit: whatever is done in between cannot reach it. In
doubt more is put away than was quoted: an apostrophe may end a quotation as well.
"""

import re

_PLACES = "\U000f0000"
PLACE = re.compile("[\U000f0000-\U000ffffd]")
_QUOTED = re.compile(
    r"\"[^\"]*\"|“[^”“]*[”“]|„[^“”\"]*[“”\"]|”[^”]*”|«[^»]*»|»[^«]*«"
    r"|\u2039[^\u203a]*\u203a|\u203a[^\u2039]*\u2039|「[^」]*」|『[^』]*』"
    # These marks are apostrophes too; one inside a word neither opens nor closes.
    r"|[\u2018\u201a].*[\u2018\u2019](?!\w)"
    r"|(?<![\w'\u2019])['\u2019](?=\S).*(?<=\S)['\u2019](?!\w)"
    # What is never closed is quoted to the end.
    r"|[\"“„”«»].*",
    re.DOTALL,
)


def put_away(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the text with one character for each quotation, and the quotations.

    A text that uses these characters itself is put away as a whole.
    """
    if PLACE.search(text):
        return _PLACES, (text,)
    quotes: list[str] = []

    def place(match: re.Match[str]) -> str:
        quotes.append(match[0])
        return chr(ord(_PLACES) + len(quotes) - 1)

    return _QUOTED.sub(place, text), tuple(quotes)


def put_back(text: str, quotes: tuple[str, ...]) -> str:
    return PLACE.sub(lambda match: quotes[ord(match[0]) - ord(_PLACES)], text)
