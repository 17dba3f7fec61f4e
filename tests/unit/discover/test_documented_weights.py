"""The room's page tells the weights that are used."""

import re
from pathlib import Path

from feedloom.discover.request_plan import BUDGET
from feedloom.discover.scores import FULL_CONTENT_CHARS, MAX_DEEPER, WEIGHTS

PAGE = (Path(__file__).parents[3] / "docs" / "packages" / "discover.md").read_text()
ROW = re.compile(r"^\| (`[a-z_`, ]+`) \| (\S\d+) \| (.+) \|$", re.MULTILINE)
NUMBERS = {9: "nine"}


def documented() -> dict[str, int]:
    weights: dict[str, int] = {}
    for names, weight, _ in ROW.findall(PAGE):
        value = int(weight.replace("\N{MINUS SIGN}", "-"))
        weights |= dict.fromkeys(re.findall(r"[a-z_]+", names), value)
    return weights


def test_every_weight_is_documented_as_it_is():
    assert documented() == dict(WEIGHTS)


def test_limits_are_documented_as_they_are():
    assert f"budget={BUDGET}," in PAGE
    assert f"have {FULL_CONTENT_CHARS} characters or more" in PAGE
    assert f"shallowest feed found, {NUMBERS[MAX_DEEPER]} at most" in PAGE
