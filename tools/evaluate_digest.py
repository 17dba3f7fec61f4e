"""Write the figures of docs/evaluation-digest.md: ``python -m tools.evaluate_digest``.

Ten labelled days, each from a seed, go through the offline engine.
"""

import re
from pathlib import Path

from feedloom.distill.offline.advertisements import is_advertisement
from feedloom.distill.offline.digests import offline_digest
from feedloom.distill.offline.support import is_proven
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
            sum(is_proven(claim, (), "en") for claim in told),
        )
        rows.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(rows)


def page() -> str:
    text = PAGE.read_text("utf-8")
    new = f"<!-- figures -->\n{figures()}\n<!-- /figures -->"
    return re.sub(r"<!-- figures -->.*<!-- /figures -->", lambda _: new, text, flags=re.DOTALL)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
