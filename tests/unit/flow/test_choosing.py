"""When a person is asked which feed they mean, and when there is no question."""

from feedloom.flow.subscriptions import choices_of


def candidate(path: str, score: int, **more) -> dict[str, object]:
    title = more.pop("title", path)
    newest = {"title": f"Entry of {path}", "url": f"https://s.example/{path}/1"}
    return {
        "url": f"https://s.example/{path}.xml",
        "from": "html",
        "score": score,
        "valid": True,
        "title": title,
        "format": "rss",
        "newest": newest,
        **more,
    }


def found(*candidates: dict[str, object]) -> list[str]:
    chosen = choices_of({"candidates": list(candidates)})
    return [choice.title for choice in chosen]


def test_two_feeds_that_are_about_as_good_are_a_question():
    assert found(candidate("news", 90), candidate("podcast", 88)) == ["news", "podcast"]


def test_a_choice_says_what_it_is():
    [first, _] = choices_of({"candidates": [candidate("a", 90), candidate("b", 90)]})

    assert (first.url, first.title, first.format, first.score, first.newest) == (
        "https://s.example/a.xml",
        "a",
        "rss",
        90,
        "Entry of a",
    )


def test_a_feed_far_behind_is_no_choice():
    assert found(candidate("news", 90), candidate("comments", 50)) == []


def test_the_same_feed_in_another_format_is_no_choice():
    rss, atom = candidate("blog", 90, title="Blog"), candidate("atom", 91, title="BLOG")

    assert found(atom, rss) == []


def test_another_name_for_the_same_entries_is_no_choice():
    same = {"title": "x", "url": "https://s.example/1"}

    assert found(candidate("one", 90, newest=same), candidate("two", 90, newest=same)) == []


def test_whoever_pastes_a_feed_means_that_feed():
    pasted = candidate("feed", 95, **{"from": "pasted"})

    assert found(pasted, candidate("other", 95)) == []


def test_what_is_no_valid_feed_is_no_choice():
    assert found(candidate("news", 90), candidate("broken", 90, valid=False)) == []


def test_a_feed_without_entries_or_title_can_be_chosen():
    bare = candidate("bare", 90, title="", newest=None, format=None)

    assert found(candidate("news", 90), bare) == ["news", "https://s.example/bare.xml"]


def test_a_long_list_is_cut():
    many = [candidate(f"feed{n}", 90) for n in range(40)]

    assert len(found(*many)) == 10


def test_nothing_found_is_no_question():
    assert choices_of({"candidates": []}) == ()
    assert choices_of({}) == ()
