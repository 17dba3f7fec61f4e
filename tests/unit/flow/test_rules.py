"""Patterns of filter rules: what they match, what they may not be, how long they take."""

import time
from dataclasses import replace

import pytest

from feedloom.flow.reader.rules import check_rule, compile_pattern, matcher
from feedloom.model.errors import InvalidInput
from feedloom.model.feed import CleanHTML
from feedloom.model.reader import Article
from feedloom.model.rules import NewRule
from tests.fakes import START

RULE = NewRule(name="", field="title", pattern="ads?", action="read")
ARTICLE = Article(
    item_no=1,
    article_id=1,
    subscription_id=1,
    feed_id=1,
    guid="g",
    guid_hash="g",
    url="https://site.example/2026/story",
    title="A Grünes Haus",
    author="Ada Lovelace",
    summary="",
    published_at=START,
    updated_at=None,
    arrived_at=START,
    last_modified=START,
    unread=True,
    starred=False,
    saved_bookmark_id=None,
    enclosures=(),
    thumbnail_url=None,
    comments_url=None,
    categories=(),
    language=None,
    rtl=False,
    fingerprint="",
    content_hash="",
    cluster_key="",
    content=CleanHTML("<p>Sponsored by <b>some</b>body &amp; others</p>"),
)


@pytest.mark.parametrize(
    ("field", "pattern", "matches"),
    [
        ("title", "haus", True),
        ("title", "GRÜNES", True),
        ("title", "^a grünes haus$", True),
        ("title", "lovelace", False),
        ("author", "love", True),
        ("url", r"/\d{4}/", True),
        ("content", "somebody", True),
        ("content", "<b>", False),
        ("content", "& others", True),
        ("any", "sponsored|lovelace", True),
        ("any", "nowhere", False),
    ],
)
def test_patterns_are_looked_for_in_the_field_they_name(field, pattern, matches):
    assert matcher(field, pattern)(ARTICLE) is matches


def test_an_article_without_an_author_matches_no_author():
    article = ARTICLE._replace(author=None)

    assert not matcher("author", "ada")(article)


@pytest.mark.threat("P9")
@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(a|aa)+$", "(.*a){25}", "(?:a?){50}a{50}", "([a-z]+)*1"]
)
def test_no_pattern_takes_long_on_any_text(pattern):
    is_match = matcher("title", pattern)
    article = ARTICLE._replace(title="a" * 100_000 + "!")

    began = time.perf_counter()
    is_match(article)

    assert time.perf_counter() - began < 5


@pytest.mark.threat("P9")
@pytest.mark.parametrize(
    "pattern", ["(", "[z-a]", r"(a)\1", "(?=x)", "(?<!x)y", "a{1001}", "*", "\udc80"]
)
def test_what_cannot_be_run_safely_is_refused(pattern):
    with pytest.raises(InvalidInput, match="is not valid") as caught:
        compile_pattern(pattern)
    assert caught.value.field == "pattern"


def test_a_rule_without_a_name_is_called_by_its_pattern():
    assert check_rule(RULE).name == "ads?"
    assert check_rule(replace(RULE, name="  No   ads ")).name == "No ads"


def test_a_tag_is_kept_for_rules_that_tag_only():
    assert check_rule(replace(RULE, tag="x")).tag is None
    assert check_rule(replace(RULE, action="tag", tag=" a  b ")).tag == "a b"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"field": "odd"}, "field"),
        ({"action": "odd"}, "action"),
        ({"action": "tag"}, "tag"),
        ({"name": "x" * 256}, "name"),
        ({"pattern": ""}, "pattern"),
        ({"pattern": "x" * 501}, "pattern"),
    ],
)
def test_a_rule_that_cannot_be_names_its_field(change, field):
    with pytest.raises(InvalidInput) as caught:
        check_rule(replace(RULE, **change))
    assert caught.value.field == field
