"""Whatever is said in place of a value: told as wrong or passed over, never a failure."""

from collections.abc import Iterator

import pytest

from tests.journeys.sync.desk import Desk
from tests.journeys.sync.routes.forms import FORMS, Wire
from tests.journeys.sync.routes.scene import set_scene
from tests.journeys.sync.routes.test_every_route import NAMED, PROTOCOLS, call

pytestmark = pytest.mark.asyncio(loop_scope="module")

ODD_TEXTS = (
    "",
    "\x00",
    "a\x00b",
    "\ufffe\U0010ffff",
    "-1",
    "0",
    "9" * 40,
    "1e9",
    "٣",
    "' OR 1=1 --",
    "../../etc/passwd",
    "%00%ff",
    "x" * 5000,
)
ODD_VALUES: tuple[object, ...] = (
    *(None, True, -1, 2**31, 2**63, 10**40, 1.5, [], [[]], [None], {}, [{}], "a\x00b"),
    [{"feedId": 1, "guidHash": "\x00"}],
    [{"feedId": [], "guidHash": "0" * 32}],
)
"""What only JSON can say."""
ODD_NAMES = ("x", "0", "-1", "%00", "9" * 40, "%F0%9F", "..%2F", "%E2%80%AE")
SECRETS = {"api_key", "Passwd", "password"}


def odd(said: dict[str, object]) -> Iterator[tuple[str, Wire]]:
    """Replace one value after the other by something odd."""
    for name in set(said) - SECRETS:
        for text in ODD_TEXTS:
            told = said | {name: text}
            yield f"{name}={text!r:.40}", FORMS["form"](told)
        for value in ODD_VALUES:
            yield f"{name}={value!r:.40}", FORMS["JSON"](said | {name: value})


def _apart() -> list[tuple[str, str]]:
    """Name each row once: two methods may share one."""
    found: dict[int, tuple[str, str]] = {}
    for protocol, name in NAMED:
        row = PROTOCOLS[protocol].rows[name]
        if not row.document:
            found.setdefault(id(row), (protocol, name))
    return list(found.values())


APART = _apart()


@pytest.mark.threat("A22")
@pytest.mark.parametrize(("protocol", "name"), APART)
async def test_no_value_breaks_a_route(desk: Desk, protocol: str, name: str):
    scene = await set_scene(desk)
    said = dict(PROTOCOLS[protocol].rows[name].said(scene))
    base = PROTOCOLS[protocol].bases[-1]

    replies = {what: await call(scene, protocol, name, base, wire) for what, wire in odd(said)}

    failed = {w: (r.status, r.text[:200]) for w, r in replies.items() if r.status > 499}
    assert failed == {}


@pytest.mark.threat("A22")
@pytest.mark.parametrize(("protocol", "name"), [(p, n) for p, n in APART if "{" in n])
async def test_no_name_in_a_path_breaks_a_route(desk: Desk, protocol: str, name: str):
    scene = await set_scene(desk)
    base = PROTOCOLS[protocol].bases[0]
    variables = PROTOCOLS[protocol].rows[name].names(scene)

    statuses = {
        text: (
            await call(scene, protocol, name, base, Wire(), names=dict.fromkeys(variables, text))
        ).status
        for text in ODD_NAMES
    }

    assert {text: status for text, status in statuses.items() if status > 499} == {}
