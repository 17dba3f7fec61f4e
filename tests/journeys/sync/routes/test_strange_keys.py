"""Every route without the right key: refused, slowed down, and silent about others."""

from dataclasses import replace

import pytest

from feedloom.flow.identity.accounts import hash_secret
from tests.journeys.sync.desk import Desk, Reply
from tests.journeys.sync.routes import wallabag
from tests.journeys.sync.routes.around import FRESHRSS
from tests.journeys.sync.routes.forms import FORMS, Wire
from tests.journeys.sync.routes.scene import OPML, Scene, set_scene
from tests.journeys.sync.routes.test_every_route import NAMED, PROTOCOLS, call

_OPEN = ("/check/", "/healthcheck", "/version", "/status.php", "/icons/", "/view/", "/api/info")
_SIGNED_IN = ("/ocs/", "ClientLogin", "/api/view-tokens")
_PUBLIC = {("wallabag", name) for name in wallabag.PUBLIC}
CLOSED = [
    (protocol, name)
    for protocol, name in NAMED
    if (protocol != "around" and (protocol, name) not in _PUBLIC)
    or any(part in name for part in _SIGNED_IN)
]
TRIES = 25
SECRET = (b"Inside", b"Outside", b"Tech", b">one<", b"three", b"later", b"elsewhere")


def test_what_is_not_closed_is_known_to_be_open():
    left = {name.partition(" ")[2] for _, name in set(NAMED) - set(CLOSED)}

    known = {path for path in left if any(part in path for part in _OPEN)}
    assert left - known == {
        *(f"{FRESHRSS * times}{end}" for times in (1, 2) for end in ("", "/")),
        *(f"{m}/apps/news/api{end}" for m in ("", "/index.php") for end in ("", "/")),
    }


def wire_of(scene: Scene, protocol: str, name: str) -> Wire:
    row = PROTOCOLS[protocol].rows[name]
    if row.document:
        return Wire("", {}, OPML.format(url=scene.offered).encode())
    return FORMS["query"](row.said(scene))


async def send(scene: Scene, protocol: str, name: str) -> Reply:
    base = PROTOCOLS[protocol].bases[0]
    return await call(scene, protocol, name, base, wire_of(scene, protocol, name))


def is_refused(protocol: str, reply: Reply) -> bool:
    if protocol == "fever":
        return (reply.status, reply.json()) == (200, {"api_version": 3, "auth": 0})
    if protocol == "wallabag":
        return reply.status in {400, 401} and reply.json()["error"] == "invalid_grant"
    return reply.status == 401


def leaks(reply: Reply) -> list[bytes]:
    return [word for word in SECRET if word in reply.body]


@pytest.mark.asyncio(loop_scope="module")
async def test_a_wrong_key_opens_no_route_and_too_many_are_told_to_wait(desk: Desk):
    scene = await set_scene(desk)
    scene.ada.secret = scene.ada.greader_token = "wrong"
    before = await scene.state()
    refused = {}
    for number, key in enumerate(CLOSED):
        await forget_tries(desk, scene, number)
        refused[key] = await send(scene, *key)

    scene.ada.address = "203.0.113.9"
    # Each protocol counts by itself; of what is around them, each route.
    counted = {
        name if protocol == "around" else protocol: (protocol, name) for protocol, name in CLOSED
    }
    for key in counted.values():
        for _ in range(TRIES):
            await send(scene, *key)
    slowed = {key: await send(scene, *key) for key in CLOSED}

    assert {k: r.status for k, r in refused.items() if not is_refused(k[0], r)} == {}
    assert {k: r.status for k, r in slowed.items() if r.status != 429} == {}
    assert {k for k, r in slowed.items() if int(r.headers["retry-after"]) < 1} == set()
    assert {k for k, r in (refused | slowed).items() if leaks(r)} == set()
    assert await scene.state() == before


async def forget_tries(desk: Desk, scene: Scene, number: int) -> None:
    """Let the next try be the first one: from an address and for an account."""
    scene.ada.address = f"198.{18 + number // 250}.{number % 250}.7"
    counted = hash_secret(f"program {scene.ada.email}")[:32]
    await desk.container.accounts.store.forget_failures(f"account:{counted}")


@pytest.mark.asyncio(loop_scope="module")
async def test_a_revoked_key_opens_no_route(desk: Desk):
    scene = await set_scene(desk)
    await scene.ada.sign_in()
    before = await scene.state()
    await desk.revoke(scene.ada)
    replies = {}

    for number, key in enumerate(CLOSED):
        await forget_tries(desk, scene, number + 500)
        replies[key] = await send(scene, *key)

    assert {k: r.status for k, r in replies.items() if not is_refused(k[0], r)} == {}
    assert {k for k, r in replies.items() if leaks(r)} == set()
    assert await scene.state() == before


@pytest.mark.asyncio(loop_scope="module")
async def test_with_anothers_key_nothing_is_found_and_nothing_changes(desk: Desk):
    scene = await set_scene(desk)
    before = await scene.state()
    replies = {}

    async with desk.working():
        for key in CLOSED:
            bob = await desk.person()
            replies[key] = await send(replace(scene, ada=bob), *key)

    assert {k: r.status for k, r in replies.items() if r.status > 499} == {}
    # What they make themselves they may see.
    own = {k for k, r in replies.items() if b"later" in r.body and "POST" in k[1]}
    assert {k: leaks(r) for k, r in replies.items() if leaks(r) and k not in own} == {}
    assert own <= {("around", "POST /api/view-tokens")}
    assert await scene.state() == before


@pytest.mark.asyncio(loop_scope="module")
async def test_anothers_name_in_a_path_is_not_found(desk: Desk):
    scene = await set_scene(desk)
    theirs = replace(scene, ada=await desk.person())
    replies = {}

    for protocol, name in CLOSED:
        if "{" in name:
            replies[protocol, name] = await call(
                theirs,
                protocol,
                name,
                PROTOCOLS[protocol].bases[0],
                wire_of(theirs, protocol, name),
                names=PROTOCOLS[protocol].rows[name].names(scene),
            )

    contents = replies.pop(("greader", "GET /stream/contents/{stream:path}"))
    icon = replies.pop(("nextcloud", "GET /favicon/{hash}"))
    atom = replies.pop(("atom", "GET /{stream:path}"))
    for method in ("GET", "POST"):
        # Whatever there is not is a bad request here, as in FreshRSS.
        assert replies.pop(("greader", f"{method} /{{rest:path}}")).status == 400
    assert {k: r.status for k, r in replies.items() if r.status != 404} == {}
    assert (atom.status, leaks(atom)) == (200, [])
    assert (contents.status, contents.json()["items"]) == (200, [])
    # Everybody gets the plain one for what they do not have.
    assert (icon.status, icon.headers["content-type"]) == (200, "image/png")
