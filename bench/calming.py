"""What calm headlines cost: a refresh with and without their analysis, in turns.

Every feed has a subscriber, who wants calm headlines or does not. CPU time is that of
all processes but the farm's. Titles and texts are made of headlines: of ours, half of
which are clickbait or shout, or of a file with one in each line.

    python -m bench.calming [--headlines FILE] [--feeds 500] [--rounds 3]
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

from bench.refreshing import apart, ask_farm, cpu_seconds, farm
from tests.unit.distill.evaluation import headlines

_SETS = ("headlines", "unseen")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--headlines", type=Path)
    parser.add_argument("--feeds", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        lines = given.headlines or Path(folder) / "headlines.txt"
        if not given.headlines:
            ours = [title for name in _SETS for _, title in headlines(name, "en")]
            lines.write_text("\n".join(ours), "utf-8")
        plan = {"feeds": given.feeds, "hosts": given.feeds // 10, "headlines": lines}
        rounds = [
            [_measured(plan, wish) for wish in ("original", "calm")] for _ in range(given.rounds)
        ]
    print("| articles | refresh, CPU s | with analysis | more |\n| --- | --- | --- | --- |")
    for (refresh, tasks, _), (calm_refresh, calm_tasks, articles) in rounds:
        more = calm_refresh + calm_tasks - tasks
        print(f"| {articles:,.0f} | {refresh:.2f} | {more:.2f} | {more / refresh - 1:.0%} |")


def _measured(plan: dict[str, object], wish: str) -> list[float]:
    with farm(**plan):
        found: list[float] = json.loads(apart("bench.calming", "--here", wish))
    return found


async def _refresh(folder: str, *, calm: bool) -> list[float]:
    """Return the CPU time of the refresh and of the tasks after it, and a count of articles."""
    from feedloom.app import open_container
    from feedloom.config import Settings
    from feedloom.store.engine.scripts import WORKER, Script, sql
    from feedloom.store.queries import number

    def count() -> Script[int]:
        table = "analyses" if calm else "articles"
        return (yield from number(sql(f"SELECT count(*) FROM {table}")))

    settings = Settings(data_dir=folder, allow_networks="127.0.0.0/8", host_delay=0.0)
    async with open_container(settings) as container:
        person = await container.accounts.store.create("a@example.org", "no password")
        await container.accounts.store.save_settings(person.id, {"calm_titles": calm})
        for url in ask_farm("/_urls").split():
            await container.subscribing().add(person, url, exact=True)
        worker = container.worker()
        began = cpu_seconds()
        await worker.feed_loop().drain()
        refreshed = cpu_seconds()
        await worker.task_loop().drain()
        ended = cpu_seconds()
        return [refreshed - began, ended - refreshed, await container.work.read(WORKER, count)]


def _here(wish: str) -> None:
    import uvloop

    from feedloom.processes import tune_interpreter

    tune_interpreter()
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(uvloop.run(_refresh(folder, calm=wish == "calm"))))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--here", wish]:
            _here(wish)
        case _:
            main()
