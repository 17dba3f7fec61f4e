"""A headline that withholds something and its article in; the sentence that reveals it out.

The sentence is the article's own, whole and unchanged. A sentence that needs the one
before it, talks to the reader or is bait itself is no answer; None when there is none.
"""

import re
from collections.abc import Iterator

from feedloom.distill.offline.clickbait import NUMBER, clickbait_evidence, tokens
from feedloom.distill.offline.spellings import learned_spellings
from feedloom.distill.offline.words import terms, whole_sentences

_MOST_TEXT = 6_000
_SHORTEST, _LONGEST = 30, 200
_MOST_SENTENCES = 40
_BAIT = 4.0
"""Log odds from which a sentence is bait itself. Sentences of articles are longer than
headlines, so ordinary ones come near it."""
_ENOUGH = 0.65
_LEAST_TERMS = 2
"""A single word in common, or a single new one, says too little."""
_LEANS_BACK = re.compile(
    r"[\"\u201c\u2018'(\[]|(?:this|that|these|those(?! who)|it|its|he|she|they|his|her|their"
    r"|but|and|so|or|because|however|then|also|yet|still|here|there|such|both|instead|meanwhile"
    r"|another|other|others|similar\w*|previous\w*|earlier|formerly|last (?:year|month|week)\w*"
    r"|ander\w*|früher\w*|voriges|vergangene\w*|letzte[snr]"
    r"|in fact|as a result|for example|according to (?:him|her|them)|er|sie|es|das|dies\w*|aber|und"
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
_ENDING = re.compile(r"(?<=[^\W\d_]{3})(?:(.)\1ing|ing|ed|s)\Z")
_NAME = re.compile(r"\b[^\W\d_a-zà-ÿ][^\W\d_]+")
_ASKS_CAUSE = re.compile(
    r"\b(?:why|reasons?|secret|warum|wieso|weshalb|grund|darum|deshalb)\b", re.IGNORECASE
)
_ONCE = re.compile(r"\b(?:in|im jahr) (?:19|20)\d\d\b", re.IGNORECASE)
"""What caused something in some year need not have caused it this time."""
_NEGATION = re.compile(
    r"\b(?:not|no|never|nobody|none|nothing|without|cannot|nicht|nie\w*|kein\w*|ohne)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
_KEEPS_QUIET = re.compile(
    r"\b(?:won['\u2019]t|don['\u2019]t want to|refuses? to) tell\b", re.IGNORECASE
)
_UP = re.compile(
    r"\b(?:ris(?:e|es|ing)|rose|risen|increas\w*|gr(?:ow|ew)\w*|climb\w*|soar\w*|surg\w*|jump\w*"
    r"|steig\w*|stieg\w*|gestiegen|wächst|wachsen|teurer|higher|dearer)\b",
    re.IGNORECASE,
)
_DOWN = re.compile(
    r"\b(?:fall(?:s|ing|en)?|fell|drop\w*|cuts?|cutting|halv\w*|declin\w*|sinks?|sank|plung\w*"
    r"|decreas\w*|shr[iau]nk\w*|lower\w*|sink(?:t|en)|sank\w*|gesunken|fällt|fiel\w*|billiger"
    r"|cheaper)\b",
    re.IGNORECASE,
)
_DEMONSTRATED = re.compile(r"\b(?:this|these|dies\w*)\s+[\w-]+(?:\s+[\w-]+)?", re.IGNORECASE)
_TIME = r"\d[ -](?:second|minute|hour|day|week|month|year|sekunde|stunde|tag|woche|monat|jahr)"
_AGE = r"\d[- ]years?[- ]old|(?:aged?|age of|turn(?:s|ed)) \d|\d jahre alt|alter von \d"
_AMOUNT = (
    r"[$€£¥]\s?\d|\d\s?[$€£¥%]|\d (?:(?:million|billion|thousand|mio|mrd)\w*\.? )?"
    r"(?:dollar|euro|pound|franc|yen|rupee|kron[ae]|percent|prozent)"
)
_NUMBERS = tuple(
    (re.compile(rf"\b(?:{asked})\b", re.IGNORECASE), re.compile(told, re.IGNORECASE))
    for asked, told in (
        ("how old|age|(?:wie|so) alt", _AGE),
        ("how long|(?:wie|so) lange", _TIME),
        ("how much|price|salary|(?:wie|so) ?viel|preis|kostet", _AMOUNT),
        ("how many|(?:wie|so) ?viele", r"\d"),
    )
)
"""What asks for a number, and what tells one of that kind."""
_ASKS_WHO = re.compile(r"\b(?:who|whose|guess|which|wer|welche\w*)\b", re.IGNORECASE)
_ASKS_NAME = re.compile(
    r"\b(?:who|whose|this|these|guess|which|something|star|celebrity|one|dieser?|dieses|wer|welche\w*)\b",
    re.IGNORECASE,
)
# What only promises that there is something to learn; no article repeats it.
_PROMISE = re.compile(
    r"\b(?:believe|guess|reasons?|secrets?|surpris\w+|shock\w*|break\w* your heart|talking"
    r"|viral|speechless|stunn\w+|expect\w*|reveal\w*|truth|tricks?|really|actually|suddenly"
    r"|find out|discover\w*|finally|answers?|happen\w*|tells?|internet|wait until|weird|strange"
    r"|amazing|incredible|tiny|simple|wrong|whole life|can't stop"
    r"|(?:here|what|that)['\u2019]s|won['\u2019]t|you['\u2019]ll|glaub\w+|grund|geheimnis\w*"
    r"|wahrheit|wirklich|un(?:glaublich|fassbar)\w*|überrasch\w*|schock\w*)(?!\w)",
    re.IGNORECASE,
)


def find_answer(title: str, text: str, description: str) -> str | None:
    """Return the sentence that holds what a headline hides."""
    if (not text and not description) or _KEEPS_QUIET.search(title):
        return None
    if tokens(title)[:1] == [NUMBER]:
        # A list has no single answer.
        return None
    asked = _roots(_PROMISE.sub(" ", title))
    worth = {
        sentence: _worth(sentence, title, asked) / (1 + 0.03 * place)
        for place, sentence in enumerate(_candidates(text, description))
    }
    best = max(worth, key=lambda sentence: worth[sentence], default=None)
    return best if best is not None and worth[best] >= _ENOUGH else None


def _roots(text: str) -> set[str]:
    """Return terms of a text without the endings that short words keep as well."""
    return {_ENDING.sub("", term) for term in terms(text)}


def _candidates(text: str, description: str) -> Iterator[str]:
    sentences = [*whole_sentences(text[:_MOST_TEXT]), *whole_sentences(description)]
    for sentence in sentences[:_MOST_SENTENCES]:
        is_whole = sentence in text or sentence in description
        if not is_whole or not _SHORTEST <= len(sentence) <= _LONGEST:
            continue
        if not _LEANS_BACK.match(sentence) and not _NO_REPORT.search(sentence):
            yield sentence


def _worth(sentence: str, title: str, asked: set[str]) -> float:
    said = _roots(sentence)
    shared = asked & said
    if not shared or _lacks_name(said, title) or clickbait_evidence(sentence)[0] > _BAIT:
        return 0.0
    new = said - asked
    names = new & _roots(" ".join(_NAME.findall(sentence)))
    named = bool(names and _ASKS_NAME.search(title))
    asks_who = bool(_ASKS_WHO.search(title))
    tells = _answers(sentence, title)
    if len(shared) < _LEAST_TERMS and not (tells and len(asked) <= _LEAST_TERMS):
        return 0.0
    if not tells:
        # It says no more than the headline, or is about a part of it only.
        missing = len(asked) - len(shared)
        says_more = len(new - names) >= _LEAST_TERMS or asks_who
        if not says_more or missing > named * (len(shared) if asks_who else 1):
            return 0.0
    return len(shared) / len(asked) + min(len(new), 6) * 0.05 + 0.3 * (tells + named)


def _answers(sentence: str, title: str) -> int:
    """Count what the headline asks for, besides a name, and the sentence has."""
    has_number = not re.search(r"\d", title) and any(
        asked.search(title) and told.search(sentence) for asked, told in _NUMBERS
    )
    return _tells_cause(sentence, title) + has_number


def _tells_cause(sentence: str, title: str) -> bool:
    """Tell whether a sentence has the cause of what the headline says, not of its opposite."""
    cause = _CAUSE.search(sentence)
    if cause is None or not _ASKS_CAUSE.search(title) or _ONCE.search(sentence):
        return False
    said = _PROMISE.sub(" ", title)
    told = sentence[: cause.start()] or sentence
    return bool(_NEGATION.search(told)) == bool(_NEGATION.search(said)) and not (
        (_UP.search(said) and _DOWN.search(told)) or (_DOWN.search(said) and _UP.search(told))
    )


def _lacks_name(said: set[str], title: str) -> bool:
    """Tell whether a name of the headline, or what may be one, is not in a sentence."""
    named = _NAME.findall(_DEMONSTRATED.sub(" ", _PROMISE.sub(" ", title))[1:])
    ordinary = learned_spellings().ordinary
    names = {root for name in named if name.lower() not in ordinary for root in _roots(name)}
    return not all(any(told.startswith(name) for told in said) for name in names)
