import string
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedloom.distill import judge_headline
from feedloom.distill.offline.answers import find_answer
from feedloom.distill.offline.clickbait import clickbait_evidence, weights
from feedloom.distill.offline.framing_scores import score_text
from feedloom.distill.offline.headlines import needs_article
from feedloom.distill.offline.languages import judged_language
from feedloom.distill.offline.spellings import Spellings
from feedloom.distill.offline.typography import calm_title
from feedloom.model.distilled.requests import TitleKind
from tests.unit.distill.evaluation import DATA, headlines
from tests.unit.distill.shouting import is_same_wording, shouted
from tools.train_scores import auc, spelling_lines, train, weight_lines

WEIGHTS = Path("src/feedloom/distill/offline/data")

CALM = [
    line.split(" | ")
    for line in (DATA / "languages.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
]


@pytest.mark.parametrize(("language", "title"), CALM)
def test_a_headline_that_does_not_shout_comes_out_as_it_went_in(language: str, title: str):
    for told in (language, None):
        judged = judge_headline(title, language=told)

        assert judged.calm_title == title
        assert judged.kind is TitleKind.SAME
        assert judged.language in ({"de", told} if language == "de" else {None})


@pytest.mark.parametrize("name", ["headlines", "unseen"])
@pytest.mark.parametrize("language", ["en", "de"])
def test_plain_headlines_are_never_touched(name: str, language: str):
    plain = [title for labels, title in headlines(name, language) if not labels]

    assert [t for t in plain if calm_title(t, language, ()).text != t] == []


@pytest.mark.parametrize(
    "title",
    [
        "Hailstorm slams Dallas suburbs",
        "Fundosa ONCE opens office in Madrid",
        "SEAL and PATH trials start at WIND",
        "WHO and US agree, says IT chief",
        "Game of Thrones comes to NOW TV",
        "New START treaty expires",
        'Minister: "We WILL win!!!" in May',
        "Word of the year is 😂",
        "🇫🇷 beats 🇮🇹 in rugby",
        "🏆 goes to Spain",
        "Yahoo! to cut 1,600 jobs",
        "5! equals 120, students learn",
        "Mother! divides audiences",
        "Wow! Yes!",
        "A massive shocking stunning fire",
        "AC/DC, R&B and F-16 come to U.S.",
        "COVID-19 and H5N1",
        "Coldplay's FINALLY tops the chart",
        "The EVERY company raises 55m",
        "Best Buy and BEST Inc. merge",
        "Senate passes CAN Act, MOST trial ends",
        "JUST STOP OIL ends its protests",
        "ONLY FOOLS and Horses returns",
        "AND, OR and NOT gates explained",
        "MUST and SHOULD in RFC 2119",
        "SQL NOT NULL, CSS :NOT and the --NEVER flag",
        "$NEVER jumps 8%, `NEVER` explained",
        "WOW! signal explained at last",
        "Carlsen plays 23.Qxf7!! and wins",
        "+++ Ticker +++ Bahn streikt +++",
        "XI VISITS KENYA",
        "WATERBANKS AND TWO BANKS AGREE ON DATA",
        "",
        "!!!",
        "WATCH:",
    ],
)
def test_in_doubt_the_original_stays(title: str):
    assert judge_headline(title, language="en").calm_title == title


@pytest.mark.parametrize(
    ("title", "text", "expected"),
    [
        ("WATCH: Bridge closes!!!", "", "Bridge closes!"),
        ("🔥 Bridge closes tonight 🔥", "", "Bridge closes tonight"),
        ("BREAKING NEWS - iPhone 17 is out", "", "iPhone 17 is out"),
        ("What now?!", "", "What now?"),
        ("国会が予算を可決！！！", "", "国会が予算を可決！"),  # noqa: RUF001 - meant
        ("本当？！", "", "本当？"),  # noqa: RUF001 - meant
        ("Minister REVEALS plan", "", "Minister reveals plan"),
        ("This is NOT the end", "", "This is not the end"),
        ("DO NOT go there", "", "Do not go there"),
        ("You Will NEVER Guess", "", "You Will Never Guess"),
        ("Bridge COLLAPSES in Ohio", "It collapses.", "Bridge collapses in Ohio"),
        ("The RECOVERY trial ends", "The RECOVERY trial of recovery.", None),
        ("BOEING STRIKE ENDS TODAY", "At Boeing a strike ends today.", None),
        (
            "MINISTER RESIGNS AFTER VOTE ON NATO",
            "The minister resigns after a vote on NATO, she said.",
            "Minister resigns after vote on NATO",
        ),
        ("MAN WHO KILLED WIFE JAILED", "", None),
        ("PRESIDENT WILL VISIT KENYA IN MAY", "", "President Will Visit Kenya in May"),
        ("O'BRIEN WINS IRISH OPEN", "", "O'Brien Wins Irish Open"),
        ("OFFICER IN LA CHARGED WITH THEFT", "", None),
        ("POLICE OFFICER OF THE LAPD CHARGED WITH THEFT", "", None),
        ("FIRE IN SALEM, OR KILLS TWO", "", None),
        ("PRINCE DIES AT HOME AGED 57", "", "Prince Dies at Home Aged 57"),
        ("¿¿QUÉ PASÓ??", "", "¿QUÉ PASÓ?"),
        ("ماذا حدث؟؟!!", "", "ماذا حدث؟"),
        ("Ինչո՞ւ՞՞", "", "Ինչո՞ւ՞"),
        ("Storm closes airport\u203c\ufe0f", "", "Storm closes airport!"),
        ("LOOK: where your taxes go", "", "Where your taxes go"),
        ("LOOK: iPhone prices rise", "", "iPhone prices rise"),
        ("BREAKING!!: Dam breaks", "", "Dam breaks"),
        (" WATCH: Dam breaks", "", "Dam breaks"),
        ("You should NEVER EVER ask", "", "You should never ever ask"),
        ("You MUST NEVER ask", "", "You must never ask"),
        (
            "GOP SENATORS BLOCK bill again",
            "The senators block it. Some GOP senators block bills.",
            "GOP senators block bill again",
        ),
        ("MCDONALD'S AND YOUTUBE AGREE ON DATA", "", "McDonald's and YouTube Agree on Data"),
        ("3RD MAN CHARGED WITH THEFT", "", "3rd Man Charged with Theft"),
        ("MPS AGREE ON BY-ELECTION", "", "MPs Agree on By-Election"),
        ("U.S. AND AT&T AGREE ON DATA", "", "U.S. and AT&T Agree on Data"),
        (
            "IPHONE SALES FALL IN KENYA",
            "New iPhone sales fall in Kenya.",
            "iPhone sales fall in Kenya",
        ),
        (
            "NASA'S BUDGET FALLS AGAIN",
            "The budget of NASA falls again.",
            "NASA's budget falls again",
        ),
    ],
)
def test_shouting_becomes_quiet(title: str, text: str, expected: str | None):
    calm = judge_headline(title, text=text, language="en").calm_title
    if title.startswith("BOEING"):
        expected = "Boeing strike ends today"

    assert calm == (expected or title)


def test_the_feed_tells_its_names_and_acronyms():
    told = ("Talks at ONCE go on", "The Ebro rises, closures follow")
    title = "ONCE CLOSURES ALONG EBRO"

    calm = judge_headline(title, language="en", feed_texts=told).calm_title

    assert calm == "ONCE closures along Ebro"


SHOUTING = [
    line.split(" | ")
    for line in (DATA / "shouting.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
]


@pytest.mark.parametrize(("language", "title", "text", "expected"), SHOUTING)
def test_other_languages_are_quietened_by_their_article_alone(
    language: str, title: str, text: str, expected: str
):
    calm = judge_headline(title, text=text, language=language).calm_title

    assert calm == (expected.strip() or title)


SCRIPTS = st.sampled_from(
    [
        string.ascii_letters,
        "abcäöüßéñçÀÉ",
        "абвгдеёжАБВГ",
        "αβγδΑΒΓΔσς",
        "אבגדה",
        "ابتثج",
        "कखगघा",
        "กขคงา",
        "あいうアイウ漢字",
        "가나다라",
        "აბგდᲐᲑ",
        "աբգդԱԲԳԴ",
    ]
).flatmap(lambda letters_: st.text(letters_ + " !?.,:-+'\"🔥…0😂", max_size=60))


@given(SCRIPTS, SCRIPTS, st.sampled_from(["en", "de", "ru", None]))
def test_any_title_keeps_its_words_or_quotes_its_article(
    title: str, text: str, language: str | None
):
    judged = judge_headline(title, text=text, language=language)

    if judged.kind is TitleKind.QUOTATION:
        assert judged.calm_title in text
    else:
        assert is_same_wording(title, judged.calm_title)
    assert (judged.kind is TitleKind.SAME) == (judged.calm_title == title)


def test_an_article_is_read_wherever_it_changes_the_title():
    texts = [(title, text) for title, text, _ in BAIT]
    texts += [(title, text) for _, title, text, _ in SHOUTING]
    alone = [judge_headline(t, language="en").calm_title for t, _ in texts]
    read = [judge_headline(t, text=x, language="en").calm_title for t, x in texts]
    changed = [t for (t, _), a, b in zip(texts, alone, read, strict=True) if a != b]

    assert len(changed) > 25
    assert all(needs_article(title, "", "en") for title in changed)
    assert not needs_article("Parliament debates school meals", "", "en")


def test_shouted_headlines_keep_their_wording_and_become_quiet():
    every = list(shouted())
    calm = [judge_headline(s.loud, text=s.text, language="en") for s in every]

    assert [
        (s.loud, c.calm_title)
        for s, c in zip(every, calm, strict=True)
        if c.kind is not TitleKind.QUOTATION and not is_same_wording(s.loud, c.calm_title)
    ] == []
    changed = sum(c.kind is not TitleKind.SAME for c in calm)
    assert changed >= 0.8 * len(every)


BAIT = [
    [part.strip() for part in line.split("|")]
    for line in (DATA / "answers.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
]


class TestAnswers:
    STORY = (
        "Anna Berg of Malmo paid 400 dollars a month. Berg cut her heating bill in half"
        " because she closed the doors of unused rooms. This also helped her sleep."
        " You can do it too!"
    )

    def test_bait_is_answered_by_the_article(self):
        title = "Why this woman's heating bill dropped: you won't believe it"
        judged = judge_headline(title, text=self.STORY, language="en")

        assert judged.kind is TitleKind.QUOTATION
        assert judged.calm_title in self.STORY
        assert "because she closed the doors" in judged.calm_title

    @pytest.mark.parametrize(("title", "text", "answer"), BAIT)
    def test_a_quotation_answers_the_headline(self, title: str, text: str, answer: str):
        assert (find_answer(title, text, "") or "") == answer

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "Nothing here is about it. The weather was fine in Malmo today.",
            "You won't believe what this woman did with her heating bill!",
            "It dropped because of the doors, which the heating bill shows.",
        ],
    )
    def test_without_an_answer_the_original_stays(self, text: str):
        title = "Why this woman's heating bill dropped: you won't believe it"

        assert judge_headline(title, text=text, language="en").calm_title == title

    def test_a_plain_headline_is_not_replaced(self):
        title = "Berg cuts heating bill by half"

        judged = judge_headline(title, text=self.STORY, language="en")
        assert judged.kind is TitleKind.SAME

    def test_a_list_has_no_single_answer(self):
        title = "9 reasons why your heating bill is so high"

        judged = judge_headline(title, text=self.STORY, language="en")
        assert judged.kind is TitleKind.SAME


def labelled(name: str, mark: str) -> list[tuple[str, int]]:
    lines = (DATA / name).read_text("utf-8").splitlines()
    pairs = (line.partition(" | ")[::2] for line in lines)
    return [(title, int(label == mark)) for label, title in pairs]


class TestLearnedScores:
    def test_the_weights_are_small(self):
        size = sum((WEIGHTS / f"{n}.en.txt").stat().st_size for n in ("clickbait", "spellings"))

        assert size < 500_000
        assert len(weights()) > 1_000

    def test_short_posts_are_told_apart(self):
        posts = labelled("posts.en.txt", "c")
        scored = [(score_text(t, "", "en")["clickbait"].value or 0, y) for t, y in posts]

        assert auc(scored) > 0.97

    @pytest.mark.parametrize(
        "format_as",
        [str.lower, str.upper, lambda t: t.strip("?!."), lambda t: f"RT @x: {t} https://a.example"],
    )
    def test_formatting_does_not_count(self, format_as):
        for title, _ in labelled("posts.en.txt", "c"):
            plain, formatted = (
                clickbait_evidence(title)[0],
                clickbait_evidence(format_as(title))[0],
            )

            assert formatted == pytest.approx(plain)

    def test_loaded_sentences_are_told_apart(self):
        rows = labelled("loaded.en.txt", "1")
        found = [(score_text(t, "", "en")["framing"].value or 0, y) for t, y in rows]
        flagged = [y for value, y in found if value >= 0.3]

        assert sum(flagged) / len(flagged) > 0.95
        assert sum(flagged) / sum(y for _, y in rows) > 0.7

    def test_learning_twice_gives_the_same_bytes(self):
        rows = [(y, t) for t, y in labelled("posts.en.txt", "c")] * 3

        first, second = ("".join(weight_lines(train(rows))) for _ in range(2))
        assert first == second
        titles = [title for _, title in rows]
        assert list(spelling_lines(titles, titles)) == list(spelling_lines(titles, titles))


@pytest.mark.parametrize(
    ("declared", "text", "judged"),
    [
        ("en-GB", "Fed holds rates", "en"),
        (None, "Hailstorm slams Dallas suburbs", "en"),
        (None, "Bundestag stimmt Haushalt zu", "de"),
        ("en", "Президент подписал закон", None),
        ("en-US", "El Gobierno aprueba la reforma de las pensiones", None),
        ("fr", "Le Parlement adopte le budget", None),
        (None, "Le Parlement adopte le budget après une nuit", None),
        (None, "Trump en Poetin praten in Alaska", None),
        (None, "Incidente sulla A1, due morti", None),
        ("en", "Eduskunta hyväksyi budjetin", None),
        ("en", "Bundestag beschließt Haushalt für ARD und ZDF", "de"),
        ("en", "Beyoncé wins Grammy", "en"),
        (None, "", None),
    ],
)
def test_only_what_can_be_judged_is(declared: str | None, text: str, judged: str | None):
    assert judged_language(declared, text) == judged


@pytest.mark.parametrize(
    "text", ["a b " + "a" * 19_000, "a " + "a'" * 9_500, "a " * 9_500, "aß " * 6_000]
)
def test_how_a_hostile_text_writes_a_word_is_read_quickly(text: str):
    spellings = Spellings([text])
    started = time.process_time()
    for word in ["A", "AB", "ASS"] * 80:
        spellings.written(word)

    assert time.process_time() - started < 0.5
