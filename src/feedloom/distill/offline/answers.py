"""A headline that holds something back, and its article in; the sentence that says it out.

The sentence is the article's own, whole and unchanged. A sentence that needs the one
before it, talks to the reader or is bait itself is no answer; None when there is none.
"""

import re
from collections.abc import Iterator

from feedloom.distill.offline.clickbait import NUMBER, clickbait_evidence, tokens
from feedloom.distill.offline.words import stem, terms, whole_sentences

_MOST_TEXT = 6_000
_SHORTEST, _LONGEST = 30, 200
_MOST_SENTENCES = 40
_BAIT = 0.0
_ENOUGH = 0.75
_LEANS_BACK = re.compile(
    r"[\"\u201c\u2018'(\[]|(?:this|that|these|those|it|its|he|she|they|his|her|their|but|and|so|or"
    r"|because|however|then|also|yet|still|here|there|such|both|instead|meanwhile|in fact"
    r"|as a result|for example|according to (?:him|her|them)|er|sie|es|das|dies\w*|aber|und"
    r"|oder|doch|denn|dann|auch|dort|sein\w*|ihr\w*|deshalb|darum|daher|trotzdem|solche\w*"
    r"|i|we|our|my|ich|wir|unser\w*|mein\w*)\b",
    re.IGNORECASE,
)
_NO_REPORT = re.compile(
    r"\b(?:you|your|yourself|click|subscrib\w*|newsletter|cookies?|sign up|read more|photo"
    r"|getty|copyright|advertisement|dein\w*|du|abonnier\w*|klick\w*|anzeige)\b|[?!\u2026]|\.\.\.",
    re.IGNORECASE,
)
_CAUSE = re.compile(
    r"\b(?:because|due to|since|caused?|after|thanks to|reasons?|led to|so that|owing"
    r"|weil|wegen|aufgrund|durch|denn|grund|nachdem|damit)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<=[\w,] )[^\W\d_a-zà-ÿ][^\W\d_]+")
_ASKS_CAUSE = re.compile(
    r"\b(?:why|reasons?|warum|wieso|weshalb|grund|darum|deshalb)\b", re.IGNORECASE
)
_ASKS_NUMBER = re.compile(
    r"\b(?:how (?:much|many|long|old)|price|cost|salary|age|wie ?(?:viel|alt|lange)|preis"
    r"|kostet)\b",
    re.IGNORECASE,
)
_ASKS_NAME = re.compile(
    r"\b(?:who|whose|this|these|guess|which|star|celebrity|one|dieser?|dieses|wer|welche\w*)\b",
    re.IGNORECASE,
)


def find_answer(title: str, text: str, description: str) -> str | None:
    """Return the sentence that holds what a headline hides."""
    if not text and not description:
        return None
    if tokens(title)[:1] == [NUMBER]:
        # A list has no single answer.
        return None
    asked = set(terms(title))
    worth = {
        sentence: _worth(sentence, title, asked) / (1 + 0.03 * place)
        for place, sentence in enumerate(_candidates(text, description))
    }
    best = max(worth, key=lambda sentence: worth[sentence], default=None)
    return best if best is not None and worth[best] >= _ENOUGH else None


def _candidates(text: str, description: str) -> Iterator[str]:
    sentences = [*whole_sentences(text[:_MOST_TEXT]), *whole_sentences(description)]
    for sentence in sentences[:_MOST_SENTENCES]:
        is_whole = sentence in text or sentence in description
        if not is_whole or not _SHORTEST <= len(sentence) <= _LONGEST:
            continue
        if not _LEANS_BACK.match(sentence) and not _NO_REPORT.search(sentence):
            yield sentence


def _worth(sentence: str, title: str, asked: set[str]) -> float:
    said = set(terms(sentence))
    shared = asked & said
    if not shared or clickbait_evidence(sentence)[0] > _BAIT + 2:
        return 0.0
    about = len(shared) / len(asked)
    new = said - asked
    worth = about + min(len(new), 6) * 0.05
    return worth + 0.3 * _answers(sentence, title, new)


def _answers(sentence: str, title: str, new: set[str]) -> int:
    """Count what the headline asks for and the sentence has."""
    has_number = bool(re.search(r"\d", sentence)) and not re.search(r"\d", title)
    names = {stem(name.lower()) for name in _NAME.findall(sentence)}
    return sum(
        (
            bool(_ASKS_CAUSE.search(title) and _CAUSE.search(sentence)),
            bool(_ASKS_NUMBER.search(title) and has_number),
            bool(_ASKS_NAME.search(title) and names & new),
        )
    )
