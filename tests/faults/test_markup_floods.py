"""Hundreds of thousands of shapes of markup, cleaned and then judged by Chromium."""

import random

import pytest
from playwright.async_api import Browser

from feedloom.markup import clean_html
from tests.payloads import PAYLOADS
from tests.unit.markup.inspection import ATTRIBUTES, ELEMENTS
from tests.unit.markup.test_properties import ATTRIBUTES as SHAPES
from tests.unit.markup.test_properties import BASE, NAMES, TEXTS

BATCH = 1_000
JUDGE = """
([shapes, elements, attributes]) => {
  const parser = new DOMParser();
  const read = text => parser.parseFromString('<!doctype html><body>' + text, 'text/html');
  const known = new Set(elements), allowed = new Set(attributes);
  const safe = ['http:', 'https:', 'mailto:', 'tel:'];
  const wrong = element => {
    if (!known.has(element.localName)) return 'element ' + element.localName;
    for (const {name, value} of element.attributes) {
      if (!allowed.has(name)) return 'attribute ' + name;
      const anchors = name === 'id' || (name === 'name' && element.localName === 'a');
      if (anchors ? !/^at-[^\\s]+$/.test(value) : name === 'name') return name + '=' + value;
      const colours = element.localName === 'span' && /^code-[a-z]+$/.test(value);
      if (name === 'class' && !colours) return 'class ' + value;
      if (['href', 'src', 'cite', 'poster'].includes(name)) {
        const url = URL.parse(value);
        if (!url || !safe.includes(url.protocol)) return name + '=' + value;
      }
    }
    return '';
  };
  const judge = text => {
    const page = read('<main><div>' + text + '</div><hr></main><footer></footer>');
    const [main, footer] = page.body.children;
    const [inside, after] = main.children;
    const stays = page.body.childNodes.length == 2 && footer.localName == 'footer'
      && main.childNodes.length == 2 && after.localName == 'hr';
    if (!stays) return 'leaves its container';
    for (const element of inside.querySelectorAll('*')) {
      const why = wrong(element);
      if (why) return why;
    }
    const again = read(inside.innerHTML).body.innerHTML;
    return again == inside.innerHTML ? '' : 'is something else when read again';
  };
  return shapes.map(judge).map((why, place) => [why, place]).filter(([why]) => why);
}
"""


def shape(pick: random.Random) -> str:
    """Put parts of pages and of hostile markup together, and damage some of it."""
    hostile = list(PAYLOADS.values())
    parts = []
    for _ in range(pick.randrange(1, 25)):
        match pick.randrange(8):
            case 0 | 1 | 2:
                parts.append(f"<{pick.choice(NAMES)}{pick.choice(SHAPES)}>")
            case 3 | 4:
                parts.append(f"</{pick.choice(NAMES)}>")
            case 5 | 6:
                parts.append(pick.choice(TEXTS))
            case _:
                text = pick.choice(hostile)
                start = pick.randrange(len(text))
                parts.append(text[start:] if pick.random() < 0.3 else text)
    return "".join(parts)


@pytest.mark.faults
@pytest.mark.threat("X1", "X4", "X5", "X6", "X8")
async def test_a_browser_finds_nothing_wrong_with_cleaned_markup(browser: Browser, scaled, counts):
    page = await browser.new_page()
    known = [sorted(ELEMENTS), sorted(ATTRIBUTES)]
    # The judge itself: of markup that was not cleaned, next to nothing may stay.
    hostile = list(PAYLOADS.values())
    assert len(await page.evaluate(JUDGE, [hostile, *known])) > len(hostile) * 0.9
    batches, failed = scaled(3, 500), []
    for seed in range(batches):
        pick = random.Random(seed)
        shapes = [shape(pick) for _ in range(BATCH)]
        clean = [clean_html(one, base_url=BASE) for one in shapes]
        for why, place in await page.evaluate(JUDGE, [clean, *known]):
            failed.append((why, shapes[place], clean[place]))

    counts("cleaned markup in Chromium", shapes=batches * BATCH, failed=len(failed))
    assert failed[:5] == []
