"""The page about performance: what was measured, what failed, what was not run."""

import json
from pathlib import Path
from typing import Any

from bench.describing import page, write_page
from bench.goals import GOALS


def result(name: str, **changes: Any) -> dict[str, Any]:
    return {
        "bench": name,
        "quick": False,
        "at": "2026-11-15 12:00 UTC",
        "machine": "A machine",
        "system": "Linux",
        "python": "3.11",
        "sqlite": "3.40",
        "load": "0.1",
        "seconds": 1.5,
        "cpu_s": 1.2,
        "peak_mb": 80,
        "tables": [],
        **changes,
    }


def simulated(minutes: float, ratio: float) -> dict[str, Any]:
    columns = ["rule", "x hourly", "median min, >10 a day"]
    row = ["feedloom, no hubs", ratio, minutes]
    table = {
        "title": "a simulated day, 5 feeds",
        "columns": columns,
        "rows": [row],
        "note": "A note.",
    }
    return result("simulating", tables=[table])


def verdict(text: str, goal: str) -> str:
    line = next(line for line in text.splitlines() if line.startswith(f"| {goal}"))
    return line.split("|")[-2].strip()


def test_goals_are_met_missed_or_not_measured():
    stale = "Median staleness"
    fewer = "At most half the requests"

    met = page({"simulating": simulated(9.9, 0.5)})
    missed = page({"simulating": simulated(10.0, 0.51)})
    unknown = page({"simulating": None})

    assert (verdict(met, stale), verdict(met, fewer)) == ("met", "met")
    assert verdict(missed, stale) == verdict(missed, fewer) == "**missed**"
    assert verdict(unknown, stale) == "not measured"


def refreshed(hosts: int, ratio: float) -> dict[str, Any]:
    return {
        "title": f"refresh of 500 feeds x 50 entries x 60 KB on {hosts} hosts",
        "columns": ["who", "pass", "seconds", "x reader"],
        "rows": [["feedloom, SQLite", "304", 0.1, ratio]],
        "note": "",
    }


def test_a_refresh_is_judged_on_each_of_its_farms():
    both = [refreshed(500, 2.4), refreshed(50, 4.1)]

    text = page({"refreshing": result("refreshing", tables=both)})

    assert verdict(text, "All 304, a host for each feed") == "**missed**"
    assert verdict(text, "All 304, ten feeds a host") == "met"
    assert "| 2.4x (0.10 s) |" in text


def test_parsing_is_judged_by_the_worst_of_its_sizes():
    table = {
        "title": "Parsing: times as fast",
        "columns": ["feed", "ours"],
        "rows": [["blog", 9.0], ["all of 20 KB", 10.1], ["all of 2 MB", 22.0]],
        "note": "",
    }
    worse = table | {"rows": [*table["rows"], ["all of 200 KB", 9.9]]}

    met = page({"parsing": result("parsing", tables=[table])})
    missed = page({"parsing": result("parsing", tables=[worse])})

    assert verdict(met, "Parsing with sanitising") == "met"
    assert "| 10.1x (20 KB), 22.0x (2 MB) |" in met
    assert verdict(missed, "Parsing with sanitising") == "**missed**"


def test_a_table_whose_figures_are_missing_meets_nothing():
    empty = simulated(1.0, 0.1)
    empty["tables"][0]["rows"] = []

    text = page({"simulating": empty})

    assert verdict(text, "Median staleness") == "not measured"


def test_what_did_not_run_or_failed_is_told():
    text = page({"rss": None, "claims": result("claims", failed="it took more than 900 s")})

    assert "## Rss" in text
    assert "*Not run.*" in text
    assert "*Failed: it took more than 900 s*" in text


def test_a_small_form_is_told_and_its_figures_are_marked():
    small = simulated(5.0, 0.2) | {"quick": True}

    text = page({"simulating": small})

    assert "small form" in text
    assert "5.0 min (small form)" in text


def test_tables_come_with_method_machine_and_note():
    text = page({"simulating": simulated(9.0, 0.3)})

    assert "A machine" in text
    assert "The decisions are the product's own" in text
    assert "### a simulated day, 5 feeds" in text
    assert "| feedloom, no hubs | 0.3 | 9 |" in text
    assert "A note." in text


def test_the_page_is_written_from_files(tmp_path: Path):
    (tmp_path / "simulating.json").write_text(json.dumps(simulated(9.0, 0.3)))

    write_page(tmp_path, ("simulating", "rss"), tmp_path / "page.md")

    text = (tmp_path / "page.md").read_text()
    assert "9.0 min" in text
    assert text.count("*Not run.*") == 1


def test_what_was_not_run_again_stays_as_the_page_had_it():
    before = page({"simulating": simulated(9.0, 0.3), "sync_walk": result("sync_walk")})

    again = page({"simulating": None, "sync_walk": None}, before)
    anew = page({"simulating": simulated(12.0, 0.3), "sync_walk": None}, before)

    assert again.partition("## Goals")[2] == before.partition("## Goals")[2]
    assert "9.0 min | met" not in anew
    assert "12.0 min | **missed**" in anew
    assert anew.count("## Sync walk") == 1


def test_every_goal_belongs_to_a_benchmark_there_is():
    for goal in GOALS:
        assert (Path(__file__).parents[3] / "bench" / f"{goal.bench}.py").exists()
