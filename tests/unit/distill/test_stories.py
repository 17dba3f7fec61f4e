import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import combinations, product

import pytest

from feedloom.distill import StoryGrouper
from feedloom.distill.offline.stories.grouper import WINDOW
from feedloom.distill.offline.stories.terms import bare_title, weighted_terms
from feedloom.model.stories import StoryArticle
from tests.unit.distill.day import stories as written_stories
from tests.unit.distill.day import whole_day

DAYS = (1, 2, 3, 4)
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
FLOOD = (
    "Flood closes three bridges in Lindenau",
    "Lindenau: three bridges closed after flood",
    "Flood in Lindenau shuts bridges",
)


def _article(id_: int, title: str, source: str = "") -> StoryArticle:
    at = NOON + timedelta(minutes=id_)
    return StoryArticle(id_, title, source or f"Paper {id_}", at, at, language="en")


def _grouped(*articles: StoryArticle) -> list[int]:
    grouper = StoryGrouper()
    return [grouper.add(article) for article in articles]


def test_headlines_of_one_event_are_one_story():
    flood = [_article(n, title) for n, title in enumerate(FLOOD, 1)]
    other = _article(9, "Museum in Ostermark shows clocks of the sailors")

    assert _grouped(*flood, other) == [1, 1, 1, 9]


def test_a_source_alone_is_no_story():
    series = [_article(n, f"Radio play, episode {n}", "Radio") for n in range(1, 5)]

    assert _grouped(*series) == [1, 2, 3, 4]


def test_a_source_joins_what_another_began_but_votes_once():
    first, second, third = FLOOD
    articles = [_article(1, first, "A"), _article(2, second, "B")]

    assert _grouped(*articles, _article(3, third, "B")) == [1, 1, 1]


def test_articles_without_sources_are_compared_too():
    blank = [replace(_article(n, t), source="") for n, t in enumerate(FLOOD, 1)]

    assert _grouped(*blank) == [1, 1, 1]


def test_a_chain_of_neighbours_does_not_become_one_story():
    chain = [
        "Ferry Astoria Brixham collides Calder",
        "Calder Drumlin elects mayor Eastwick",
        "Eastwick Farrow opens Gillingford museum",
        "Gillingford Harbury wins Ingleby regatta",
    ]
    found = _grouped(*(_article(n, title) for n, title in enumerate(chain, 1)))

    assert found[0] != found[3]


def test_languages_stay_apart():
    first, second, _ = FLOOD
    german = replace(_article(2, second), language="de-AT")

    assert _grouped(_article(1, first), german) == [1, 2]


def test_a_language_is_guessed_where_none_is_told():
    first, second, _ = FLOOD
    told = [replace(_article(1, first), language="?"), _article(2, second)]

    assert _grouped(*told) == [1, 1]


def test_scripts_without_spaces_are_compared_by_pairs_of_characters():
    first = replace(_article(1, "東京の地下鉄が大雪で停止"), language="ja")
    second = replace(_article(2, "大雪で東京の地下鉄停止"), language="ja")

    assert _grouped(first, second) == [1, 1]


def test_a_story_closes_when_nothing_joins_it():
    first, second, third = FLOOD
    late = NOON + WINDOW + timedelta(hours=1)
    later = [
        replace(_article(n, title), published_at=late, arrived_at=late)
        for n, title in ((2, second), (3, third))
    ]

    assert _grouped(_article(1, first), *later) == [1, 2, 2]


def test_a_story_closes_after_a_week_however_busy():
    grouper = StoryGrouper()
    found = []
    for day in range(10):
        at = NOON + timedelta(days=day)
        made = replace(_article(day, FLOOD[day % 3]), published_at=at, arrived_at=at)
        found.append(grouper.add(made))

    assert found == [0] * 8 + [8] * 2


def test_posts_of_last_year_stay_alone():
    first, second, _ = FLOOD
    old = replace(_article(2, second), published_at=NOON - timedelta(days=400))

    assert _grouped(_article(1, first), old) == [1, 2]


def test_no_more_stories_are_open_than_allowed():
    grouper = StoryGrouper(most=20)
    for number in range(200):
        code = "en" if number % 2 else "fr"
        grouper.add(replace(_article(number, f"Word{number} thing"), language=code))

    assert len(grouper) <= 20


@pytest.mark.parametrize("cut", [3, 150, 290])
def test_a_restart_goes_on_as_if_nothing_had_happened(cut):
    articles = _arriving()
    steady = StoryGrouper(window=timedelta(hours=6))
    wanted = [steady.add(article) for article in articles]
    open_since = dict.fromkeys(wanted[:cut], 0)
    for article, story in zip(articles[:cut], wanted, strict=False):
        open_since[story] = article.id

    restarted = StoryGrouper(window=timedelta(hours=6))
    for article, story in zip(articles[:cut], wanted, strict=False):
        last_at = articles[open_since[story]].arrived_at
        if articles[cut].arrived_at - last_at <= timedelta(hours=6):
            restarted.add(article, decided=story)

    assert [restarted.add(article) for article in articles[cut:]] == wanted[cut:]


def _arriving() -> list[StoryArticle]:
    day = random.Random(4).sample(whole_day(), 300)
    return [
        StoryArticle(
            number,
            told.title,
            told.source,
            NOON + timedelta(minutes=5 * number),
            NOON + timedelta(minutes=5 * number),
            told.excerpt,
            "en",
        )
        for number, told in enumerate(day)
    ]


def test_the_stories_of_invented_days_are_found():
    of = {a.id: n for n, story in enumerate(written_stories()) for a in story}
    pairs: list[tuple[int | str, ...]] = []
    for seed in DAYS:
        grouper = StoryGrouper()
        found: dict[int, list[int | str]] = {}
        for number, told in enumerate(random.Random(seed).sample(whole_day(), 300)):
            at = NOON + timedelta(minutes=number)
            made = StoryArticle(number, told.title, told.source, at, at, told.excerpt, "en")
            # Small news repeat under the same title, with the number of their part.
            label = of.get(told.id, told.title.split(" (part")[0])
            found.setdefault(grouper.add(made), []).append(label)
        pairs += [pair for members in found.values() for pair in combinations(members, 2)]
    right = [pair[0] for pair in pairs if pair[0] == pair[1]]
    wanted = len(DAYS) * sum(len(s) * (len(s) - 1) // 2 for s in written_stories())

    assert len(right) >= 0.96 * len(pairs)
    assert sum(isinstance(label, int) for label in right) >= 0.7 * wanted


FORM_LETTER = (
    "Support this show and its makers on our page. Learn more about your choices, listen to"
    " earlier episodes wherever you find podcasts, and write to us with questions."
)


def test_texts_that_begin_alike_under_different_headlines_are_no_story():
    grouper = StoryGrouper()
    titles = ("Owls answer in pairs", "The ferry timetable", "Counting rope", "A well is found")
    found = [
        grouper.add(StoryArticle(number, title, f"s{number}", NOON, NOON, FORM_LETTER, "en"))
        for number, title in enumerate(titles)
    ]

    assert found == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("title", "source", "bare"),
    [
        ("Flood closes bridges - The Lindenau Post", "Lindenau Post", "Flood closes bridges"),
        ("Flood closes bridges | lindenaupost.example", "Lindenau Post", "Flood closes bridges"),
        ("UPDATE 2-Flood closes bridges", "Wire", "Flood closes bridges"),
        ("Flood closes bridges - mayor resigns", "Wire", "Flood closes bridges - mayor resigns"),
        ("Flood closes bridges - mayor resigns", "", "Flood closes bridges - mayor resigns"),
    ],
)  # fmt: skip
def test_the_name_of_the_outlet_is_no_part_of_a_title(title, source, bare):
    assert bare_title(title, source) == bare


def test_first_sentences_weigh_less_than_the_title():
    terms = weighted_terms("Flood in Lindenau", "The river rose by 3.5 metres.", "", "en")

    assert terms == {
        "flood": 1.0, "lindenau": 1.0, "river": 0.3, "rose": 0.3, "3.5": 0.3, "metr": 0.3,
    }  # fmt: skip


_UNRELATED = {
    "es": "El {} de {} {} la {} de los {}",
    "fr": "Le {} de {} {} la {} des {} dans une année",
    "nl": "De {} van {} {} het {} voor de {} in een jaar",
    "ru": "{} из города {} {} {} для {} и не только",
    "zh": "{}{}{}{}{}方案",
    "ja": "{}の{}が{}の{}を{}した",
    "th": "{}ของ{}จะ{}การ{}ที่{}",
}
_LETTERS = {"ru": "бвгдкл аеиоу", "zh": "", "ja": "", "th": "กขคงจช ะาิีุ"}
_IDEOGRAMS = [chr(0x5000 + 7 * n) for n in range(800)]


def _invented(chance: random.Random, language: str) -> str:
    consonants, _, vowels = _LETTERS.get(language, "bdfgklmnprst aeiou").partition(" ")
    if not consonants:
        return "".join(chance.sample(_IDEOGRAMS, 2))
    return "".join(chance.choice(consonants) + chance.choice(vowels) for _ in range(4))


@pytest.mark.parametrize("language", _UNRELATED)
def test_small_words_make_no_story_in_any_language(language):
    chance = random.Random(1)
    headlines = [
        _UNRELATED[language].format(*(_invented(chance, language) for _ in range(5)))
        for _ in range(60)
    ]
    articles = [replace(_article(n, t), language=language) for n, t in enumerate(headlines, 1)]

    assert _grouped(*articles) == list(range(1, 61))


@pytest.mark.parametrize(
    ("language", "titles"),
    [
        ("es", ("Inundación en Lindenau: tres puentes cerrados",
                "Tres puentes de Lindenau, cerrados por la inundación")),
        ("fr", ("Inondation à Lindenau : trois ponts fermés",
                "Trois ponts fermés à Lindenau après une inondation")),
        ("ru", ("Три моста через Эльбу закрыты в Линденау",
                "Наводнение в Линденау: закрыты три моста через Эльбу")),
        ("zh", ("林登瑙洪水导致三座桥梁关闭", "三座桥梁因林登瑙洪水关闭")),
        ("ja", ("リンデナウで洪水、橋三本が閉鎖", "洪水でリンデナウの橋三本閉鎖")),
    ],
)  # fmt: skip
def test_one_event_is_one_story_in_any_language(language, titles):
    articles = [replace(_article(n, t), language=language) for n, t in enumerate(titles, 1)]

    assert _grouped(*articles) == [1, 1]


def test_neither_languages_nor_stories_grow_without_bound():
    grouper = StoryGrouper(most=50)
    codes = ["".join(code) for code in product("abcdefgh", repeat=3)]
    for n, code in enumerate(codes, 1):
        grouper.add(replace(_article(n, f"{code} {code}{n} only here"), language=code))

    assert len(grouper) <= 50

    late = replace(_article(9_000_000, "Flood in Lindenau"), language="de")
    assert grouper.add(late) == late.id
    assert len(grouper) == 1
