"""Which changes of an article are worth keeping, and which are a publisher's noise."""

import random
import zlib

import pytest

from feedloom.flow.reader.changes import differences, told
from feedloom.flow.refresh.revisions import is_rewritten, revisions_of
from feedloom.markup import clean_html
from feedloom.model.feed import CleanHTML
from feedloom.model.reader import Change
from feedloom.model.stages import NewArticle, Wording
from tests.fakes import START
from tests.stores import article

SENTENCES = (
    "The council voted on Tuesday to close the old harbour bridge until May.",
    "Engineers found cracks in 14 of the 60 pillars during an inspection.",
    "Mayor Ilse Brandt said the repairs would cost 3.2 million.",
    "Two ferries will carry passengers across the river every half hour.",
    "The last repair was in 1994, when one lane was closed for a year.",
    "Shop owners on the north bank fear for their trade.",
)


def clean(html: str) -> CleanHTML:
    return clean_html(html, base_url="https://news.example/")


def paragraphs(*texts: str) -> list[str]:
    return [f"<p>{text}</p>" for text in texts]


def counters(chance: random.Random) -> str:
    number = f"{chance.randint(1, 90_000):,}"
    return chance.choice(
        (
            f"<p>{number} views</p>",
            f"<p>{number} comments | {number} shares</p>",
            f"<div>Comments ({number})</div>",
            f"<p>Points: {number}</p><p>Comments: {number}</p>",
            f"<p>{number} Aufrufe · {number} Kommentare</p>",
            f"<p>{chance.randint(1, 30)} min read</p>",
            f"<p>This article has {number} views.</p>",
        )
    )


def dates(chance: random.Random) -> str:
    clock = f"{chance.randint(0, 23)}:{chance.randint(10, 59)}"
    day = chance.randint(1, 28)
    return chance.choice(
        (
            f"<p>{chance.randint(2, 50)} hours ago</p>",
            f"<p>vor {chance.randint(2, 50)} Minuten</p>",
            f"<p>Last updated: {day} May 2026, {clock}</p>",
            f"<p>Updated on May {day}, 2026 at {clock} GMT</p>",
            f"<p>Stand: {day}.05.2026, {clock} Uhr</p>",
            f"<p>2026-05-{day:02d} {clock}</p>",
            f"<p>Published {chance.randint(2, 50)} minutes ago by our editors</p>",
        )
    )


def advertisements(chance: random.Random) -> str:
    ware = chance.choice(("mattresses", "car insurance", "running shoes", "a new phone"))
    return chance.choice(
        (
            f"<div>Advertisement<br>Save {chance.randint(10, 70)} % on {ware}</div>",
            f"<p>Anzeige: Jetzt {ware} sparen</p>",
            f"<p>[Sponsored] Everybody wants {ware}</p>",
            f"<p>Sponsored by the makers of {ware}</p>",
            f'<p>Read more: <a href="/{chance.random()}">All about {ware}</a></p>',
            f'<ul><li><a href="/{chance.random()}">Ten facts about {ware}</a></li></ul>',
            f"<p>Subscribe to our newsletter about {ware}</p>",
        )
    )


def spaces(chance: random.Random) -> str:
    blank = chance.choice((" ", "\n", "\t", "&nbsp;", ""))
    return f"<p>{blank}</p>" + chance.choice(("", "<br>", "<div></div>", "<hr>"))


def links(chance: random.Random) -> str:
    where = f"https://news.example/story?utm_source=rss&session={chance.random()}"
    return f'<p>The report is at {where}. <a href="{where}">Documents</a> were published.</p>'


@pytest.mark.parametrize("noise", [counters, dates, advertisements, spaces])
@pytest.mark.parametrize("seed", range(30))
def test_what_a_publisher_puts_around_an_article_is_no_change(noise, seed):
    chance = random.Random(seed)
    told = paragraphs(*SENTENCES)
    versions = []
    for _ in range(3):
        place = chance.randint(0, len(told))
        versions.append(clean("".join((*told[:place], noise(chance), *told[place:]))))
    versions.append(clean("".join(told)))

    for old in versions:
        for new in versions:
            assert not is_rewritten(old, new), (old, new)


@pytest.mark.parametrize("seed", range(10))
def test_tracking_parameters_and_new_markup_are_no_change(seed):
    chance = random.Random(seed)
    plain = "".join(paragraphs(*SENTENCES))
    marked = plain.replace("bridge", "<b>bridge</b>").replace("<p>", '<p class="x">\n ')
    quoted = plain.replace("The council", "\u201cThe council\u201d")

    assert not is_rewritten(clean(plain + links(chance)), clean(marked + links(chance)))
    assert not is_rewritten(clean(quoted), clean(plain.replace("The council", '"The council"')))


EDITS = {
    "a number": ("14 of the 60", "41 of the 60"),
    "a word": ("old harbour", "new harbour"),
    "a name": ("Ilse Brandt", "Ilse Brand"),
    "a sentence": ("Two ferries will carry passengers across the river every half hour.", ""),
    "a day that was meant": ("voted on Tuesday", "voted on Wednesday"),
    "a small word": ("would cost", "would not cost"),
    "a year": ("1994", "1995"),
}


@pytest.mark.parametrize(("before", "after"), EDITS.values(), ids=EDITS)
@pytest.mark.parametrize("noise", [counters, dates, advertisements])
def test_what_the_article_says_is_a_change_whatever_stands_around_it(before, after, noise):
    chance = random.Random(before)
    text = "".join(paragraphs(*SENTENCES))

    assert is_rewritten(
        clean(text + noise(chance)), clean(noise(chance) + text.replace(before, after))
    )


def test_an_excerpt_of_the_same_article_is_no_change():
    full = clean("".join(paragraphs(*SENTENCES)))
    excerpt = clean(f"<p>{SENTENCES[0]}</p><p>Engineers found cracks in…</p>")

    assert not is_rewritten(full, excerpt)
    assert not is_rewritten(excerpt, full)
    assert not is_rewritten(clean(""), full)
    assert is_rewritten(full, clean(f"<p>{SENTENCES[0]}</p>"))


def changed(old: NewArticle, **new: str) -> dict[str, object]:
    wording = Wording(old.title, old.summary, old.content)
    return dict(revisions_of({old.guid_hash: wording}, [old._replace(**new)]))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Bridge closed", "Bridge  closed"),
        ("Bridge \u201cclosed\u201d", 'Bridge "closed"'),
        ("Bridge closed (12)", "Bridge closed (15)"),
        ("Bridge closed \u2013 3 comments", "Bridge closed - 12 comments"),
        ("Bridge closed (Updated 10:30)", "Bridge closed (Updated 11:45)"),
    ],
)
def test_headlines_that_say_the_same_are_no_change(before, after):
    old = article("x")._replace(title=before, summary="Something else")

    assert changed(old, title=after) == {}


def test_a_new_headline_is_kept_without_the_text_and_a_new_text_with_it():
    old = article("x")._replace(
        title="Bridge closed", summary="s", content=CleanHTML("<p>One.</p>")
    )

    [headline] = changed(old, title="Bridge SHUT").values()
    [text] = changed(old, content="<p>Two.</p>").values()

    assert headline == ("Bridge closed", None)
    assert (text[0], zlib.decompress(text[1])) == ("Bridge closed", b"One.")  # type: ignore[index]


def test_a_title_made_of_the_text_is_no_headline():
    old = article("x")._replace(title="We sail at noon", summary="We sail at noon, all of us")

    assert changed(old, title="We sail at one", summary="We sail at one, all of us") == {}


def test_differences_are_words_and_characters_where_there_are_no_spaces():
    [line] = differences("The old bridge is open", "The new bridge is open again")
    [signs] = differences("\u6a4b\u304c\u958b\u304f", "\u6a4b\u304c\u9589\u304f")

    assert [tuple(piece) for piece in line] == [
        ("same", "The"),
        ("old", " old"),
        ("new", " new"),
        ("same", " bridge is open"),
        ("new", " again"),
    ]
    assert [piece.kind for piece in signs] == ["same", "old", "new", "same"]


@pytest.mark.parametrize("seed", range(40))
def test_both_versions_can_be_read_off_their_differences(seed):
    chance = random.Random(seed)
    words = ["a", "bridge,", "closed", "(again)", "3.2", "über", "橋", "don't"]

    def text() -> str:
        lines = [" ".join(chance.choices(words, k=chance.randint(0, 9))) for _ in range(6)]
        return "\n".join(line for line in lines if line)

    old, new = text(), text()
    lines = differences(old, new)

    for kind, version in (("old", old), ("new", new)):
        shown = ["".join(p.text for p in line if p.kind in {"same", kind}) for line in lines]
        assert "".join("".join(shown).split()) == "".join(version.split())


@pytest.mark.parametrize(
    "text", ["1 " * 9_000, "..." * 9_000, "a " * 9_000, "vor 1 " * 9_000, "http://" * 9_000]
)
def test_texts_that_are_all_alike_are_compared_without_hanging(text):
    old, new = text, f"new {text} end"
    lines = "\n".join(old), "\n".join(new)

    assert is_rewritten(clean(f"<p>A start {old}</p>"), clean(f"<p>{new}</p>"))
    assert differences(old, new)
    assert differences(*lines)
    assert not is_rewritten(clean(f"<p>{'<a>x</a>, ' * 9_000}"), clean("<p>" * 400))


@pytest.mark.threat("W4")
def test_of_many_rewritten_parts_only_some_are_compared_word_by_word():
    def text(word: str) -> str:
        parts = (f"Same {n}\nOld {word * 900} end" for n in range(15))
        return "\n".join(parts)

    lines = differences(text("old "), text("new "))

    # Nine hundred words against as many are compared once; the others are shown whole.
    compared = [line for line in lines if len(line) > 2]
    whole = [line for line in lines if line[0].kind in {"old", "new"}]
    assert (len(compared), len(whole)) == (1, 14)


def test_changes_are_told_in_a_line():
    def change(before: str, after: str, slant: tuple[float | None, float | None]) -> Change:
        return Change(1, START, before, after, (), (), *slant)

    quiet, loud = ("Bridge closed", "Bridge SHUT"), ("Bridge SHUT", "Bridge chaos")

    assert told([change(*quiet, (None, None))]) == "Headline changed"
    assert (
        told([change(*loud, (0.4, 0.7)), change(*quiet, (0.2, 0.4))])
        == "Headline changed twice, slant 0.20 → 0.70"
    )
