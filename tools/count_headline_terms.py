"""Headlines in; how many of them hold each term out, for the English prior.

    python tools/count_headline_terms.py clickbait/headlines.tsv

Reads the data set that the file's head names; writes only counts of single terms.
"""

import sys
from collections import Counter
from pathlib import Path

from feedloom.distill.offline.stories.terms import weighted_terms

TARGET = Path("src/feedloom/distill/offline/stories/data/headline_terms.en.txt")
_FEWEST = 3
_HEAD = """\
# How many headlines of a sample hold each term (a stem); * is the number of headlines.
# Counted by tools/count_headline_terms.py from "Stop Clickbait" (Chakraborty, Paranjape,
# Kakarla and Ganguly 2016; MIT licence). Terms in fewer than three headlines are left out.
"""


def main() -> None:
    lines = Path(sys.argv[1]).read_text("utf-8").splitlines()
    titles = [line.partition("\t")[2] for line in lines]
    counts: Counter[str] = Counter()
    for title in titles:
        counts.update(weighted_terms(title, "", "", "en").keys())
    kept = sorted((t, n) for t, n in counts.items() if n >= _FEWEST)
    rows = "".join(f"{term} {count}\n" for term, count in kept)
    TARGET.write_text(f"{_HEAD}* {len(titles)}\n{rows}", "utf-8")
    print(f"{TARGET}: {len(kept)} terms of {len(titles)} headlines")


if __name__ == "__main__":
    main()
