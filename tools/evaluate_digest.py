"""Write the figures of docs/evaluation-digest.md: ``python -m tools.evaluate_digest``.

Ten labelled days, each from a seed, go through the offline engine.
"""

from pathlib import Path

from feedloom.distill.offline.advertisements import is_advertisement
from feedloom.distill.offline.digests import offline_digest
from feedloom.distill.offline.support import is_proven, prove
from tests.unit.distill.day import told_of
from tests.unit.distill.labelled_day import labelled_day

PAGE = Path(__file__).parent.parent / "docs" / "evaluation-digest.md"
_DAYS = range(10)


def figures() -> str:
    head = (
        "| day | articles | ads | ads found | news taken for ads | items | ads in items"
        " | items of one event | sentences | proven |"
    )
    rows = [head, "|" + "---|" * 10]
    for seed in _DAYS:
        day = labelled_day(seed)
        labels = {one.article.id: one for one in day}
        digest = offline_digest([one.article for one in day], "en")
        ads = [one for one in day if one.label == "advertisement"]
        found = [one for one in day if is_advertisement(one.article)]
        taken = [[labels[i] for i in p.article_ids] for p in digest.paragraphs]
        told = [claim for p in digest.paragraphs for claim in p.told]
        cells = (
            seed,
            len(day),
            len(ads),
            sum(one.label == "advertisement" for one in found),
            sum(one.label != "advertisement" for one in found),
            len(taken),
            sum(one.label == "advertisement" for item in taken for one in item),
            sum(len({one.event for one in item}) == 1 for item in taken),
            len(told),
            sum(is_proven(claim) for claim in told),
        )
        rows.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(rows)


def support() -> str:
    rows = ["| a model says | sentences | supported |", "|---|---|---|"]
    for kind, name in (
        ("-", "a lie"),
        ("=", "a sentence of the article"),
        ("~", "something true in other words"),
    ):
        said = [(article, told) for article, one, told in told_of() if one == kind]
        kept = sum(bool(prove(told, [article])) for article, told in said)
        rows.append(f"| {name} | {len(said)} | {kept} |")
    return "\n".join(rows)


def page() -> str:
    text = PAGE.read_text("utf-8")
    for name, part in (("figures", figures()), ("support", support())):
        begin, end = f"<!-- {name} -->\n", f"\n<!-- /{name} -->"
        head, _, rest = text.partition(begin)
        text = f"{head}{begin}{part}{end}{rest.partition(end)[2]}"
    return text


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
