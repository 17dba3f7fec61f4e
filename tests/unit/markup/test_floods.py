"""Floods of tags cost time in proportion to their length, and come out bounded."""

import time
import tracemalloc
from collections.abc import Callable

import pytest

from feedloom.markup import clean_html, excerpt, plain, to_text
from feedloom.markup.floods import MAX_DEPTH, balance
from tests.unit.markup.inspection import complaints

pytestmark = pytest.mark.threat("X19")

MOST_CPU_S = 6.0
"""The goal is one second of a quiet machine; this one is shared, perhaps traced."""


def attributes(count: int, between: str = "") -> str:
    return "<a " + " ".join(f"a{n}=1{between}" for n in range(count)) + ">x"


# Name, what it is made of by size, and a size that gives about a megabyte.
FLOODS: dict[str, tuple[Callable[[int], str], int]] = {
    "nested": (lambda n: "<div>" * n, 100_000),
    "nested-below-the-limit": (lambda n: "<div>" * n, 25_000),
    "fonts": (lambda n: "".join(f"<font size={k}>x" for k in range(n)), 20_000),
    "bold-in-paragraphs": (lambda n: "".join(f"<p><b title={k}>x" for k in range(n)), 10_000),
    "bold-few": (lambda n: "".join(f"<p><b title={k}>x" for k in range(n)), 290),
    "links": (lambda n: "".join(f"<a href=x{k}>" for k in range(n)), 20_000),
    "tables": (lambda n: "<table><tr><td>" * n, 8_000),
    "lists": (lambda n: "<ul><li>" * n, 10_000),
    "paragraphs": (lambda n: "<p>" * n, 20_000),
    "signs": (lambda n: "<" * n, 1_000_000),
    "unfinished-tags": (lambda n: "<a " * n, 120_000),
    "unfinished-quotes": (lambda n: '<a "' * n, 120_000),
    "unfinished-with-brackets": (lambda n: '<a x=">"' * n, 120_000),
    "unfinished-ends-with-brackets": (lambda n: "</a x='>'" * n, 110_000),
    "unfinished-titles": (lambda n: '<a title="' * n, 20_000),
    "unfinished-comments": (lambda n: "<!--" * n, 120_000),
    "unfinished-frames": (lambda n: "<iframe" * n, 120_000),
    "frames": (lambda n: "<iframe src=https://x.example/>" * n, 12_000),
    "scripts": (lambda n: "<script>" * n, 20_000),
    "vectors": (lambda n: "<svg><g>" * n, 10_000),
    "formulas": (lambda n: "<math><mi>" * n, 10_000),
    "wrong-ends": (lambda n: "<div></span>" * n, 10_000),
    "crossed-ends": (lambda n: "<b><div></b>" * n, 10_000),
    "ends-in-comments": (lambda n: "<div><!--</div>-->" * n, 10_000),
    "ends-in-values": (lambda n: '<div><img alt="</div>">' * n, 10_000),
    "ends-in-scripts": (lambda n: "<div><script></div></script>" * n, 10_000),
    "attributes": (attributes, 150_000),
    "attributes-behind-brackets": (lambda n: attributes(n, " x='>'"), 60_000),
    "one-attribute": (lambda n: "<p " + "a=1 " * n + ">x", 120_000),
    "long-value": (lambda n: '<p title="' + "&amp;" * n + '">x', 120_000),
    "long-address": (lambda n: '<a href="' + "a/" * n + '">x', 500_000),
    "candidates": (lambda n: '<img src=x srcset="' + "a.jpg 1x," * n + '">', 100_000),
    "ampersands": (lambda n: "&" * n, 500_000),
    "references": (lambda n: "&#12;" * n, 120_000),
    "blank-lines": (lambda n: "<pre>" + "\n" * n, 500_000),
    "headings": (lambda n: "<h1>" * n, 20_000),
    "inline-data": (lambda n: f'<img src="data:image/png;base64,{"A" * n}"><p>x</p>', 15_000_000),
    "fifteen-megabytes": (lambda n: "<p>some words <b>here</b></p>\n" * n, 500_000),
    "a-million-tags": (lambda n: "<div>x" * n, 1_000_000),
}


@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", FLOODS)
def test_floods_are_cleaned_quickly_and_for_good(name: str):
    make, size = FLOODS[name]
    markup = make(size)
    started = time.process_time()
    clean = clean_html(markup, base_url="https://example.org/")
    spent_s = time.process_time() - started

    assert spent_s < MOST_CPU_S
    assert clean_html(clean, base_url="https://example.org/") == clean
    assert complaints(clean[:20_000]) == []


@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", FLOODS)
def test_the_text_of_floods_is_found_quickly(name: str):
    make, size = FLOODS[name]
    markup = make(size)
    started = time.process_time()
    to_text(markup)
    to_text(markup, limit=300)
    plain(markup, limit=300)
    excerpt(clean_html(markup[:100_000]))

    assert time.process_time() - started < MOST_CPU_S


@pytest.mark.parametrize(
    "name", ["nested-below-the-limit", "fonts", "wrong-ends", "attributes", "signs"]
)
def test_four_times_the_length_takes_about_four_times_as_long(name: str):
    make, size = FLOODS[name]
    small, large = make(size // 8), make(size // 2)
    clean_html(small)
    first, second = (_cpu_s(clean_html, markup) for markup in (small, large))

    assert second < 12 * first + 0.1


def _cpu_s(work: Callable[[str], object], markup: str) -> float:
    started = time.process_time()
    work(markup)
    return time.process_time() - started


def test_what_follows_an_unfinished_tag_is_left_out():
    assert balance('one<p>two<a x=">"<b y=">three"') == "one<p>two</p>"
    assert balance("one</p x='>") == "one"
    assert balance("one< two</ three>four") == "one&lt; twofour"


@pytest.mark.parametrize("tag", ['<a x=">"', "</a x='>'", '<a x="<"', '<!x a=">"'])
def test_unfinished_tags_are_read_once(tag: str):
    small, large = (_cpu_s(balance, tag * size) for size in (10_000, 80_000))

    assert large < 40 * small + 0.2


def test_a_flood_takes_no_more_memory_than_it_is_long():
    markup = "".join(f"<p><b title={k}>x" for k in range(5_000))
    tracemalloc.start()
    clean_html(markup)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 80 * len(markup)


def test_what_is_too_large_to_be_an_article_keeps_its_text():
    clean = clean_html("<p>some words</p>\n" * 200_000)

    assert clean.startswith("some words some words")
    assert "<" not in clean


def test_a_picture_inlined_in_an_article_does_not_cost_the_article():
    markup = f'<p>before</p><img src="data:image/png;base64,{"A" * 3_000_000}"><p>after</p>'

    assert clean_html(markup) == "<p>before</p><p>after</p>"


@pytest.mark.parametrize(
    ("markup", "balanced"),
    [
        ("<p>one<p>two", "<p>one</p><p>two</p>"),
        ("<ul><li>one<li>two</ul>", "<ul><li>one</li><li>two</li></ul>"),
        ("<dl><dt>a<dd>b<dt>c</dl>", "<dl><dt>a</dt><dd>b</dd><dt>c</dt></dl>"),
        (
            "<table><tr><td>1<td>2<tr><td>3</table>",
            "<table><tr><td>1</td><td>2</td></tr><tr><td>3</td></tr></table>",
        ),
        ("<b><i>x</b>y</i>", "<b><i>x</i></b>y"),
        ("</div>x", "x"),
        ("<p>a<div>b</div>", "<p>a</p><div>b</div>"),
        ("<td><p>a</td>", "<td><p>a</p></td>"),
        ("<div><table><td></div>x", "<div><table><td>x</td></table></div>"),
        ("a<!-- <b> -->c", "ac"),
        ("a<!-->b", "ab"),
        ("a<!--->b", "ab"),
        ("a<!-- b --!>c", "ac"),
        ("a<!-- b", "a"),
        ("a<!doctype x>b<?php c ?>", "ab"),
        ("a < b <3 c", "a &lt; b &lt;3 c"),
        ("a</ b>c", "ac"),
        ("a<b", "a"),
        ("<script>a<b></script>c", "c"),
        ("<style>a", ""),
        ("<blink>a</blink>", "a"),
        ('<img alt="a > b">', '<img alt="a > b">'),
        ("<br/><hr>", "<br/><hr>"),
    ],
)
def test_balancing_closes_every_element(markup: str, balanced: str):
    assert balance(markup) == balanced


def test_balancing_bounds_the_depth():
    balanced = balance("<div>" * 1000 + "x")

    assert balanced == "<div>" * MAX_DEPTH + "x" + "</div>" * MAX_DEPTH


def test_balancing_drops_a_tag_with_thousands_of_attributes():
    assert balance(attributes(5000) + "</a><b>y</b>") == "x<b>y</b>"
