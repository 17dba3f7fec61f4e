"""A page's text in; its two or three most important sentences out, in their order."""

from collections import Counter

from feedloom.distill.offline.words import sentences, terms, whole_sentences

_MAX_TEXT = 10_000
_MOST = 3
_FEWEST_FOR_THREE = 12
_SHORTEST, _LONGEST = 30, 400
_SUMMARY = 700
_LEAD = 0.25
_TITLE = 0.5


def extractive_summary(title: str, text: str, description: str) -> str:
    """Return two or three sentences of the page; its description when it has none."""
    text = text[:_MAX_TEXT]
    written = whole_sentences(text) or sentences(text)
    usable = {n: s for n, s in enumerate(written) if _SHORTEST <= len(s) <= _LONGEST}
    if not usable:
        return " ".join(sentences(description)[:_MOST])[:_SUMMARY]
    most = _MOST if len(written) >= _FEWEST_FOR_THREE else 2
    counted = Counter(term for sentence in usable.values() for term in terms(sentence))
    titled = set(terms(title))
    worth = {n: _worth(s, counted, titled) + _LEAD / (1 + n) for n, s in usable.items()}
    picked: list[int] = []
    for number in sorted(usable, key=lambda n: (-worth[n], n)):
        if len(picked) < most and not _says_again(usable[number], picked, usable):
            picked.append(number)
    return " ".join(usable[n] for n in sorted(picked))[:_SUMMARY]


def _worth(sentence: str, counted: Counter[str], titled: set[str]) -> float:
    said = terms(sentence)
    if not said:
        return 0.0
    frequent = sum(counted[term] for term in said) / len(said)
    about = len(titled & set(said)) / len(titled) if titled else 0.0
    return frequent / max(counted.values()) + _TITLE * about


def _says_again(sentence: str, picked: list[int], usable: dict[int, str]) -> bool:
    said = set(terms(sentence))
    return any(len(said & set(terms(usable[n]))) > len(said) * 0.6 for n in picked)
