"""The figures in the documentation are those of the rules as they are."""

import pytest

from bench.deframing_eval import EVALUATION, tables, topic_lines


def written(part: str, text: str) -> str:
    """Return a part of a page that the command writes."""
    begin, end = f"<!-- {part} -->\n", f"<!-- /{part} -->"
    assert text.count(begin) == text.count(end) == 1
    return text.partition(begin)[2].partition(end)[0]


@pytest.mark.parametrize(("part", "made"), [("figures", tables), ("topics", topic_lines)])
def test_the_figures_are_up_to_date(part, made):
    said = "python -m bench.deframing_eval --write"

    assert written(part, EVALUATION.read_text("utf-8")) == "".join(made()), said
