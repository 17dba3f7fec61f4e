"""Pictures of articles come from this server, and only those it signed for."""

import asyncio
import base64
import hashlib
import hmac
import re
from collections.abc import Callable
from io import BytesIO

import pytest
from PIL import Image

from feedloom.app import Container
from feedloom.serve.image_addresses import _signature, image_key
from feedloom.serve.pages.appearance import CHOICES as ALLOWED
from feedloom.serve.sync.icons import icon_path
from tests.factories_feeds import entry
from tests.journeys.web.people import Person, arrive
from tests.publisher import Publisher
from tests.serving import HTML, Reply, Server
from tests.unit.images.pictures import picture

CHOICES = {name: choice.default for name, choice in ALLOWED.items()}
SOURCE = re.compile(r'<img [^>]*src="([^"]+)"')
WIDE = picture(900, 300, kind="JPEG")


async def _key(container: Container) -> bytes:
    return container.services().secret_key


async def show(ada: Person, publisher: Publisher, content: str) -> Reply:
    """Let a person open the only article of a feed."""
    feed = publisher.feed("/p.xml", entries=[entry(1, content=content)], host=ada.host)
    await ada.subscribe(feed)
    await ada.server.refresh_all()
    return await ada.visitor.get("/articles/1", headers=HTML)


def source(reply: Reply) -> str:
    found = SOURCE.search(reply.text)
    assert found, reply.text
    return found[1]


async def test_a_picture_is_fetched_once_when_somebody_looks(ada: Person, publisher: Publisher):
    url = publisher.file("/wide.jpg", WIDE, "image/jpeg", host=ada.host)
    shown = await show(ada, publisher, f'<img src="{url}" alt="A view">')
    asked_before = publisher.count("/wide.jpg")
    path = source(shown)
    accept = {"Accept": "image/avif,image/webp,*/*"}

    small = await ada.visitor.get(path.replace("/1600/", "/320/"), headers=accept)
    stranger = ada.server.visitor()
    replies = await asyncio.gather(*(stranger.get(path) for _ in range(5)))

    assert asked_before == 0, "a refresh fetches nothing ahead"
    assert publisher.count("/wide.jpg") == 2, "once for each size and format"
    assert small.headers["Content-Type"] == "image/avif"
    assert {reply.headers["Content-Type"] for reply in replies} == {"image/jpeg"}
    assert Image.open(BytesIO(replies[0].body)).size == (900, 300)
    about = replies[0].headers
    assert about["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert about["X-Content-Type-Options"] == "nosniff"
    assert "immutable" in about["Cache-Control"]
    assert about["Vary"] == "Accept"
    request = publisher.asked("/wide.jpg")[0].headers
    assert "referer" not in request
    assert "cookie" not in request
    again = await ada.visitor.get("/articles/1", headers=HTML)
    assert 'width="900" height="300"' in again.text, "from now on the text does not jump"
    assert source(again) == path, "browsers keep it"


async def test_a_picture_that_fails_leaves_its_alternative_text(ada: Person, publisher: Publisher):
    url = publisher.page("/not.png", "<script>1</script>", host=ada.host)
    shown = await show(ada, publisher, f'<img src="{url}" alt="A view">')

    assert 'alt="A view"' in shown.text
    assert (await ada.visitor.get(source(shown))).status == 404


@pytest.mark.threat("S16")
async def test_only_addresses_made_here_for_pictures_are_served(ada: Person, publisher: Publisher):
    url = publisher.file("/a.jpg", WIDE, "image/jpeg", host=ada.host)
    path = source(await show(ada, publisher, f'<img src="{url}">'))
    _, _, width, until, signature, address = path.split("/")
    key = await ada.server.call(_key)
    other = base64.urlsafe_b64encode(b"http://169.254.169.254/").decode().rstrip("=")
    as_icon = icon_path(key, 1).rpartition("/")[2]
    plain = hmac.new(key, f"{until} {url}".encode(), hashlib.sha256).hexdigest()[:32]
    foreign = _signature(image_key(b"another installation" * 2), int(until), url)
    old = _signature(image_key(key), 1, url)
    wrong = {
        f"/images/{width}/{until}/{signature}/{other}": 403,
        f"/images/{width}/{until}/{signature[:-1]}x/{address}": 403,
        f"/images/{width}/{int(until) + 1}/{signature}/{address}": 403,
        f"/images/{width}/{until}/{as_icon}/{address}": 403,
        f"/images/{width}/{until}/{plain}/{address}": 403,
        f"/images/{width}/{until}/{foreign}/{address}": 403,
        f"/images/{width}/1/{old}/{address}": 403,
        f"/images/{width}/{until}/é/{address}": 403,
        f"/images/{width}/{until}/{signature}/!!": 404,
        f"/images/{width}/{until}/{signature}/gICA": 404,
        f"/images/9999/{until}/{signature}/{address}": 404,
        f"/images/x/{until}/{signature}/{address}": 404,
        f"/images/{width}/{'9' * 5_000}/{signature}/{address}": 404,
    }

    found = {one: (await ada.visitor.get(one)).status for one in wrong}

    assert found == wrong
    assert publisher.count("/a.jpg") == 0
    assert (await ada.visitor.get(path)).status == 200


@pytest.mark.parametrize(
    ("installation", "person", "secure", "plain", "policy"),
    [
        ("all", "all", False, False, "'self'"),
        ("all", "http", True, False, "'self' https:"),
        ("all", "off", True, True, "'self' https: http:"),
        ("http", "all", True, False, "'self' https:"),
        ("off", "all", True, True, "'self' https: http:"),
    ],
)
async def test_operators_and_people_choose_what_comes_through(  # noqa: PLR0917 - a row of a table
    serve: Callable[..., Server], publisher: Publisher, installation, person, secure, plain, policy
):
    ada = await arrive(serve(image_proxy=installation))
    await ada.send("/settings", **(CHOICES | {"pictures": person}))
    content = (
        '<img src="https://a.example/s.png"><img src="http://a.example/p.png">'
        '<iframe src="https://www.youtube.com/embed/abc_-123456"></iframe>'
    )

    shown = await show(ada, publisher, content)

    assert ("https://a.example/s.png" in shown.text) is secure
    assert ("http://a.example/p.png" in shown.text) is plain
    assert "i.ytimg.com" not in shown.text, "which the publisher does not show"
    assert f"img-src {policy};" in shown.headers["Content-Security-Policy"]


@pytest.mark.parametrize("wanted", [True, False])
async def test_apps_get_pictures_through_the_proxy_if_one_wants_that(
    ada: Person, publisher: Publisher, wanted: bool
):
    url = publisher.file("/app.jpg", WIDE, "image/jpeg", host=ada.host)
    await ada.send("/settings", **CHOICES, **({"app_pictures": "1"} if wanted else {}))
    await show(ada, publisher, f'<img src="{url}">')
    program = await ada.server.program(ada.email)

    items = (await program.get("/index.php/apps/news/api/v1-3/items?type=3&batchSize=-1")).json()[
        "items"
    ]

    found = SOURCE.search(items[0]["body"])
    assert found
    if wanted:
        assert found[1].startswith(f"{ada.server.url}/images/1600/")
        reply = await ada.server.visitor().get(found[1].removeprefix(ada.server.url))
        assert reply.status == 200
    else:
        assert found[1] == url
