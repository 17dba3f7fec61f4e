"""Every route with every method in every form of body, on both engines.

The routes come from the routes themselves: one without a row in its protocol's table
fails, and so does a row without a route. Forms go round the addresses under which a
protocol is mounted, so that each of them is used; all of them have the same routes.
"""

import copy
import itertools
import re
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass

import pytest

from feedloom.serve.sync import ROUTES
from tests.journeys.sync.desk import Desk, Reply
from tests.journeys.sync.routes import around, feedbin, fever, google, miniflux, nextcloud, wallabag
from tests.journeys.sync.routes.forms import DOCUMENT_FORMS, EMPTY_FORMS, FORMS, Wire
from tests.journeys.sync.routes.scene import OPML, Row, Scene, set_scene

_VARIABLE = re.compile(r"\{(\w+)(?::\w+)?\}")


@dataclass(frozen=True, slots=True)
class Protocol:
    """Where a protocol is mounted, and its table."""

    bases: tuple[str, ...]
    rows: Mapping[str, Row]


PROTOCOLS = {
    "nextcloud": Protocol(nextcloud.BASES, nextcloud.ROWS),
    "greader": Protocol(google.BASES, google.ROWS),
    "atom": Protocol(google.ATOM_BASES, google.ATOM_ROWS),
    "fever": Protocol(fever.BASES, fever.ROWS),
    "miniflux": Protocol(miniflux.BASES, miniflux.ROWS),
    "wallabag": Protocol(wallabag.BASES, wallabag.ROWS),
    "feedbin": Protocol(feedbin.BASES, feedbin.ROWS),
    "around": Protocol(("",), around.ROWS),
}
NAMED = [(name, row) for name, found in PROTOCOLS.items() for row in found.rows]


def offered() -> dict[tuple[str, str], set[str]]:
    """Read the routes from the tables: names by protocol and base."""
    bases = [(b, name) for name, p in PROTOCOLS.items() for b in p.bases]
    # The longest first: the bare address is a base, too.
    bases.sort(key=lambda pair: -len(pair[0]))
    found: dict[tuple[str, str], set[str]] = {(name, b): set() for b, name in bases}
    for route in ROUTES:
        base, name = next(
            (b, n) for b, n in bases if route.path == b or _is_below(route.path, b, n)
        )
        for method in set(route.methods) - {"OPTIONS"}:
            found[name, base].add(f"{method} {route.path.removeprefix(base)}")
    return found


def _is_below(path: str, base: str, name: str) -> bool:
    return name != "fever" and path.startswith(base + "/")


def test_every_route_has_a_row_and_every_row_a_route():
    routes = offered()

    for (name, base), names in routes.items():
        assert names == set(PROTOCOLS[name].rows), base


async def credentials(scene: Scene, protocol: str) -> dict[str, str]:
    ada = scene.ada
    match protocol:
        case "greader" | "atom":
            token = ada.greader_token or await ada.sign_in()
            return {"Authorization": f"GoogleLogin auth={token}"}
        case "miniflux":
            return {"X-Auth-Token": ada.secret}
        case "wallabag":
            return {"Authorization": f"Bearer {scene.ada.secret}"}
        case "fever":
            return {}
        case _:
            return ada.basic


def bearer(scene: Scene, target: str) -> dict[str, str]:
    """Return what the routes of our own API want, where a protocol has them."""
    if not target.startswith("/api/view-tokens"):
        return {}
    return {"Authorization": f"Bearer {scene.ada.secret}"}


async def call(
    scene: Scene,
    protocol: str,
    name: str,
    base: str,
    wire: Wire,
    *,
    names: Mapping[str, object] | None = None,
) -> Reply:
    """Send a row's request; ``names`` are other ones for the path than the row's."""
    row = PROTOCOLS[protocol].rows[name]
    method, _, path = name.partition(" ")
    named = names or row.names(scene)
    target = base + _VARIABLE.sub(lambda found: str(named[found[1]]), path)
    headers = await credentials(scene, protocol)
    headers |= dict(wire.headers) | bearer(scene, target)
    if wire.query:
        target += f"?{wire.query}"
    return await scene.ada.ask(method, target, headers=headers, body=wire.body)


def wires(row: Row, scene: Scene) -> dict[str, Wire]:
    """Write what a row says in every form there is for it."""
    if row.document:
        text = OPML.format(url=scene.offered).encode()
        return {name: write(text) for name, write in DOCUMENT_FORMS.items()}
    said = row.said(scene)
    forms = FORMS if said else EMPTY_FORMS
    return {name: FORMS[name](said) for name in forms}


async def check(scene: Scene, protocol: str, name: str, base: str, form: str) -> None:
    """Call once and compare the answer, and the state when it is to change."""
    row = PROTOCOLS[protocol].rows[name]
    expected = await scene.state() if row.changes else {}
    if row.changes is not None:
        before = copy.deepcopy(expected)
        row.changes(scene, expected)
        assert expected != before

    async with scene.desk.working() if row.works else nullcontext():
        wire = wires(row, scene)[form]
        reply = await call(scene, protocol, name, base, wire)

    assert reply.status == row.status, reply.text
    assert row.shows(scene, reply), reply.text
    if row.changes is not None:
        assert await scene.state() == expected


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(("protocol", "name"), NAMED)
async def test_every_form_does_the_same(
    desk: Desk, scaled: Callable[[int, int], int], protocol: str, name: str
):
    row = PROTOCOLS[protocol].rows[name]
    bases = itertools.cycle(PROTOCOLS[protocol].bases)
    scene = await set_scene(desk)
    if row.operator:
        await desk.make_operator(scene.ada)
    before = await scene.state()

    forms = list(wires(row, scene))
    if row.changes is not None:
        # A scene for each form takes long: in the short form, routes take turns.
        first = NAMED.index((protocol, name)) % len(forms)
        forms = (forms[first:] + forms[:first])[: scaled(1, len(forms))]
    for number, form in enumerate(forms):
        if row.changes is not None and number:
            scene = await set_scene(desk)
        try:
            await check(scene, protocol, name, next(bases), form)
        except AssertionError as error:
            error.add_note(f"form: {form}")
            raise

    if row.changes is None:
        assert await scene.state() == before
