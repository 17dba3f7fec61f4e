"""Pictures of clean markup get other addresses; nothing else changes."""

import pytest
from hypothesis import given

from feedloom.markup import clean_html, first_picture, with_images
from feedloom.model.feed import CleanHTML
from tests.payloads import PAYLOADS
from tests.unit.markup.inspection import complaints
from tests.unit.markup.test_properties import tag_soup

WIDTHS = (320, 800, 1600)
SIZES = {"https://a.example/wide.jpg": (2000, 1000), "https://a.example/icon.png": (16, 16)}


def moved(url: str, width: int) -> str:
    return f"/p/{width}/{url.encode().hex()}"


def shown(html: str) -> str:
    return with_images(clean_html(html), moved, SIZES.get, WIDTHS)


def at(url: str, width: int = 1600) -> str:
    return moved(url, width)


def test_a_picture_comes_from_another_address_with_its_alternative_text():
    found = shown('<p><img src="https://a.example/x.jpg?a=1&amp;b=2" alt="A cat"></p>')

    url = at("https://a.example/x.jpg?a=1&b=2")
    assert found == f'<p><img loading="lazy" src="{url}" alt="A cat" class="unsized"></p>'


def test_a_picture_of_known_size_says_so_and_offers_a_small_one():
    found = shown('<img src="https://a.example/wide.jpg">')

    assert 'width="2000" height="1000"' in found
    narrow, wide = at("https://a.example/wide.jpg", 800), at("https://a.example/wide.jpg")
    assert f'srcset="{narrow} 800w, {wide} 1600w"' in found


def test_the_size_that_a_publisher_gives_stays():
    found = shown('<img src="https://a.example/wide.jpg" width="600">')

    assert 'width="600"' in found
    assert 'height="300"' in found


@pytest.mark.parametrize(
    ("written", "sized"),
    [
        ('width="600" height="9"', 'width="600" height="300"'),
        ('width="100%"', 'width="2000" height="1000"'),
    ],
)
def test_sizes_that_cannot_be_right_are_corrected(written, sized):
    assert sized in shown(f'<img src="https://a.example/wide.jpg" {written}>')


@pytest.mark.parametrize(
    ("written", "unsized"),
    [('width="600"', True), ('width="100%"', True), ('height="9"', True), ('width="32"', False)],
)
def test_room_is_kept_for_a_picture_whose_size_is_told_by_half(written, unsized):
    found = shown(f'<p><img src="https://a.example/x.jpg" {written}></p>')

    assert ('class="unsized"' in found) is unsized


def test_a_picture_that_only_offers_a_choice_is_one_of_them():
    found = shown('<img srcset="https://a.example/x.jpg 400w, https://a.example/wide.jpg 2000w">')

    assert f'src="{at("https://a.example/wide.jpg")}"' in found
    assert 'width="2000" height="1000"' in found


def test_a_small_picture_is_offered_once():
    found = shown('<img src="https://a.example/icon.png">')

    assert 'width="16" height="16"' in found
    assert "srcset" not in found


def test_the_browser_goes_on_choosing():
    a, b, c = (f"https://a.example/{name}.jpg" for name in "abc")
    found = shown(
        f'<picture><source srcset="{a} 400w, {b} 1000w, {c} 3000w" media="(min-width: 9px)">'
        f'<img src="{a}" srcset="{b} 2x"></picture>'
    )

    assert f'srcset="{at(a, 800)} 400w, {at(b)} 1000w, {at(c)} 1600w"' in found
    assert f'srcset="{at(b)} 2x"' in found


def test_a_film_keeps_its_address_and_its_poster_gets_another():
    found = shown('<video src="https://a.example/f.mp4" poster="https://a.example/p.jpg"></video>')

    assert 'src="https://a.example/f.mp4"' in found
    assert f'poster="{at("https://a.example/p.jpg")}"' in found


def test_addresses_that_stay_are_written_as_before():
    clean = clean_html('<img src="https://a.example/x?a=1&amp;b=2" srcset="http://b.example/y 2x">')

    assert with_images(clean, lambda url, _: url, SIZES.get, WIDTHS) == clean


@pytest.mark.parametrize(
    ("markup", "address"),
    [
        (
            '<p><img src="https://i.example/a.jpg?b=1&amp;c=2"></p>',
            "https://i.example/a.jpg?b=1&c=2",
        ),
        ('<img src="https://i.example/dot.gif" width="1">', None),
        (
            '<img src="https://i.example/icon.png" width="16"><img src="https://i.example/b.jpg">',
            "https://i.example/b.jpg",
        ),
        ("<p>Words</p>", None),
    ],
)
def test_the_first_picture_that_is_no_icon_stands_for_an_article(markup: str, address: str | None):
    assert first_picture(clean_html(markup)) == address


def test_sizes_of_a_hundred_pictures_are_looked_up_at_most():
    asked: list[str] = []

    def size(url: str) -> None:
        asked.append(url)

    clean = clean_html('<img src="https://a.example/x.jpg">' * 300)
    found = with_images(clean, moved, size, WIDTHS)

    assert len(asked) == 100
    assert "https:" not in found


@pytest.mark.threat("X2")
def test_no_shape_keeps_a_picture_elsewhere():
    for markup in PAYLOADS.values():
        found = shown(markup)
        for name in ("img", "source"):
            for tag in found.split(f"<{name} ")[1:]:
                assert "://" not in tag.partition(">")[0].partition("alt=")[0], found


@given(tag_soup)
def test_what_was_clean_stays_so(soup):
    clean = clean_html(soup)
    # Back to addresses of the web, which the sanitiser lets through.
    found = with_images(
        clean, lambda url, w: f"https://own.example{moved(url, w)}", SIZES.get, WIDTHS
    )

    assert complaints(found) == complaints(clean)
    assert clean_html(found).count("<img") == clean.count("<img")


@pytest.mark.parametrize(
    "title", ["<img src=", "<img alt=", '<img src="https://a.example/x"', "<video poster="]
)
def test_what_an_attribute_says_is_no_picture(title):
    clean = clean_html(f"<abbr title='{title}'>x</abbr><b title='>'>y</b>")

    assert with_images(clean, moved, SIZES.get, WIDTHS) == clean


def test_text_without_pictures_is_handed_on():
    clean = CleanHTML("<p>Text</p>")

    assert with_images(clean, moved, SIZES.get, WIDTHS) is clean


@pytest.mark.parametrize(
    ("html", "alone"),
    [
        ("<p>{}</p>", True),
        ("{}", True),
        ("<p>Text</p> {} <p>text</p>", True),
        ('<figure><a href="https://a.example/">{}</a><figcaption>x</figcaption></figure>', True),
        ("<section><span><strong>{}</strong></span></section>", True),
        ("<ul><li>{0} {0}</li></ul>", True),
        ("<p>Text {} text</p>", False),
        ("<p>Text <a>{}</a> text</p>", False),
        ("<p>{} text</p>", False),
        ("<p>Text <b>{}</b></p>", False),
        ("<table><tr><td>{}</td></tr></table>", False),
    ],
)
def test_room_is_kept_for_a_picture_in_a_line_of_its_own(html, alone):
    found = shown(html.format('<img src="https://a.example/x.png">'))

    assert ('class="unsized"' in found) is alone
    assert ('class="in-line"' in found) is not alone


def test_a_formula_is_about_as_wide_as_what_it_says():
    url = "https://a.example/latex?x"
    found = shown(f'<p>As <img src="{url}" alt="\\frac{{a}}{{b}} + c^{{10}}"> says</p>')

    assert 'class="in-line" width="80"' in found


@pytest.mark.parametrize(
    ("picture", "kind"),
    [
        ('src="https://a.example/x.jpg"', "unsized"),
        ('src="https://a.example/x.WebP?w=9"', "unsized"),
        ('src="https://a.example/x" alt="Boats in the harbour"', "unsized"),
        ('src="https://a.example/icons/x" width="300"', "unsized"),
        ('src="https://a.example/x" srcset="https://a.example/y 2x"', "unsized"),
        ('src="https://a.example/x"', "in-line"),
        ('src="https://a.example/x.gif" alt="A boat"', "in-line"),
        ('src="https://a.example/avatars/x.jpg"', "in-line"),
        ('src="https://a.example/latex/x" alt="a + b = c"', "in-line"),
        ('src="https://a.example/1f600.png" alt="\U0001f600"', "emoji"),
        ('src="https://a.example/wide.jpg" alt="\U0001f468\u200d\U0001f469"', "emoji"),
        ('src="https://a.example/x.jpg" alt="\U0001f525" width="600"', "unsized"),
        ('src="https://a.example/x.png" alt="\u20ac 5"', "in-line"),
        ('src="https://a.example/x.png" alt="\u6e2f"', "in-line"),
    ],
)
@pytest.mark.parametrize(
    "line", ["<p>{} text</p>", "<p>Text <b>{}</b> text</p>", "<table><tr><td>{}</td></tr></table>"]
)
def test_a_picture_between_words_has_the_room_that_fits_what_is_told_of_it(picture, kind, line):
    found = shown(line.format(f"<img {picture}>"))

    assert f'class="{kind}"' in found
