import re
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedloom.distill.offline.digests import offline_digest
from feedloom.distill.offline.summaries import extractive_summary
from feedloom.distill.offline.support import is_proven
from feedloom.distill.offline.tags import TAGS, chosen_tags, find_tags
from feedloom.distill.offline.vectors import likeness, vectors
from feedloom.distill.offline.words import sentences, stem, terms, whole_sentences
from feedloom.markup import to_text
from feedloom.model.distilled.requests import DigestArticle, Part
from tests.unit.distill.day import stories, whole_day
from tests.unit.distill.doubles import NOON, day_articles


class TestWords:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("One. Two! Three?", ["One.", "Two!", "Three?"]),
            ("Dr. Roe came. She left.", ["Dr. Roe came.", "She left."]),
            ("The U.S. Army came. It left.", ["The U.S. Army came.", "It left."]),
            ("Am 3. Mai war es kalt. Dann nicht.", ["Am 3. Mai war es kalt.", "Dann nicht."]),
            ("Das ist z. B. so. Gut.", ["Das ist z. B. so.", "Gut."]),
            ("He won in 2:06:41. About 18 ran.", ["He won in 2:06:41.", "About 18 ran."]),
            ("“It works.” He left.", ["“It works.”", "He left."]),
            ("Prices rose 3.5 percent.", ["Prices rose 3.5 percent."]),
            ("no end", ["no end"]),
            ("A heading\nOne. Two.\nCell", ["A heading", "One.", "Two.", "Cell"]),
            ("", []),
        ],
    )
    def test_sentences_end_where_they_end(self, text: str, expected: list[str]):
        assert sentences(text) == expected

    def test_headings_cells_and_torn_lines_are_no_whole_sentences(self):
        text = "Prices\nBread\n2.10\nBread rose. Milk fell!\nIt was cut\nby a break."

        assert whole_sentences(text) == ["Bread rose.", "Milk fell!"]

    @given(st.text())
    def test_splitting_loses_no_words(self, text: str):
        assert " ".join(sentences(text)).split() == text.split()

    def test_inflected_words_have_one_stem(self):
        assert stem("regierungen") == stem("regierung")
        assert stem("rates") == stem("rate")

    def test_terms_leave_out_small_words(self):
        assert terms("The bridge and der Fluss") == ["bridg", "flus"]


class TestGroups:
    def test_like_texts_are_near_and_others_are_not(self):
        near, also, far = vectors(
            [terms("bank raises key rate"), terms("key rate raised by bank"), terms("storks nest")]
        )

        assert likeness(near, also) > 0.9
        assert likeness(near, far) == 0


class TestDigest:
    def test_the_same_key_belongs_together_whatever_it_says(self):
        told = "{} was the subject of a long and quiet meeting on Monday."
        one, other = (
            replace(a, title=word, excerpt=told.format(word), cluster_key="same")
            for a, word in zip(stories()[0], ("Herons", "Ledgers"), strict=False)
        )
        digest = offline_digest([one, other], "en")

        assert set(digest.paragraphs[0].article_ids) == {one.id, other.id}

    def test_stories_of_several_sources_are_found(self):
        day = whole_day(82)
        digest = offline_digest(day, "en")
        told_by = {a.id: n for n, story in enumerate(stories()) for a in story}
        mixed = [
            p.text for p in digest.paragraphs[:4] if len({told_by.get(i) for i in p.citations}) != 1
        ]

        assert mixed == []
        assert any("water bill" in p.text for p in digest.paragraphs[:2])

    def test_a_day_becomes_a_dozen_items_in_sections(self):
        digest = offline_digest(whole_day(), "en", ("politics", "sports", "science"))
        sections = [p.section for p in digest.paragraphs]

        assert len(digest.paragraphs) == 12
        assert digest.article_count == 300
        assert len(set(sections)) > 1
        assert sections == sorted(sections, key=sections.index)

    def test_folders_are_sections_where_there_are_any(self):
        day = [
            replace(a, section=f"Folder {n}" if n < 2 else "")
            for n, story in enumerate(stories())
            for a in story
        ]
        digest = offline_digest(day, "en", ("politics", "sports"))

        assert {p.section for p in digest.paragraphs} == {"Folder 0", "Folder 1", "News"}

    def test_an_item_names_each_source_once_and_has_a_headline(self):
        day = {a.id: a for a in whole_day(82)}
        digest = offline_digest(list(day.values()), "en")
        for paragraph in digest.paragraphs:
            named = [day[i].source for i in paragraph.source_ids]

            assert len(named) == len(set(named)) >= 1
            assert paragraph.headline is not None
            assert paragraph.headline.text == day[paragraph.headline.article_ids[0]].title

    def test_a_calm_title_stands_in_the_place_of_the_title_where_the_text_supports_it(self):
        loud = "WATCH: Parliament PASSES water bill!!"
        one = replace(stories()[0][0], title=loud, calm_title="Parliament passes water bill!")
        other = replace(stories()[1][0], calm_title="Nobody was hurt in Lisbon")
        told = {
            p.headline.text for p in offline_digest([one, other], "en").paragraphs if p.headline
        }

        assert told == {"Parliament passes water bill!", stories()[1][0].title}

    def test_no_sentence_is_told_twice(self):
        digest = offline_digest(whole_day(), "en")
        told = Counter(claim.text for p in digest.paragraphs for claim in p.claims)

        assert told.most_common(1)[0][1] == 1

    def test_a_story_of_several_sources_is_told_by_two(self):
        digest = offline_digest(whole_day(82), "en")

        assert all(len(p.citations) >= 2 for p in digest.paragraphs if len(p.source_ids) > 1)

    def test_every_sentence_and_headline_carries_the_words_it_rests_on(self):
        day = {a.id: a for a in whole_day()}
        for paragraph in offline_digest(list(day.values()), "en").paragraphs:
            for claim in paragraph.told:
                assert claim.evidence
                assert is_proven(claim)
                for one in claim.evidence:
                    cited = day[one.article_id]
                    text = cited.title if one.part is Part.TITLE else cited.excerpt
                    assert text[one.start :].startswith(one.words)

    def test_it_says_that_it_was_made_offline(self):
        assert "without a language model" in offline_digest(day_articles(), "en").note
        assert "ohne Sprachmodell" in offline_digest(day_articles(), "de").note
        assert offline_digest(day_articles(), "en").model == "offline-1"

    def test_the_order_of_the_articles_does_not_matter(self):
        day = whole_day(120)

        assert offline_digest(day, "en") == offline_digest(day[::-1], "en")

    def test_an_agency_text_in_three_papers_is_told_once_and_cites_all(self):
        text = "The bridge over the river was closed on Monday because of cracks."
        copies = [
            DigestArticle(n, "Bridge closed because of cracks", f"Paper {n}", NOON, text, "u")
            for n in (1, 2, 3)
        ]
        digest = offline_digest(copies, "en")

        assert [p.text for p in digest.paragraphs] == [text]
        assert set(digest.article_ids) == {1, 2, 3}

    def test_articles_without_excerpts_are_told_by_their_titles(self):
        bare = [replace(a, excerpt="") for story in stories() for a in story]
        digest = offline_digest(bare, "en")

        assert digest.paragraphs
        assert all(p.headline and len(p.source_ids) > 1 for p in digest.paragraphs)

    @pytest.mark.parametrize(
        ("source", "titles"),
        [
            ("BBC News: Science", ("Rocket lands", "Whales return", "Glacier melts")),
            ("World News of the Times", ("Ship Sinks", "Pope Dies", "Mali Coup")),
            ("Release notes from django", ("Django 5.2.1", "Django 5.2.2", "v4.1")),
            ("HN", ("Go 1.23", "AI is up")),
            ("知乎", ("热榜", "股市大涨")),
            ("朝日新聞", ("地震", "大雨", "選挙")),
        ],
    )
    def test_short_titles_of_one_source_are_all_told(self, source: str, titles: tuple[str, ...]):
        bare = [
            DigestArticle(n, title, source, NOON, "", f"u{n}") for n, title in enumerate(titles)
        ]
        told = {p.headline.text for p in offline_digest(bare, "en").paragraphs if p.headline}

        assert told == set(titles)

    def test_the_same_title_of_the_same_source_is_told_once(self):
        bare = [DigestArticle(n, "Up", "HN", NOON, "", f"u{n}") for n in (1, 2)]
        digest = offline_digest(bare, "en")

        assert [p.headline and p.headline.text for p in digest.paragraphs] == ["Up"]
        assert digest.left_out.repeats == 1

    def test_what_says_nothing_beside_its_title_is_left_out_and_counted(self):
        said = "The rocket that lands on ships was built for the harbour of Bremen."
        posts = [
            DigestArticle(1, "Rocket lands", "City", NOON, "Comments", "u1"),
            DigestArticle(2, "Bremen", "City", NOON, said, "u2"),
        ]
        digest = offline_digest(posts, "en")

        assert [p.text for p in digest.paragraphs] == [said]
        assert digest.left_out.near_empty == 1

    def test_cut_sentences_and_noise_are_not_quoted(self):
        noisy = [
            replace(
                a,
                excerpt="Read more about this on our website by clicking here now. "
                "Sign up for our newsletter to receive all the latest news. "
                "The text ends in the middle of a sen",
            )
            for a in day_articles(4)
        ]
        told = " ".join(p.text for p in offline_digest(noisy, "en").paragraphs)

        assert not re.search(r"newsletter|Read more|sen\b", told)

    def test_tables_lists_and_headings_are_not_run_into_sentences(self):
        table = to_text(
            "<h2>Results of the third round</h2><table><tr><th>Club<th>Points</tr>"
            "<tr><td>Northern Rovers<td>12</tr></table><ul><li>Next round in May</ul>"
            "<p>Northern Rovers lead the league after a draw in the rain on Sunday.</p>"
        )
        one = replace(stories()[0][0], excerpt=table)

        told = offline_digest([one], "en").paragraphs[0].text

        assert told.startswith("Northern Rovers lead the league")
        assert not re.search(r"Club|12|third round|Next round", told)

    @pytest.mark.parametrize("count", [0, 1])
    def test_little_is_told_of_little(self, count: int):
        digest = offline_digest(day_articles(count), "en")

        assert len(digest.paragraphs) == count

    @given(st.lists(st.tuples(st.text(max_size=80), st.text(max_size=200)), max_size=12))
    def test_any_articles_make_a_digest_without_repeats(self, texts: list[tuple[str, str]]):
        articles = [
            DigestArticle(n, title, "S", NOON, excerpt, f"https://x.example/{n}")
            for n, (title, excerpt) in enumerate(texts)
        ]
        digest = offline_digest(articles, "en")
        told = [claim.text for p in digest.paragraphs for claim in p.claims]

        assert len(told) == len(set(told))
        assert len(digest.paragraphs) <= 12


class TestSummary:
    TEXT = (
        "SQLite is a database that keeps everything in one file. "
        "It needs no server, and a copy of the file is a backup. "
        "The weather was fine when we wrote this. "
        "Many sites run their database on SQLite because a file is easy to look after. "
        "Lunch was soup. "
    )

    def test_two_or_three_telling_sentences_are_taken_in_their_order(self):
        summary = extractive_summary("SQLite as a database", self.TEXT, "")
        picked = sentences(summary)

        assert len(picked) == 2
        assert [self.TEXT.index(s) for s in picked] == sorted(self.TEXT.index(s) for s in picked)
        assert "weather" not in summary

    def test_a_long_page_gives_three(self):
        text = " ".join(
            f"Fact {word} about databases is told here at some length." for word in "abcdefghijklmn"
        )

        assert 1 <= len(sentences(extractive_summary("Databases", text, ""))) <= 3

    def test_cells_of_a_table_are_not_taken_for_sentences(self):
        rows = "\n".join(f"Database engine of a page number {n}" for n in range(20))
        text = f"{rows}\nSQLite is a database that keeps everything in one file."

        assert extractive_summary("Database engines", text, "") == (
            "SQLite is a database that keeps everything in one file."
        )

    def test_a_page_without_sentences_gives_its_description(self):
        assert extractive_summary("t", "short", "What it is about.") == "What it is about."
        assert extractive_summary("t", "", "") == ""


class TestTags:
    def test_there_are_about_150_tags(self):
        assert 130 <= len(TAGS) <= 180
        assert list(TAGS) == sorted(TAGS)

    def test_tags_come_from_the_vocabulary(self):
        tags = find_tags(
            "A guide to PostgreSQL indexes",
            "The database uses an index for every query. SQL and Postgres work together.",
            (),
        )

        assert "databases" in tags
        assert set(tags) <= set(TAGS)
        assert len(tags) <= 5

    def test_a_persons_own_tag_is_preferred(self):
        tags = find_tags("Notes on Zettelkasten", "A zettelkasten holds notes.", ("Zettelkasten",))

        assert tags[0] == "zettelkasten"

    def test_words_of_the_page_are_the_last_resort(self):
        tags = find_tags("Falconry", "Falconry is old. Falconry needs falcons.", ())

        assert tags == ("falconry",)

    def test_nothing_gives_no_tags(self):
        assert find_tags("", "", ()) == ()

    def test_a_models_tags_are_shaped(self):
        assert chosen_tags(["<b>Data</b>", "AI", "ai", "x" * 90], ()) == (
            "ai",
            "b data b",
            "x" * 40,
        )
