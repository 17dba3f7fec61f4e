"""Prints how well the offline engine does, and writes it into docs/ with ``--write``.

With a file of labelled headlines, a tab
between 1 (clickbait) or 0 and the headline, measures on these, too, and prints every
ordinary one that would be changed.

python -m bench.deframing_eval [--headlines FILE] [--write]
"""

import argparse
import asyncio
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from feedloom.distill import AISettings, AIType, build_engine, judge_headline
from feedloom.model.distilled.requests import ArticleToAnalyse
from tests.unit.distill.day import whole_day
from tests.unit.distill.doubles import MemorySpend, TalkingFetcher
from tests.unit.distill.evaluation import headlines, measure, measure_topics
from tests.unit.distill.shouting import is_same_wording, shouted
from tools.train_scores import auc, is_kept_out, read, variants

_DOCS = Path(__file__).parent.parent / "docs"
EVALUATION = _DOCS / "evaluation-deframing.md"
_SETS = {
    "headlines": "The working set: the word lists were written and tuned with it in view.",
    "unseen": "The unseen set: written after the first word lists, and never used to "
    "change the German ones: expect such figures. The English list changed later, so "
    "there this is a regression check.",
}
_LANGUAGES = {"en": "English", "de": "German"}


def tables() -> Iterator[str]:
    for name, told in _SETS.items():
        yield f"\n### {told}\n"
        for language, title in _LANGUAGES.items():
            rows = list(headlines(name, language))
            plain = sum(not labels for labels, _ in rows)
            yield f"\n{title}: {len(rows)} headlines, {plain} of them plain.\n\n"
            yield "| dimension | labelled | precision | recall |\n|---|---|---|---|\n"
            for dimension, found in measure(name, language).items():
                labelled = found.found + found.missed
                yield (
                    f"| {dimension} | {labelled} | {found.precision:.2f} | {found.recall:.2f} |\n"
                )


def topic_lines() -> Iterator[str]:
    yield "\n| what is known of the feed | feeds | answered | right, of those "
    yield "| confidence ≥ 0.5 | right, of those |\n|---|---|---|---|---|---|\n"
    for with_tags, known in ((False, "name and address"), (True, "… and its tags")):
        found = measure_topics(with_tags=with_tags)
        yield (
            f"| {known} | {found.feeds} | {found.answered / found.feeds:.0%} "
            f"| {found.right / found.answered:.0%} | {found.sure / found.feeds:.0%} "
            f"| {found.sure_and_right / found.sure:.0%} |\n"
        )


async def timing() -> str:
    def silent(_: dict[str, object]) -> object:
        raise AssertionError

    engine = build_engine(AISettings(type=AIType.OFFLINE), TalkingFetcher(silent), MemorySpend())
    titles = [t for name in _SETS for lang in _LANGUAGES for _, t in headlines(name, lang)]
    articles = [
        ArticleToAnalyse(titles[n % len(titles)], " ".join(titles[n % 97 : n % 97 + 8]))
        for n in range(1_000)
    ]
    started = time.process_time()
    for article in articles:
        await engine.analyzer.analyse(article)
    analysed_s = time.process_time() - started
    started = time.process_time()
    await engine.digester.digest(whole_day(), "en")
    digested_s = time.process_time() - started
    return (
        f"1,000 articles with descriptions of about 400 characters: {analysed_s:.2f} s "
        f"of CPU. A digest of a day of 300 articles: {digested_s:.3f} s.\n"
    )


def write(page: Path, parts: dict[str, str]) -> None:
    text = page.read_text("utf-8")
    for name, part in parts.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
        head, _, rest = text.partition(begin)
        text = f"{head}{begin}{part}{end}{rest.partition(end)[2]}"
    page.write_text(text, "utf-8")


def on_labelled(path: Path) -> str:
    """Measure on headlines that are not ours: the tenth kept out of learning, and all."""
    rows = read(path)
    kept_out = [(label, title) for label, title in rows if is_kept_out(title)]
    lines = ["\n| clickbait, kept out of learning | headlines | AUC |\n|---|---|---|\n"]
    for name in variants(""):
        scored = [
            (judge_headline(variants(title)[name], language="en"), label)
            for label, title in kept_out
        ]
        found = auc((j.scores["clickbait"].value or 0, label) for j, label in scored)
        lines.append(f"| {name} | {len(scored)} | {found:.4f} |\n")
    altered = [
        title for _, title in rows if not is_same_wording(title, judge_headline(title).calm_title)
    ]
    lines.append(f"\nOf all {len(rows)} headlines {len(altered)} changed their wording.\n")
    ordinary = [title for label, title in rows if label == 0]
    changed = []
    started = time.process_time()
    for title in ordinary:
        calm = judge_headline(title).calm_title
        if calm != title:
            changed.append(f"{title} -> {calm}\n")
    per_second = len(ordinary) / (time.process_time() - started)
    lines.append(
        f"\nOf {len(ordinary)} ordinary headlines {len(changed)} were changed;"
        f" {per_second:,.0f} were judged in a second of one core.\n"
    )
    return "".join([*lines, *changed])


def sample(count: int = 200) -> Iterator[str]:
    """List changed headlines, chosen by their hash."""
    found = [(each, judge_headline(each.loud, text=each.text, language="en")) for each in shouted()]
    changed = [pair for pair in found if pair[1].calm_title != pair[0].loud]
    chosen = sorted(changed, key=lambda p: sha256(p[0].loud.encode()).digest())[:count]
    exact = sum(each.quiet == judged.calm_title for each, judged in chosen)
    same = sum(is_same_wording(e.loud, j.calm_title) for e, j in chosen)
    yield (
        f"{len(chosen)} of {len(changed)} changed headlines, of {len(found)} that shout."
        f" {same} keep their wording, {exact} are the quiet headline letter by letter.\n\n"
    )
    yield "| shouting | calm |\n|---|---|\n"
    for each, judged in chosen:
        yield f"| {each.loud} | {judged.calm_title} |\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--headlines", type=Path)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    told = {
        "sample": "".join(sample()),
        "figures": "".join(tables()),
        "topics": "".join(topic_lines()),
        "timing": asyncio.run(timing()),
    }
    if arguments.headlines:
        told["labelled"] = on_labelled(arguments.headlines)
    for part in told.values():
        print(part)
    if arguments.write:
        write(EVALUATION, told)


if __name__ == "__main__":
    main()
