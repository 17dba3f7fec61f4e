"""Measure related articles: ``python -m tools.evaluate_related FOLDER URL MODEL``.

FOLDER holds ``stories/headlines.tsv`` and ``clickbait/headlines.tsv``, which are not part
of this project; URL is that of an embeddings service. Headlines about one event are taken
for related, all others for not. Writes the figures into docs/evaluation-related.md.
"""

import asyncio
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from feedloom.distill import embedder
from feedloom.fetch import AllowList, HTTPFetcher
from feedloom.flow.distill.vectors import MOST_RELATED, Nearest, bits_of, likeness, pack
from feedloom.model.distilled.requests import CallRecord, PlannedCall
from tools.evaluate_stories import Headline, mixed, read_stories, read_unrelated

PAGE = Path("docs/evaluation-related.md")
UNRELATED, ASKED, BATCH = 12_000, 600, 64
SIZES = (256, 768, 1_536)
IN_MEMORY = 50_000


class Free:
    """A ledger of a service that costs nothing."""

    async def reserve(self, _: PlannedCall) -> int:
        return 0

    async def record(self, _: int, __: CallRecord) -> None:
        """Forget it."""


async def vectors_of(titles: Sequence[str], url: str, model: str) -> list[bytes]:
    fetcher = HTTPFetcher("Feedloom", allow_networks=AllowList.parse("127.0.0.0/8"))
    service = embedder(fetcher, Free(), base_url=url, model=model, key="", price=0.0)
    found: list[bytes] = []
    for start in range(0, len(titles), BATCH):
        found += map(pack, await service.embed(titles[start : start + BATCH]))
    await fetcher.close()
    return found


def related(memory: Nearest, vectors: Sequence[bytes], place: int) -> list[int]:
    near = memory.to(bits_of(vectors[place]), only_related=True)
    near.remove(place)
    near.sort(key=lambda other: -likeness(vectors[place], vectors[other]))
    return near[:MOST_RELATED]


def quality(headlines: Sequence[Headline], vectors: Sequence[bytes]) -> list[str]:
    memory = Nearest()
    memory.add([(place, bits_of(vector)) for place, vector in enumerate(vectors)])
    # The odd ones served to choose the limit.
    judged = [(place, each.story) for place, each in enumerate(headlines) if each.story % 2 == 0]
    told = [place for place, story in judged if story >= 0]
    alone = [place for place, story in judged if story < 0]
    rows = ["| | any shown | shown each | of the same event |", "|---|---|---|---|"]
    for name, places in (("about a shared event", told), ("about nothing else here", alone)):
        asked = random.Random(1).sample(places, ASKED)
        shown = [(place, related(memory, vectors, place)) for place in asked]
        count = sum(len(found) for _, found in shown)
        right = sum(headlines[o].story == headlines[p].story for p, found in shown for o in found)
        some = sum(bool(found) for _, found in shown) / ASKED
        share = f"{right / count:.2f}" if name.startswith("about a") and count else ""
        rows.append(f"| {name} | {some:.0%} | {count / ASKED:.1f} | {share} |")
    return rows


def cost() -> list[str]:
    chance = random.Random(1)
    rows = ["| numbers in a vector | search | memory |", "|---|---|---|"]
    for size in SIZES:
        memory = Nearest()
        memory.add([(n, chance.getrandbits(size)) for n in range(IN_MEMORY)])
        began = time.process_time()
        for _ in range(10):
            memory.to(chance.getrandbits(size), only_related=True)
        ms = (time.process_time() - began) * 100
        held = sum(map(sys.getsizeof, memory.bits)) + IN_MEMORY * (8 + 8 + 28)
        rows.append(f"| {size:,} | {ms:.0f} ms of CPU | {held / 1_000_000:.0f} MB |")
    return rows


def main() -> None:
    folder, url, model = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    told = read_stories(folder / "stories/headlines.tsv")
    others = mixed(read_unrelated(folder / "clickbait/headlines.tsv"), 1)[:UNRELATED]
    headlines = [*told, *others]
    vectors = asyncio.run(vectors_of([each.title for each in headlines], url, model))
    lines = [
        f"### {len(told):,} headlines about shared events among {len(others):,} others",
        "",
        *quality(headlines, vectors),
        "",
        f"### Finding the nearest of {IN_MEMORY:,}",
        "",
        *cost(),
    ]
    before, _, rest = PAGE.read_text("utf-8").partition("<!-- figures -->\n")
    _, end, after = rest.partition("<!-- /figures -->\n")
    PAGE.write_text(f"{before}<!-- figures -->\n" + "\n".join(lines) + f"\n{end}{after}", "utf-8")


if __name__ == "__main__":
    main()
