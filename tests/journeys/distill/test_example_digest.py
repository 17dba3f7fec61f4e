"""The example in the documentation is what the program writes."""

from tools import evaluate_digest as evaluation
from tools.example_digest import PAGE, page


def test_the_example_of_a_digest_is_up_to_date():
    made = page()

    assert made == PAGE.read_text("utf-8"), "python -m tools.example_digest"
    assert "300 invented articles in 40 feeds" in made


def test_the_figures_of_the_evaluation_are_what_the_program_does():
    assert evaluation.page() == evaluation.PAGE.read_text("utf-8")
