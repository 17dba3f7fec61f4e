"""A headline in; signs of clickbait in its form out: capitals, marks, questions, numbers.

The rules that need no word list stand here; most hold in any language.
"""

import re
from collections.abc import Iterator, Sequence

from feedloom.distill.offline.lexicon import Hit, tokens_of
from feedloom.distill.offline.typography import EMOJI

_LISTICLE_EN = re.compile(
    r"^(?:the |these |here are )?(?:\d{1,3}|five|six|seven|ten|eleven|twelve) "
    r"(?:[\w'-]+ ){0,2}?(?:things|signs|reasons|ways|facts|secrets|mistakes|photos|times"
    r"|places|foods|celebrities|questions|tricks|moments|myths|lies|people|products)\b"
)
_LISTICLE_DE = re.compile(
    r"^(?:die |diese )?(?:\d{1,3}|fünf|sechs|sieben|zehn|elf|zwölf) (?:[\w-]+ ){0,2}?"
    r"(?:dinge|sätze|fakten|gründe|fehler|tricks|orte|fragen|anzeichen|momente|mythen"
    r"|geheimnisse|fotos|bilder|promis|wahrheiten|süßigkeiten)\b",
    re.IGNORECASE,
)
_ADVICE_EN = re.compile(
    r"^(?:the |our |here are )?(?:\d{1,3}|five|six|seven|ten|eleven|twelve) "
    r"(?:[\w'-]+ ){0,3}?(?:tips|ways|habits|reasons|recipes|dinners|hacks|rules|steps"
    r"|exercises|ideas|gifts)\b"
)
_ADVICE_DE = re.compile(
    r"^(?:die |unsere )?(?:\d{1,3}|fünf|sechs|sieben|zehn|elf|zwölf) (?:[\w-]+ ){0,3}?"
    r"(?:tipps|wege|gewohnheiten|rezepte|regeln|schritte|übungen|ideen|abendessen"
    r"|gerichte|geschenke)\b",
    re.IGNORECASE,
)
_ASKS_EN = re.compile(
    r"(?:^|[:.\u2013—-]\s+)(?:is|are|was|will|would|could|can|does|do|did|has|have|should)\b"
    r"[^?]*\?",
    re.IGNORECASE,
)
_ASKS_DE = re.compile(
    r"(?:^|[:.\u2013—-]\s+)(?:ist|sind|war|wird|werden|kann|können|könnte|droht|hat|haben"
    r"|kommt|kommen|soll|muss|hört|steht|bleibt|geht|darf)\b[^?]*\?",
    re.IGNORECASE,
)
_COMMAND_EN = re.compile(
    r"(?:try|buy|stop|get|join|take|grab|save|avoid|forget|learn|discover"
    r"|watch|read|make|upgrade|skip|ditch|protect|support|choose|use|keep|give|start"
    r"|help|let|put|book|cook|bake|visit|share|tell|ask|call|send|swap|drop|pick|treat"
    r"|turn|follow|listen|look|think|remember|write|eat|drink|wear|bring|plan|sign) "
    r"(?:the|a|an|your|our|this|these|that|those|it|them|us|me|up|out|more|less|now"
    r"|some|all|any|at|to|for|put|stop|end|save|yourself)\b"
)
_FORBIDS_EN = re.compile(r"(?:don['\u2019]t|do not|never|stop) [a-z]+")
_MARK = re.compile("[:.!,] ")
_COMMAND_DE = re.compile(
    r"(?:^|[:.!,\u2013-] )(?:[A-ZÄÖÜ][a-zäöüß]+[e]?n Sie\b(?![^.!:]*\?)"
    r"|(?:Lasst|Helft|Macht|Geht|Hört|Kauft|Nehmt|Gebt|Esst|Trinkt|Spart|Denkt|Schreibt"
    r"|Wehrt|Vergesst|Probiert|Redet|Schützt|Rettet) (?!in |im |aus |wieder |sich ))"
)
_TIMES_EN = (
    "week|weekend|year|month|morning|afternoon|evening|night|summer|winter|spring|autumn"
    "|fall|season|time|decade|century|day|term|quarter|january|february|march|april|may"
    "|june|july|august|september|october|november|december|monday|tuesday|wednesday"
    "|thursday|friday|saturday|sunday|christmas|easter"
)
_TIMES_DE = (
    "woche|wochenende|jahr|jahres|monat|monats|morgen|abend|nacht|sommer|winter|frühjahr"
    "|frühling|herbst|saison|tage|tagen|tag|mal|jahrhundert|jahrzehnt|quartal|montag"
    "|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|weihnachten|ostern|januar"
    "|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember"
)
_POINTS_EN = re.compile(rf"\b(?:this|these)\b(?! (?:{_TIMES_EN})\b)")
_POINTS_DE = re.compile(rf"\bdies(?:e[rsmn]?)\b(?! (?:{_TIMES_DE})\b)", re.IGNORECASE)
_TALE_EN = re.compile(
    r"^(?:he|she|they|a (?:stranger|man|woman|boy|girl|couple|mother|father|teacher)) "
    r"[a-z]+[^:]*[.,;] "
)
_TALE_DE = re.compile(
    r"^(?:Er|Sie|Ein Mann|Eine Frau|Ein Fremder|Eine Fremde|Ein Paar|Ein Junge"
    r"|Ein Mädchen) [a-zäöü]+(?:te|ten|ging|fand|sah|kam|war|hielt|nahm|bekam) [^:]*[.,;] "
)
_TEASE_EN = re.compile(
    r"^(?:why|what|how)\b.*\b(?:really|actually|secretly)\b"
    r"|^the (?:[\w-]+ ){0,3}(?:thing|item|reason|word|habit|ingredient|mistake|place"
    r"|detail|question|sentence|gesture|sign|phrase|country|city|job|food)s? "
    r"(?:that|you|all|every|which|why|no|nobody|most|only|everyone|never)\b"
)
_TEASE_DE = re.compile(
    r"^(?:Was|Warum|Wieso|Wie)\b.*\b(?:wirklich|eigentlich|tatsächlich)\b"
    r"|(?:^|: |\u2013 )Das (?:steckt|bedeutet|passiert|sagt|sagen|macht|hilft|raten|müssen"
    r"|sollten|kostet|ändert|wissen|ist der|ist die|sind die|verrät|darf|dürfen)\b"
    r"|(?:^|: |\u2013 )(?:Darum|Deshalb|Deswegen) [a-zäöü]+ "
    r"|(?:^|: |\u2013 )So [a-zäöü]+ (?:der|die|das|sich|es|er|ein|eine)\b"
)

_SENTENCE_ENDS = tuple(".!?'\"\u201d\u2019)")
_SENTENCE_EN = re.compile(r"(?:\S+ ){7,}\S+[.!?]['\"\u201d\u2019)]?\Z")
_SOURCED_EN = re.compile(
    r"\d|\b(?:said|says?|saying|told|asked|wrote|according|announced|reported|reports|stated|told"
    r"|testified|ruled|voted|filed|estimates?|estimated|found|statement|spokes\w+|officials"
    r"|percent|million|billion|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b",
    re.IGNORECASE,
)


_ADDRESSES = {
    "en": re.compile(r"\b(?:you|your|yours|yourself)\b", re.IGNORECASE),
    "de": re.compile(
        r"(?<=[\w,] )(?:Sie|Ihr|Ihre[rnms]?|Ihnen)\b|\b(?:[Dd]u|[Dd]ein\w*|[Ee]uch|[Ee]uer\w*)\b"
    ),
}


def addresses_reader(title: str, language: str) -> bool:
    if language == "en" and "you" not in title.lower():
        return False
    return _ADDRESSES[language].search(title) is not None


def shape_hits(title: str, language: str, loud: Sequence[str]) -> Iterator[Hit]:
    yield from _loudness(title, loud)
    if title.rstrip().endswith(("…", "...")):
        yield Hit("clickbait", "ends open", 0.5)
    if "?" in title:
        yield from _question(title, language)
    yield from _english(title.lower()) if language == "en" else _german(title)


def _loudness(title: str, loud: Sequence[str]) -> Iterator[Hit]:
    if "!!" in title or "?!" in title or "!?" in title:
        yield Hit("hyper_stimulus", "!!", 0.7)
    elif "!" in title:
        yield Hit("hyper_stimulus", "!", 0.4)
    if loud:
        yield Hit("hyper_stimulus", "capitals", 0.7)
    if not title.isascii() and EMOJI.search(title):
        yield Hit("hyper_stimulus", "emoji", 0.4)


def _question(title: str, language: str) -> Iterator[Hit]:
    asks = _ASKS_DE if language == "de" else _ASKS_EN
    if asks.search(title):
        yield Hit("speculative", "a question instead of a fact", 0.6)
    elif not {"you", "sie", "du"} & set(tokens_of(title)):
        yield Hit("speculative", "a question", 0.3)
    else:
        yield Hit("clickbait", "a question to the reader", 0.4)


def _english(lower: str) -> Iterator[Hit]:
    if _LISTICLE_EN.match(lower):
        yield Hit("clickbait", "a numbered list", 0.6)
    if _ADVICE_EN.match(lower):
        yield Hit("persuasive", "a list of advice", 0.6)
    if _commands(lower):
        yield Hit("persuasive", "tells the reader what to do", 0.5)
    if _TALE_EN.match(lower):
        yield Hit("clickbait", "a tale without its end", 0.5)
    if _TEASE_EN.match(lower) or ("th" in lower and _POINTS_EN.search(lower)):
        yield Hit("clickbait", "points at what it does not say", 0.4)
    if lower.startswith("why "):
        yield Hit("clickbait", "promises a reason", 0.35)
    if (
        lower.endswith(_SENTENCE_ENDS)
        and _SENTENCE_EN.match(lower)
        and not _SOURCED_EN.search(lower)
    ):
        yield Hit("framing", "no source, figure or day", 0.1)


def _commands(lower: str) -> bool:
    if _COMMAND_EN.match(lower) or _FORBIDS_EN.match(lower):
        return True
    return any(_COMMAND_EN.match(lower, mark.end()) for mark in _MARK.finditer(lower))


def _german(title: str) -> Iterator[Hit]:
    if _LISTICLE_DE.match(title):
        yield Hit("clickbait", "a numbered list", 0.6)
    if _ADVICE_DE.match(title):
        yield Hit("persuasive", "a list of advice", 0.6)
    if _COMMAND_DE.search(title):
        yield Hit("persuasive", "tells the reader what to do", 0.6)
    if _TALE_DE.match(title):
        yield Hit("clickbait", "a tale without its end", 0.5)
    if _TEASE_DE.search(title) or _POINTS_DE.search(title):
        yield Hit("clickbait", "points at what it does not say", 0.4)
    if title.startswith(("Warum ", "Wieso ")):
        yield Hit("clickbait", "promises a reason", 0.35)
