"""Charts as geometry: nothing leaves its box, nothing is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedloom.serve.pages.charts import bars, shares, sparkline

COUNTS = st.lists(st.integers(0, 10_000), max_size=60)


@given(COUNTS)
def test_bars_stay_in_their_box_and_keep_their_values(counts):
    chart = bars([(str(n), n) for n in counts])

    assert [bar.value for bar in chart.bars] == counts
    assert chart.total == sum(counts)
    for bar in chart.bars:
        assert 0 <= bar.x <= bar.x + bar.width <= chart.width + 0.1
        assert 0 <= bar.y < bar.y + bar.height <= chart.height + 0.1


def test_the_highest_bar_fills_the_height():
    chart = bars([("a", 1), ("b", 4)])

    assert [bar.height for bar in chart.bars] == [16, 64]


def test_empty_days_leave_a_mark_on_the_ground():
    chart = bars([("a", 0), ("b", 3)])

    assert [(bar.height, bar.kind) for bar in chart.bars] == [(1, "none"), (64, "")]


def test_few_bars_stand_at_the_right_edge_and_stay_narrow():
    (bar,) = bars([("a", 1)], least=50).bars

    assert bar.x == pytest.approx(294)
    assert bar.width < 6


@given(st.lists(st.integers(0, 1_000), max_size=6))
def test_shares_fill_the_line_and_nothing_more(counts):
    parts = shares([(str(n), str(n), count) for n, count in enumerate(counts)])

    assert sum(part.value for part in parts) == sum(counts)
    assert sum(part.width for part in parts) == pytest.approx(300 if sum(counts) else 0, abs=0.1)
    assert all(part.value for part in parts)


@given(COUNTS)
def test_sparklines_have_a_point_per_value_inside_their_box(counts):
    points = [tuple(map(float, p.split(","))) for p in sparkline(counts).split()]

    assert len(points) == len(counts)
    assert all(0 <= x <= 72.1 and 0 <= y <= 18 for x, y in points)
