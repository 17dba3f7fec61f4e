"""Somebody reads a hundred articles with hostile pictures: publishers never see them."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from playwright.async_api import Browser, Page

from tests.factories_feeds import FeedEntry, entry
from tests.journeys.web.browsing import Desk, desk
from tests.unit.images.pictures import animation, bomb, claims, picture

__all__ = ["desk"]

SHAPES = (
    '<img src="{u}a.jpg" alt="A view">',
    '<img src="{u}a.jpg" srcset="{u}b.jpg 1x, {u}c.jpg 2x">',
    '<img srcset="{u}b.jpg 400w, {u}c.jpg 1600w" sizes="100vw" src="{u}a.jpg">',
    '<picture><source srcset="{u}b.webp" type="image/webp"><img src="{u}a.jpg"></picture>',
    '<img data-src="{u}a.jpg" src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">',
    '<video poster="{u}a.jpg" src="{u}film.mp4" autoplay></video>',
    '<video autoplay><source src="{u}film.mp4"><track default src="{u}t.vtt"></video>',
    '<audio autoplay src="{u}sound.mp3"></audio>',
    '<p style="background:url({u}a.jpg)">styled</p>',
    "<style>@import url({u}a.css); @font-face{{font-family:x;src:url({u}f.woff)}}</style>",
    '<link rel="stylesheet" href="{u}a.css"><link rel="preload" as="image" href="{u}a.jpg">',
    '<svg><image href="{u}a.jpg"/><use href="{u}a.svg#x"/></svg>',
    '<object data="{u}a.jpg"></object><embed src="{u}a.jpg"><iframe src="{u}frame"></iframe>',
    '<table background="{u}a.jpg"><tr><td background="{u}a.jpg">x</table>',
    '<input type="image" src="{u}a.jpg"><body background="{u}a.jpg">',
    '<img src="{u}bomb.png" alt="Bomb"><img src="{u}claims.png" alt="Claim">',
    '<img src="{u}svg.png" alt="Script"><img src="{u}html.png" alt="Page">',
    '<img src="{u}moves.gif"><img src="{u}gone.png" alt="Gone">',
    '<img src="{u}a.jpg" width="1" height="1"><img src="{u}a.jpg" style="display:none">',
    '<math><mtext><img src="{u}a.jpg"></mtext></math><a href="{u}a" ping="{u}p">x</a>',
    (
        '<iframe src="https://tube.example.org/videos/embed/9c9de5e8-0a1e-484a-b099-e80766180a6d">'
        '</iframe><iframe src="{u}videos/embed/9c9de5e8-0a1e-484a-b099-e80766180a6d"></iframe>'
    ),
    (
        '<p><a href="https://vimeo.com/42"><img src="{u}a.jpg"></a></p>'
        '<p><a href="{u}film.mp4">A film</a></p>'
    ),
    '<a href="{u}a.jpg"><img src="{u}b.jpg" id="x" alt="Large"></a><a href="#x">there</a>',
    (
        '<pre><span class="token string" style="background:url({u}a.jpg)">"x"</span></pre>'
        '<math><mi mathbackground="url({u}a.jpg)" href="{u}a">x</mi></math>'
    ),
    (
        '<blockquote class="mastodon-embed" data-embed-url="{u}embed"><a href="{u}a">Post</a>'
        '</blockquote><script async src="{u}embed.js"></script>'
    ),
    '<image src="{u}a.jpg"><img lowsrc="{u}a.jpg" dynsrc="{u}a.jpg"><bgsound src="{u}b">',
    '<svg><filter><feImage href="{u}a.jpg"/></filter><foreignObject><img src="{u}a.jpg"></svg>',
    (
        '<math><semantics><mi>x</mi><annotation-xml encoding="text/html"><img src="{u}a.jpg">'
        '<video autoplay poster="{u}a.jpg" src="{u}film.mp4"></video></annotation-xml></semantics>'
        '<mglyph src="{u}a.jpg"></mglyph></math>'
    ),
    '<noscript><img src="{u}a.jpg"></noscript><template><img src="{u}a.jpg"></template>',
    '<base href="{u}"><meta http-equiv="refresh" content="0;url={u}r"><img src="{u}a.jpg">',
    '<frameset><frame src="{u}f"></frameset><portal src="{u}p"></portal><applet code="{u}x">',
    '<!--[if IE]><img src="{u}a.jpg"><![endif]--><![CDATA[<img src="{u}a.jpg">]]>',
    '<iframe srcdoc="<img src={u}a.jpg>"></iframe><iframe loading="lazy" src="{u}f"></iframe>',
    '<picture><source srcset="{u}a.jpg, , {u}b.jpg 3x"><img srcset=" {u}c.jpg  9w ,x"></picture>',
    '<a href="{u}x" attributionsrc="{u}q"><img attributionsrc="{u}q" src="\n{u}a.jpg\t"></a>',
    '<xmp><img src="{u}a.jpg"></xmp><plaintext><img src="{u}a.jpg">',
)
COUNT = 100


@dataclass(slots=True)
class Gallery:
    desk: Desk
    host: str

    def url(self, path: str = "/pic/") -> str:
        return self.desk.publisher.url(path, self.host)

    def fill(self) -> list[str]:
        """Place pictures and feeds that show them; return their addresses."""
        place = self.desk.publisher
        for name in ("a.jpg", "b.jpg", "c.jpg"):
            place.file(f"/pic/{name}", picture(900, 300, kind="JPEG"), "image/jpeg", host=self.host)
        place.file("/pic/b.webp", picture(kind="WEBP"), "image/webp", host=self.host)
        place.file("/pic/bomb.png", bomb(20_000, 2_100), "image/png", host=self.host)
        place.file("/pic/claims.png", claims(50_000, 50_000), "image/png", host=self.host)
        place.file("/pic/moves.gif", animation(3), "image/gif", host=self.host)
        script = b"<svg xmlns='http://www.w3.org/2000/svg' onload='self.c1=1'/>"
        place.file("/pic/svg.png", script, "image/svg+xml", host=self.host)
        place.page("/pic/html.png", "<script>self.c1=1</script>", host=self.host)
        entries = [self._entry(number) for number in range(COUNT)]
        return [
            place.feed(f"/f{start}.xml", entries=entries[start : start + 50], host=self.host)
            for start in range(0, COUNT, 50)
        ]

    def _entry(self, number: int) -> FeedEntry:
        shape = SHAPES[number % len(SHAPES)].format(u=self.url())
        return entry(number + 1, content=f"<p>Number {number}</p>{shape}", summary=shape)

    @property
    def seen_by_publishers(self) -> list[str]:
        """What anybody but Feedloom itself asked for."""
        asked = self.desk.publisher.asked(host=self.host)
        return [r.path for r in asked if "Feedloom" not in r.headers.get("user-agent", "")]


SHOW = """
async (item) => {
  await htmx.ajax('GET', `/articles/${item}`, {target: '#article'});
  for (const image of document.querySelectorAll('.prose img')) {
    image.loading = 'eager';
    await image.decode().catch(() => {});
  }
  const picture = document.querySelector('.prose a[data-large] img');
  picture?.click();
  await document.querySelector('#gallery[open] img')?.decode();
  document.querySelector('#gallery').close();
}
"""
SHOWN = """
[...document.querySelectorAll('.prose img')].map(
  (i) => [i.naturalWidth, i.alt, new URL(i.currentSrc || i.src).pathname.split('/')[1]])
"""


@pytest.mark.faults
@pytest.mark.threat("S16", "X2", "X5", "X11", "P15")
async def test_a_hundred_articles_ask_nothing_of_publishers(desk: Desk, browser: Browser, counts):
    gallery = Gallery(desk, "127.96.1.1")
    email = await desk.person()
    items = await desk.follow(email, *gallery.fill())
    page = await desk.sign_in(browser, email)
    foreign: set[str] = set()
    page.on("request", lambda request: foreign.add(request.url.split("/")[2]))
    shown: list[tuple[int, str, str]] = []

    await page.goto("/read/all")
    for item in items.values():
        await page.evaluate(SHOW, item)
        shown += await page.evaluate(SHOWN)

    visible = [alt for width, alt, _ in shown if width]
    hidden = {alt for width, alt, _ in shown if not width}
    counts("articles with hostile pictures", articles=len(items), pictures=len(shown))
    assert len(items) == COUNT
    assert foreign == {desk.server.url.removeprefix("http://")}
    assert gallery.seen_by_publishers == []
    assert {place for *_, place in shown} == {"images"}
    assert len(visible) >= 30, "real pictures are shown"
    assert hidden == {"Bomb", "Claim", "Script", "Page", "Gone"}
    assert await page.evaluate("Object.keys(self).filter(k => k === 'c1')") == []


async def layout_shift(page: Page) -> float:
    return float(
        await page.evaluate(
            """new Promise((done) => {
              let sum = 0;
              new PerformanceObserver((list) => {
                for (const one of list.getEntries()) sum += one.value;
              }).observe({type: 'layout-shift', buffered: true});
              setTimeout(() => done(sum), 300);
            })"""
        )
    )


TEXT = "<p>Text.</p>"
JUMPING = (
    '<p><img src="{u}a.jpg" alt=""></p>',
    '<p><img src="{u}tall.jpg" alt=""></p>',
    '<p><img src="{u}a.jpg" width="100%"></p>',
    '<p><img src="{u}a.jpg" width="900"></p>',
    '<section><span><img src="{u}a.jpg"></span></section>',
    '<p><img src="{u}a.jpg"><img src="{u}tall.jpg"></p>',
    '<p><img srcset="{u}a.jpg 400w, {u}tall.jpg 900w"></p>',
    '<picture><source srcset="{u}a.jpg"><img src="{u}tall.jpg"></picture>',
    '<p><img src="{u}gone.jpg" alt="A view" width="900" height="900"></p>',
    '<p><img src="{u}gone.jpg" alt="A view"></p>',
    '<p><img src="{u}gone.jpg"></p>',
    '<video src="{u}film.mp4" poster="{u}tall.jpg"></video>',
    '<p><a href="https://vimeo.com/42"><img src="{u}a.jpg" alt=""></a></p>',
    '<p><img src="{u}a.jpg">Text after the picture, in the same paragraph.</p>',
    '<p><img src="{u}a.png" alt="">Text after the picture, in the same paragraph.</p>',
    '<p>Text before. <img src="{u}a.jpg" alt="A view"> Text after.</p>',
    '<p>Text before. <img src="{u}picture/1" alt="A view of the old harbour"> After.</p>',
    '<p>Text before. <img src="{u}a.png"> Text after.</p>',
    '<p>Text before.<br><br><img src="{u}a.png"><br>Text after.</p>',
    '<ul><li><img src="{u}a.jpg"> Text</li><li>Text <img src="{u}tall.jpg"></li></ul>',
    '<ul><li><img src="{u}icon.png"> One</li><li><img src="{u}icon.png"> Two</li></ul>',
    '<table><tr><td><img src="{u}a.jpg"></td><td>Text beside it.</td></tr></table>',
    '<table><tr><td><img src="{u}a.jpg"></td></tr><tr><td>Its caption.</td></tr></table>',
    '<table><tr><td><img src="{u}a.png"></td><td>Text beside it.</td></tr></table>',
    '<table><tr><td><img src="{u}icon.png"> Yes</td><td>Text beside it.</td></tr></table>',
    '<p>Text <a href="{u}more"><img src="{u}a.jpg"></a> in a link.</p>',
    '<p>Text <a href="{u}more"><img src="{u}icon.png"></a> in a link.</p>',
    '<p>Text <img src="{u}a.jpg"><img src="{u}tall.jpg"> text</p>',
    '<blockquote><p><img src="{u}a.jpg"> Said somebody.</p></blockquote>',
    '<p>Words <img src="{u}icon.png"> with <img src="{u}icon.png" alt="ok"> icons.</p>',
    '<p>Words <img src="{u}emoji/1f600.png" alt="&#x1f600;"> with <b>a face</b>.</p>',
    '<p>The sum <img src="{u}latex/x" alt="a^2+b^2=c^2"> is a formula in a line.</p>',
    '<h2><img src="{u}icon.png"> A heading</h2>',
)
SETTLED = """
Promise.all([
  ...[...document.querySelectorAll('.prose img')].map((i) => i.decode().catch(() => {})),
  ...[...document.querySelectorAll('video')].map((v) => fetch(v.poster).catch(() => {})),
])
"""


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("width", "host"), [(360, "127.96.1.2"), (1280, "127.96.1.4")])
async def test_text_does_not_jump_when_pictures_come_or_fail(
    desk: Desk, browser: Browser, scaled: Callable[[int, int], int], *, width: int, host: str
):
    place = desk.publisher
    for name, height in (("a", 900), ("tall", 1_800)):
        body = picture(900, height, kind="JPEG")
        place.file(f"/{name}.jpg", body, "image/jpeg", host=host)
    for name, size in (
        ("a.png", (900, 900)),
        ("picture/1", (900, 600)),
        ("icon.png", (16, 16)),
        ("emoji/1f600.png", (72, 72)),
        ("latex/x", (90, 20)),
    ):
        place.file(f"/{name}", picture(*size), "image/png", host=host)
    url = place.url("/", host)
    entries = [
        entry(n, content=TEXT + shape.format(u=url) + TEXT * 30, title=str(n))
        for n, shape in enumerate(JUMPING)
    ]
    place.feed("/shift.xml", entries=entries, host=host)
    email = await desk.person()
    items = await desk.follow(email, place.url("/shift.xml", host))
    page = await desk.sign_in(browser, email, viewport={"width": width, "height": 800})
    shifts: dict[str, list[float]] = {}
    told = ""
    for n, shape in list(enumerate(JUMPING))[scaled(1, 0) :: scaled(2, 1)]:
        # The first time nobody knows how large they are, the second time everybody.
        for _ in range(2):
            await page.goto(f"/articles/{items[str(n)]}")
            await page.evaluate(SETTLED)
            shifts.setdefault(shape, []).append(await layout_shift(page))
        told += await page.content()

    assert {shape: found for shape, found in shifts.items() if max(found) >= 0.05} == {}
    assert 'width="900" height="1800"' in told


async def test_a_picture_beside_text_in_a_table_is_not_squeezed_on_a_phone(
    desk: Desk, browser: Browser
):
    host = "127.96.1.5"
    place = desk.publisher
    place.file("/a.jpg", picture(900, 600, kind="JPEG"), "image/jpeg", host=host)
    image = f'<img src="{place.url("/a.jpg", host)}">'
    content = f"<table><tr><td>{image}</td><td>{'Words beside it. ' * 20}</td></tr></table>"
    feed = place.feed("/cells.xml", entries=[entry(1, content=content)], host=host)
    email = await desk.person()
    [item] = (await desk.follow(email, feed)).values()
    page = await desk.sign_in(browser, email, viewport={"width": 360, "height": 800})

    widths = []
    for _ in range(2):
        await page.goto(f"/articles/{item}")
        await page.evaluate(SETTLED)
        box = await page.locator(".prose img").bounding_box()
        assert box
        widths.append(box["width"])

    assert min(widths) >= 150
    assert await page.evaluate("document.scrollingElement.scrollWidth") == 360


async def test_a_picture_that_failed_leaves_its_description_and_out_of_sight_no_room(
    desk: Desk, browser: Browser
):
    host = "127.96.1.3"
    seen, far, silent = (
        f'<img src="{desk.publisher.url(f"/{name}", host)}" alt="{alt}" width="900" height="600">'
        for name, alt in (("a", "A view"), ("b", "A far one"), ("c", ""))
    )
    content = f"{seen}{TEXT * 99}{far}{silent}"
    feed = desk.publisher.feed("/gone.xml", entries=[entry(1, content=content)], host=host)
    email = await desk.person()
    [item] = (await desk.follow(email, feed)).values()
    page = await desk.sign_in(browser, email)
    await page.goto(f"/articles/{item}")
    await page.evaluate(
        "document.querySelectorAll('.prose img').forEach((i) => { i.loading = 'eager'; })"
    )

    await page.locator(".prose img.failed-unseen").wait_for()
    await page.locator(".prose img[alt='']").wait_for(state="detached")
    left = await page.locator(".prose img").evaluate_all(
        "(all) => all.map((i) => [i.alt, i.getBoundingClientRect().height > 100])"
    )

    assert left == [["A view", True], ["A far one", False]]
