"""Times, counts and names as pages show them."""

from datetime import timedelta

import pytest

from feedloom.serve.pages import formatting
from tests.fakes import START


@pytest.mark.parametrize(
    ("seconds", "told"), [(None, "0:00"), (5, "0:05"), (245, "4:05"), (3_723, "1:02:03")]
)
def test_playing_times_read_like_a_clock(seconds: int | None, told: str):
    assert formatting.playing_time(seconds) == told


@pytest.mark.parametrize(
    ("gap", "long", "short"),
    [
        (timedelta(seconds=5), "just now", "now"),
        (timedelta(minutes=1), "1 minute ago", "1m"),
        (timedelta(minutes=59), "59 minutes ago", "59m"),
        (timedelta(hours=2), "2 hours ago", "2h"),
        (timedelta(days=1), "1 day ago", "1d"),
        (timedelta(days=13), "1 week ago", "1w"),
        (timedelta(days=65), "2 months ago", "2mo"),
        (timedelta(days=800), "2 years ago", "2y"),
        (timedelta(hours=-5), "in 5 hours", "+5h"),
        (timedelta(seconds=-5), "any moment now", "now"),
    ],
)
def test_ages_are_told_in_their_largest_unit(gap, long, short):
    at = START - gap

    assert formatting.ago(at, START) == long
    assert formatting.briefly(at, START) == short


def test_a_day_is_written_in_full():
    assert formatting.on_day(START) == "1 March 2026, 12:00 UTC"


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 articles"), (1, "1 article"), (1200, "1,200 articles")]
)
def test_counts_agree_with_their_noun(number, text):
    assert formatting.counted(number, "article") == text


def test_an_odd_plural_can_be_given():
    assert formatting.counted(2, "entry", "entries") == "2 entries"


@pytest.mark.parametrize(("number", "text"), [(7, "7"), (12_345, "12,345"), (100_000, "99,999+")])
def test_badges_stay_narrow(number, text):
    assert formatting.badge(number) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (999, "999 B"), (31_400_000, "31 MB"), (2_500_000_000, "2.5 GB")],
)
def test_sizes_are_told_in_their_largest_unit(count, text):
    assert formatting.size(count) == text


@pytest.mark.parametrize(
    ("title", "letter"),
    [("blog", "B"), ("  (quiet)", "Q"), ("حديقة", "ح"), ("42", "4"), ("…", "•"), ("", "•")],
)
def test_a_feed_without_a_picture_has_a_letter(title, letter):
    assert formatting.letter(title) == letter


def test_a_title_has_always_the_same_colour():
    assert formatting.hue("Blog") == formatting.hue("Blog")
    assert {formatting.hue(str(n)) for n in range(200)} == set(range(formatting.HUES))


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://www.blog.example/x", "blog.example"),
        ("https://user:secret@blog.example/", "blog.example"),
        ("http://[broken", ""),
        (None, ""),
    ],
)
def test_hosts_are_named_as_people_say_them(url, host):
    assert formatting.host(url) == host


@pytest.mark.parametrize(
    ("content", "minutes"),
    [("", 0), ("<p>" + "word " * 460 + "</p>", 2), ("<p>" + "読" * 900 + "</p>", 2)],
)
def test_reading_time_counts_words_or_signs(content, minutes):
    assert formatting.minutes(content) == minutes


def test_first_lines_end_with_a_whole_word():
    text = "one two  three\nfour, five"

    assert formatting.first_line(text) == "one two three four, five"
    assert formatting.first_line(text, 20) == "one two three four…"


@pytest.mark.parametrize(
    ("url", "link"),
    [
        ("https://a.example/", "https://a.example/"),
        ("HTTP://a.example/", "HTTP://a.example/"),
        ("javascript:alert(1)", ""),
        (" javascript:alert(1)", ""),
        ("data:text/html,x", ""),
        ("//a.example/", ""),
        ("", ""),
        (None, ""),
    ],
)
def test_only_addresses_of_the_web_become_links(url, link):
    assert formatting.web(url) == link


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        (
            (
                "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)"
                " Ubuntu Chromium/140.0 Chrome/140.0 Safari/537.36"
            ),
            "Chromium on Linux",
        ),
        (
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like"
                " Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0"
            ),
            "Edge on Windows",
        ),
        (
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15"
                " (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1"
            ),
            "Safari on iPhone",
        ),
        ("Mozilla/5.0 (Android 15; Mobile; rv:143.0) Firefox/143.0", "Firefox on Android"),
        ("curl/8.5", "curl/8.5"),
        ("", "Unknown browser"),
    ],
)
def test_browsers_are_called_as_people_call_them(user_agent, name):
    assert formatting.browser(user_agent) == name
