"""What publishers put into articles works: notes, formulas, code, tables, pictures; and aloud."""

from typing import Any

import pytest
from playwright.async_api import Browser, Page

from tests.browser import Axe
from tests.factories_feeds import entry
from tests.journeys.web.browsing import Desk, desk
from tests.unit.images.pictures import picture

__all__ = ["desk"]

WIDE = "<tr>" + "".join(f"<td>{'column' * 3}{n}</td>" for n in range(20)) + "</tr>"
RICH = f"""
<p>First sentence here. Second, with a note<sup id="fnref1"><a href="#fn1">1</a></sup>!</p>
<p>And <em>half a</em> third one? See <a href="https://blog.example/entries/1#end">below</a>.</p>
<p>Energy:
<math><mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup></math></p>
<table>{WIDE}</table>
<pre><code><span class="hljs-keyword">def</span> <span class="hljs-title">f</span>(): {"x" * 400}
    <span class="hljs-comment"># second line</span></code></pre>
{{pictures}}
{"<p>Filling.</p>" * 40}
<ol><li id="fn1">The note. <a href="#fnref1">Back</a></li></ol><h2 id="end">End</h2>
"""


async def open_article(desk: Desk, browser: Browser, host: str, **options: Any) -> Page:
    """Publish an article with everything in it and open it in the reader."""
    place = desk.publisher
    urls = [
        place.file(f"/{n}.jpg", picture(900, 300 + n, kind="JPEG"), "image/jpeg", host=host)
        for n in range(4)
    ]
    pictures = "".join(
        (
            f'<figure><img src="{urls[0]}" alt="One"><figcaption>First</figcaption></figure>',
            f'<p><img src="{urls[1]}" alt="Two"></p>',
            f'<p><a href="{urls[3]}"><img src="{urls[2]}" alt="Three"></a></p>',
            f'<p><a href="https://a.example/page"><img src="{urls[0]}" alt="Away"></a></p>',
            f'<picture><source media="(max-width: 400px)" srcset="{urls[1]}">',
            f'<img src="{urls[0]}" alt="Four"></picture>',
        )
    )
    content = RICH.replace("{pictures}", pictures)
    entries = [entry(2, content="<p>Another.</p>"), entry(1, content=content)]
    url = place.feed("/rich.xml", entries=entries, host=host)
    email = await desk.person()
    await desk.follow(email, url)
    page = await desk.sign_in(browser, email, **options)
    await page.add_init_script(SPEECH)
    await page.goto("/read/all?item=1")
    await page.evaluate(
        "Promise.all([...document.querySelectorAll('.prose img')].map((image) => {"
        " image.loading = 'eager'; return image.decode(); }))"
    )
    return page


SPEECH = """
  const engine = {
    said: [], voices: [{name: 'Ada', lang: 'en-GB', voiceURI: 'ada'},
                       {name: 'Hans', lang: 'de-DE', voiceURI: 'hans'}],
    speak(utterance) { this.said.push(utterance); },
    cancel() { const last = this.said.at(-1); last?.onend?.(); },
    getVoices() { return this.voices; },
    addEventListener() {},
  };
  Object.defineProperty(self, 'speechSynthesis', {value: engine, configurable: true});
  self.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
"""
"""A voice that says nothing: browsers without a screen have none."""
SAID = "speechSynthesis.said.map((one) => [one.text, one.rate, one.voice?.name ?? ''])"
MARKED = "[...(CSS.highlights.get('listening') ?? [])].map(String).join()"


async def test_notes_lead_to_their_place_and_back(desk: Desk, browser: Browser):
    page = await open_article(desk, browser, "127.98.1.1")
    pane = page.locator("#article")

    scrolled = []
    await page.click(".prose sup a")
    note = page.locator(".prose li:target")
    await note.wait_for()
    scrolled.append(await pane.evaluate("(box) => box.scrollTop"))
    await page.click(".prose li a")
    await page.locator(".prose sup:target").wait_for()
    scrolled.append(await pane.evaluate("(box) => box.scrollTop"))
    await page.go_back()
    await note.wait_for()

    assert scrolled[0] > 500 > scrolled[1]
    assert await pane.locator("[data-article='1']").count() == 1, "the article stays open"
    assert await page.locator(".prose a[href='#at-1-end']").count() == 1
    assert len(page.context.pages) == 1


async def test_formulas_code_and_tables_look_as_they_should(desk: Desk, browser: Browser):
    page = await open_article(desk, browser, "127.98.1.2", viewport={"width": 360, "height": 740})
    facts = await page.evaluate(
        """() => {
          const box = (selector) => document.querySelector('.prose ' + selector);
          const colour = (selector) => getComputedStyle(box(selector)).color;
          const scrolls = (element) => element.scrollWidth > element.clientWidth + 100
            && getComputedStyle(element).overflowX === 'auto' && element.tabIndex === 0;
          const place = (selector) => box(selector).getBoundingClientRect();
          const [base, power] = [place('msup mi'), place('msup mn')];
          return {
            math: power.top < base.top && power.bottom < base.bottom && power.left >= base.left,
            table: scrolls(box('table')),
            code: scrolls(box('pre')),
            colours: new Set(
              ['.code-keyword', '.code-name', '.code-comment', 'pre'].map(colour)).size,
            page: document.scrollingElement.scrollWidth,
          };
        }"""
    )

    assert facts["math"], "the power stands above"
    assert facts["table"]
    assert facts["code"]
    assert facts["colours"] == 4
    assert facts["page"] == 360, "nothing makes the page scroll sideways"


@pytest.mark.parametrize(("width", "chosen"), [(390, 301), (1280, 300)])
async def test_a_browser_goes_on_choosing_among_pictures(
    desk: Desk, browser: Browser, width: int, chosen: int
):
    viewport = {"width": width, "height": 800}
    page = await open_article(desk, browser, f"127.98.2.{width % 250}", viewport=viewport)

    size = await page.evaluate(
        """(() => {
          const image = document.querySelector('picture img');
          return image.naturalHeight / image.naturalWidth;
        })()"""
    )

    assert size == pytest.approx(chosen / 900, abs=0.0006)


async def test_pictures_open_large_and_go_on_by_keyboard(desk: Desk, browser: Browser, axe: Axe):
    page = await open_article(desk, browser, "127.98.1.3")
    large = page.locator("#gallery img")
    first = page.locator(".prose figure img")

    await first.focus()
    await page.keyboard.press("Enter")
    seen = [await large.get_attribute("alt")]
    caption = await page.locator("#gallery figcaption").text_content()
    told = await page.locator("#gallery [role=status]").text_content()
    problems = await axe(page)
    for _ in range(2):
        await page.keyboard.press("ArrowRight")
        seen.append(await large.get_attribute("alt"))
    linked = await large.evaluate("(image) => image.decode().then(() => image.naturalHeight)")
    await page.keyboard.press("Home")
    await page.keyboard.press("ArrowLeft")
    seen.append(await large.get_attribute("alt"))
    still = await page.get_attribute("#article [data-article]", "data-article")
    await page.keyboard.press("Escape")

    assert seen == ["One", "Two", "Three", "Four"]
    assert (caption, told) == ("First", "1 of 4")
    assert linked == 303, "a link to a larger picture shows that one, through the proxy"
    assert problems == []
    assert still == "1", "arrow keys and letters belong to the pictures meanwhile"
    assert await first.evaluate("(image) => image === document.activeElement")
    assert await page.locator("#gallery").is_hidden()


async def test_pictures_go_on_with_a_swipe(desk: Desk, browser: Browser):
    page = await open_article(
        desk, browser, "127.98.1.4", viewport={"width": 390, "height": 800}, has_touch=True
    )
    large = page.locator("#gallery img")

    await page.tap(".prose figure img")
    for start, end in ((300, 100), (100, 300)):
        await large.evaluate(
            """(image, [start, end]) => {
              const touch = (clientX) =>
                new Touch({identifier: 1, target: image, clientX, clientY: 300});
              const fire = (name, list, changed) => image.dispatchEvent(new TouchEvent(name,
                {bubbles: true, touches: list, changedTouches: changed}));
              fire('touchstart', [touch(start)], [touch(start)]);
              fire('touchend', [], [touch(end)]);
            }""",
            [start, end],
        )
        if end == 100:
            assert await large.get_attribute("alt") == "Two"

    assert await large.get_attribute("alt") == "One"
    await page.click("[data-gallery-close]")
    assert await page.locator("#gallery").is_hidden()


async def test_an_article_is_read_aloud_sentence_by_sentence(
    desk: Desk, browser: Browser, axe: Axe
):
    page = await open_article(desk, browser, "127.98.1.5")
    finish = "speechSynthesis.said.at(-1).onend()"
    play = page.locator("[data-listening=play]")

    await page.keyboard.press("l")
    marks = [await page.evaluate(MARKED)]
    for _ in range(3):
        await page.evaluate(finish)
        marks.append(await page.evaluate(MARKED))
    problems = await axe(page)
    await page.select_option("[data-speed]", "1.5")
    await page.select_option("[data-voices]", label="Ada")
    voices = await page.locator("[data-voices] option").all_text_contents()
    await page.keyboard.press("l")
    paused = await play.get_attribute("aria-label")
    await page.evaluate(finish)
    count = await page.evaluate("speechSynthesis.said.length")
    await play.click()
    await page.click("[data-listening=back]")
    said = await page.evaluate(SAID)

    assert [text for text, *_ in said[:4]] == [
        "Entry 1",
        "First sentence here.",
        "Second, with a note!",
        "And half a third one?",
    ]
    assert marks[1] == "First sentence here."
    assert marks[3] == "And half a third one?"
    assert voices == ["Usual voice", "Ada"], "those that speak the language of the article"
    assert said[5] == ["And half a third one?", 1.5, "Ada"], "it begins the sentence again"
    assert (paused, len(said)) == ("Read on", count + 2), "a pause is a pause"
    assert said[-1][0] == "Second, with a note!"
    assert problems == []
    assert "code" not in " ".join(text for text, *_ in said)
    await page.click(".row-link:has-text('Entry 2')")
    await page.locator("[data-article='2'][data-seen]").wait_for()
    assert await page.evaluate("CSS.highlights.size") == 0


async def test_without_a_voice_nothing_offers_to_read_aloud(desk: Desk, browser: Browser):
    page = await open_article(desk, browser, "127.98.1.6")
    await page.add_init_script(
        "Object.defineProperty(self, 'speechSynthesis', {value: undefined});"
    )

    shown = await page.locator("[data-listen]").is_visible()
    await page.reload()

    assert shown
    assert await page.locator("[data-listen]").is_hidden()
