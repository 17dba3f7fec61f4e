"""The image proxy asks no forbidden address, however it is led there."""

import json
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

import pytest

from feedloom.flow.pictures import ImageProxy
from feedloom.images import ImageCache, ImageResizer
from feedloom.model.errors import NotAPicture
from tests.publisher import Answer
from tests.unit.fetch.spellings import FORBIDDEN_IPS, FORBIDDEN_URLS
from tests.unit.images.pictures import picture

pytestmark = pytest.mark.faults
PUBLIC = "93.184.216.34"


@pytest.fixture
async def proxy(guarded, tmp_path: Path) -> AsyncIterator[ImageProxy]:
    resizer = ImageResizer()
    yield ImageProxy(guarded, resizer, ImageCache(tmp_path, 10_000_000))
    await resizer.close()


async def refused(proxy: ImageProxy, urls: Iterable[str]) -> int:
    """Ask for each; return how many were refused, which all must be."""
    count = 0
    for url in urls:
        with pytest.raises(NotAPicture):
            await proxy.picture(url, 320, "webp")
        count += 1
    return count


@pytest.mark.threat("S1", "S2", "S3", "S4", "S5", "S6", "S10", "S11")
async def test_no_spelling_leads_the_proxy_to_a_canary(proxy, wire):
    assert await refused(proxy, FORBIDDEN_URLS) >= 400
    assert wire.reached == wire.dialled == []


@pytest.mark.threat("S9", "S11")
async def test_no_redirect_leads_the_proxy_to_a_canary(proxy, wire, publisher):
    wire.names["evil.example"] = [[PUBLIC]]
    for number, url in enumerate(FORBIDDEN_URLS):
        location = url.replace("\r\n", "%0d%0a").encode().decode("latin-1")
        publisher.script(f"/{number}", Answer(302, headers={"location": location}))
    asked = (f"http://evil.example/{number}" for number in range(len(FORBIDDEN_URLS)))

    assert await refused(proxy, asked) >= 400
    assert wire.reached == []


@pytest.mark.threat("S7", "S8", "S11")
async def test_no_name_leads_the_proxy_to_a_canary(proxy, wire, publisher):
    publisher.file("/", picture(), "image/png")
    for number, address in enumerate(FORBIDDEN_IPS):
        wire.names[f"inside-{number}.example"] = [[address]]
        wire.names[f"mixed-{number}.example"] = [[address, PUBLIC]]

    inside = (f"http://inside-{number}.example/" for number in range(len(FORBIDDEN_IPS)))
    assert await refused(proxy, inside) == len(FORBIDDEN_IPS)
    shown = await proxy.picture("http://mixed-0.example/", 320, "webp")
    assert shown.mime == "image/webp"
    assert wire.reached == []


@pytest.mark.threat("S17", "S18", "P13", "P15")
async def test_bodies_that_lie_or_never_end_are_no_pictures(proxy, wire, publisher):
    wire.names["evil.example"] = [[PUBLIC]]
    huge = {"content-type": "image/png"}
    publisher.script("/huge", Answer(body=picture() + b"x" * 10_000_001, headers=huge))
    publisher.script("/html", Answer(body=b"<script>1</script>", headers=huge))
    publisher.script("/svg", Answer(body=b"<svg></svg>", headers={"content-type": "image/svg+xml"}))
    publisher.script("/gone", Answer(404, body=picture()))
    asked = [f"http://evil.example/{name}" for name in ("huge", "html", "svg", "gone")]

    assert await refused(proxy, asked) == 4


@pytest.mark.threat("S11")
async def test_what_a_site_tells_of_a_video_leads_to_its_picture_alone(proxy, wire, publisher):
    wire.names["tube.example"] = [[PUBLIC]]
    publisher.file("/still.png", picture(), "image/png")

    def told(number: int, url: object) -> str:
        body = json.dumps({"title": "A film", "thumbnail_url": url}).encode()
        publisher.script(f"/{number}.json", Answer(body=body))
        return f"http://tube.example/{number}.json"

    good = told(0, "http://tube.example/still.png")
    odd = [None, "", "javascript:1", good, *FORBIDDEN_URLS]
    bad = [told(number, url) for number, url in enumerate(odd, 1)]

    assert (await proxy.picture(good, 320, "webp")).mime == "image/webp"
    assert await refused(proxy, bad) >= 400
    assert wire.reached == []


async def test_what_could_not_be_had_is_not_asked_for_again_at_once(proxy, wire, publisher):
    wire.names["a.example"] = [[PUBLIC]]
    publisher.script("/x", Answer(404))

    assert await refused(proxy, ["http://a.example/x"] * 3) == 3
    assert publisher.count("/x") == 1
