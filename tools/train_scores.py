"""Learn what the offline scores need from labelled English headlines.

    tools/train_scores.py headlines.tsv

Each line has 1 (clickbait) or 0, a tab, and a headline. Two files are written, the same
to the byte for the same input: the weights of ``distill/offline/clickbait.py``, and how
English writes its words. A tenth of the headlines, chosen by their hash, is kept out;
how well that is told apart is printed. ``--evaluate`` measures the weights we ship
instead and writes nothing.
"""

import argparse
import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from feedloom.distill.offline.clickbait import NUMBER, SCALE, START, clickbait_evidence, features
from feedloom.distill.offline.spellings import WORD
from feedloom.distill.offline.words import stop_words

DATA = Path(__file__).parent.parent / "src/feedloom/distill/offline/data"
SOURCE = (
    "# Learned by tools/train_scores.py from the headlines of Stop Clickbait (Chakraborty,"
    "\n# Paranjape, Kakarla and Ganguly 2016, MIT licence). Do not edit.\n"
)
# Words that say how something is told. What it is about says less: news of other years
# and places is about other things.
TELLING = (
    "actually anyone anything best can't cute didn't doesn't don't ever every everyone"
    " everything facts gif gifs guess here's hilarious how's i'm insanely isn't know life"
    " literally make makes need never new nobody person photo photos pics pictures people"
    " perfect probably quiz really reason reasons secret should signs someone something"
    " that's there's these thing things times tips totally trick tricks tweets video ways"
    " we're weird what's when's who's why won't worst you'd you'll you're you've yourself"
    " amid according confirmed killed kills dies dead says said announces announced report"
    " reports officials police court minister president vote votes against over percent"
)
# Short headlines leave these out, whole sentences have them: they tell the outlet.
GRAMMAR = (
    "a an and are as at be been being by for from had has have her his in into is it its of on"
    " or that the their to was were with"
)
_GRAMMAR = 0.35
_TOPIC = 0.35
_PAIR = 0.7
_DECAY = 0.01
_RATE = 0.1
_ROUNDS = 6
_LEAST = 3
_LEAST_WEIGHT = 0.02
_TENTH = 10


def read(path: Path) -> list[tuple[int, str]]:
    lines = path.read_text("utf-8").splitlines()
    pairs = (line.partition("\t") for line in lines)
    return [(int(label), title) for label, _, title in pairs]


def is_kept_out(title: str) -> bool:
    return hashlib.sha256(title.encode()).digest()[0] % _TENTH == 0


def train(rows: Sequence[tuple[int, str]]) -> dict[str, float]:
    """Return the weights, the bias under ``START``."""
    found = [(label, sorted(features(title))) for label, title in rows]
    counted = Counter(feature for _, each in found for feature in each)
    scale = {f: _scale(f) for f in sorted(counted) if counted[f] >= _LEAST}
    data = [(label, [f for f in each if f in scale]) for label, each in found]
    weights = dict.fromkeys(scale, 0.0)
    bias = 0.0
    order = sorted(range(len(data)), key=lambda n: hashlib.sha256(b"%d" % n).digest())
    for turn in range(_ROUNDS):
        rate = _RATE / (1 + turn)
        for number in order:
            label, each = data[number]
            odds = bias + sum(weights[f] * scale[f] for f in each)
            missing = label - 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))
            bias += 0.1 * rate * missing
            for f in each:
                weights[f] += rate * (missing * scale[f] - _DECAY * weights[f])
    return {f: weights[f] * scale[f] for f in scale} | {START: bias}


def _scale(feature: str) -> float:
    """Return how much a feature may say."""
    words = [word for word in feature.split() if word not in {START, NUMBER}]
    if len(words) == 1 and set(words) <= set(GRAMMAR.split()) and START not in feature:
        return _GRAMMAR
    telling = stop_words("en") | frozenset(TELLING.split())
    share = 1.0 if telling.issuperset(words) else _TOPIC
    return share * (_PAIR if " " in feature else 1.0)


def weight_lines(weights: Mapping[str, float]) -> Iterator[str]:
    """Yield one line for each weight, with all features that have it."""
    by_weight: dict[int, list[str]] = defaultdict(list)
    for feature in sorted(weights):
        if abs(weights[feature]) >= _LEAST_WEIGHT or feature == START:
            by_weight[round(weights[feature] * SCALE)].append(feature)
    for weight in sorted(by_weight, reverse=True):
        yield f"{weight}\t{','.join(by_weight[weight])}\n"


def spelling_lines(ordinary: Iterable[str], every: Iterable[str]) -> Iterator[str]:
    """Yield the words written small, those with a capital, in capitals and mixed.

    Title case hides all of these but the last, which are learned from all headlines.
    """
    small, capital, capitals = Counter[str](), Counter[str](), Counter[str]()
    for title in ordinary:
        words = WORD.findall(title)
        long = [word for word in words[1:] if len(word) > _LEAST]
        if sum(word.islower() for word in long) * 2 < len(long) or not long:
            # In title case, capitals tell nothing.
            continue
        for word in words[1:]:
            if word.islower():
                small[word] += 1
            elif word.isupper() and len(word) > 1:
                capitals[word.lower()] += 1
            elif word[0].isupper():
                capital[word.lower()] += 1
    yield _line(
        w for w, n in small.items() if n > 1 and n >= 3 * capital[w] and n >= 20 * capitals[w]
    )
    mixed = _mixed(every)
    names = capital - Counter(map(str.lower, mixed.elements()))
    yield _line(w for w, n in names.items() if n > 1 and not small[w] and not capitals[w])
    yield _line(w for w, n in capitals.items() if n > 1 and not small[w] and not capital[w])
    forms = {form.lower(): form for form, _ in reversed(mixed.most_common())}
    yield _line(form for w, form in forms.items() if mixed[form] > max(1, small[w], names[w]))


def _mixed(titles: Iterable[str]) -> Counter[str]:
    """Count the words that have capitals inside: YouTube, iPhone, MPs."""
    words = (word.removesuffix("'s") for title in titles for word in WORD.findall(title))
    return Counter(w for w in words if w.isalpha() and w[1:].lower() != w[1:] != w[1:].upper())


def _line(words: Iterable[str]) -> str:
    return " ".join(sorted(words)) + "\n"


def auc(scored: Iterable[tuple[float, int]]) -> float:
    """Return how often a positive scores above a negative, ties counting half."""
    by_score: dict[float, list[int]] = defaultdict(lambda: [0, 0])
    for score, label in scored:
        by_score[score][label] += 1
    below = won = 0.0
    for score in sorted(by_score):
        negative, positive = by_score[score]
        won += positive * (below + negative / 2)
        below += negative
    return won / (below * sum(positive for _, positive in by_score.values()))


def variants(title: str) -> Mapping[str, str]:
    """Return a headline as other outlets would format it."""
    return {
        "as it is": title,
        "lower case": title.lower(),
        "capitals": title.upper(),
        "without marks": "".join(c for c in title if c.isalnum() or c in " '"),
        "as a post": f"RT @news: {title} #news https://example.org/1",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("headlines", type=Path)
    parser.add_argument("--evaluate", action="store_true")
    arguments = parser.parse_args()
    rows = read(arguments.headlines)
    kept_out = [row for row in rows if is_kept_out(row[1])]
    if not arguments.evaluate:
        learned = [row for row in rows if not is_kept_out(row[1])]
        text = SOURCE + "".join(weight_lines(train(learned)))
        (DATA / "clickbait.en.txt").write_text(text, "utf-8")
        ordinary = (title for label, title in learned if label == 0)
        text = SOURCE + "".join(spelling_lines(ordinary, (title for _, title in learned)))
        (DATA / "spellings.en.txt").write_text(text, "utf-8")
    for name in variants(""):
        scored = [(clickbait_evidence(variants(t)[name])[0], y) for y, t in kept_out]
        print(f"{name}: AUC {auc(scored):.4f} of {len(scored)} headlines kept out")


if __name__ == "__main__":
    main()
