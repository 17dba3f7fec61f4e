"""Text out of markup, and text out of what should be text."""
# ruff: noqa: RUF001 - Arabic letters are meant

import pytest

from feedloom.markup import clean_html, excerpt, plain, to_text
from feedloom.markup.plaintext import _lines, shortened
from feedloom.model.feed import CleanHTML
from tests.corpus.articles import BASE, NAMES, written


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("", ""),
        ("words", "words"),
        ("broken\nby  its\r\nsource", "broken by its source"),
        ("<p>one</p><p>two</p>", "one\ntwo"),
        ("un<b>believ</b>able", "unbelievable"),
        ("one<br>two<br/>three<BR />four", "one\ntwo\nthree\nfour"),
        ("<ul><li>a<li>b</ul>", "a\nb"),
        ("<table><tr><td>a</td><td>b</td></tr></table>", "a\nb"),
        ("a &lt; b &amp;amp; c&nbsp;d", "a < b &amp; c d"),
        ("a < b", "a < b"),
        ("a<script>x()</script>b<style>y</style>c<!-- z -->d", "abcd"),
        ("<p>a\n   b\t c</p>\n\n\n<p>d</p>", "a b c\nd"),
        ('<img alt="a > b" src=x>c', "c"),
        ("<p title='>'>a</p>", "a"),
        ("it's <i>his</i> dog's", "it's his dog's"),
        ("a\x00b\x07", "ab"),
        ("a\u202eb", "ab"),
        ("<svg><text>x</text></svg>y", "y"),
        ("<template>x</template>y", "y"),
        ("\ud800a<B>b</B>", "ab"),
        ("<p>" + "x" * 7000 + "</p>", "x" * 7000),
    ],
)
def test_markup_becomes_lines_of_text(markup: str, text: str):
    assert to_text(markup) == text


def test_a_limit_cuts_at_a_word_and_says_so():
    assert to_text("<p>one two three four</p>", limit=12) == "one two…"


def test_a_limit_longer_than_the_text_changes_nothing():
    assert to_text("<p>one two</p>", limit=100) == "one two"


def test_a_long_word_is_cut_anyway():
    assert to_text("x" * 50, limit=10) == "x" * 9 + "…"


def test_a_limit_is_met_also_behind_much_markup():
    markup = "<p></p>" * 3000 + "<p>one two three four five six seven</p>"

    assert to_text(markup, limit=20) == "one two three four…"


def test_a_limited_text_is_the_beginning_of_the_whole():
    markup = "<p>one <b>two</b> &amp; three</p>" * 2000
    beginning = to_text(markup, limit=300)

    assert len(beginning) <= 300
    assert to_text(markup).startswith(beginning[:-1])


@pytest.mark.parametrize("limit", [1, 2, 5, 50, 299])
def test_an_excerpt_never_exceeds_its_limit(limit: int):
    clean = clean_html("<p>one <b>two</b> &amp; three</p>" * 50)

    assert 0 < len(excerpt(clean, limit=limit)) <= limit


def test_an_excerpt_is_one_line():
    clean = clean_html("<p>one</p><p>two &lt;three&gt;</p>")

    assert excerpt(clean) == "one two <three>"


def test_an_excerpt_looks_further_when_there_is_little_text_first():
    pictures = '<img src="https://example.org/{}.jpg" alt="x">' * 200
    clean = clean_html(f"{pictures}<p>The story begins.</p>")

    assert excerpt(clean, limit=50) == "The story begins."


@pytest.mark.parametrize("name", [name for name in NAMES if "mathml" not in name])
@pytest.mark.parametrize("limit", [20, 100, 300, 2_000])
def test_an_excerpt_is_the_beginning_of_the_text(name: str, limit: int):
    clean = clean_html(written(name), base_url=BASE)

    words = " ".join(to_text(clean).split())

    assert excerpt(clean, limit=limit) == shortened(words, limit)


def test_an_angle_bracket_in_an_attribute_is_no_end_of_a_tag():
    clean = CleanHTML('<p title="a > b">one <b lang="de">two</b></p>' * 9)

    assert excerpt(clean, limit=12) == "one two…"


@pytest.mark.parametrize("hidden", ["\u200b" * 401, "\u200b \u202e" * 200, "\u2003\u200b" * 300])
def test_what_nobody_sees_does_not_fill_an_excerpt(hidden: str):
    clean = clean_html(f"<p>{hidden}</p><p>The {hidden} story.</p>" + "<p>More.</p>" * 99)

    assert excerpt(clean, limit=30) == "The story. More. More. More…"


def test_an_excerpt_does_not_break_an_entity_or_a_tag():
    for length in range(380, 420):
        clean = CleanHTML("x" * length + "&amp;" * 30 + "<b>y</b>" * 200)
        cut = excerpt(clean, limit=length + 2)
        assert set(cut) <= {"x", "&", "y", "…"}


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("", ""),
        ("A title", "A title"),
        ("  A\n\ttitle  ", "A title"),
        ("Fish &amp; Chips", "Fish & Chips"),
        ("Fish & Chips", "Fish & Chips"),
        ("&amp;lt;b&amp;gt;", "&lt;b&gt;"),
        ("<b>Bold</b> claim", "Bold claim"),
        ("One<br>two", "One two"),
        ("<p>One</p><p>two</p>", "One two"),
        ("<a href='x' title=\"y\">z</a>", "z"),
        ("Vec<T> and <canvas>", "Vec<T> and <canvas>"),
        ("1 < 2 > 0", "1 < 2 > 0"),
        ("a<script>x</script>b", "ab"),
        ("a<!-- b -->c", "ac"),
        ("a\x00\x1b\x7f\x9fb", "ab"),
        ("a\u202e\u2066\ufeff\u200bb", "ab"),
        ("👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"),
        ("نمی\u200cخواهم", "نمی\u200cخواهم"),
        ("\ud83d", ""),
    ],
)
def test_text_fields_are_one_line_of_plain_text(written: str, meant: str):
    assert plain(written) == meant


def test_a_field_that_is_declared_text_keeps_its_angle_brackets():
    assert plain("Use <b> &amp; co", markup=False) == "Use <b> & co"


def test_a_field_is_cut_to_its_limit():
    assert plain("one two three", limit=9) == "one two…"


def test_an_endless_field_is_cut_before_it_is_read():
    assert len(plain("<b>x</b> " * 1_000_000)) <= 100_000


def test_a_panic_of_the_native_library_costs_no_text():
    panic = type("PanicException", (BaseException,), {})

    assert _lines("<TABLE>a", Failing(panic("boom"))) == "a"


def test_an_interrupt_is_not_swallowed():
    with pytest.raises(KeyboardInterrupt):
        _lines("<TABLE>a", Failing(KeyboardInterrupt()))


class Failing:
    """A native library that fails."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def clean(self, html: str) -> str:
        assert html
        raise self._error


@pytest.mark.parametrize("end", ["\x85", " \x85", "\u2003\x85", "\xa0\xa0", "\u200b"])
def test_white_space_behind_the_limit_cuts_nothing(end: str):
    assert excerpt(CleanHTML("x" * 25 + end), limit=25) == "x" * 25
