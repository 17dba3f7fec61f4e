import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedloom.distill.models.structured_output import Unfit, read_answer

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 5, "minLength": 1},
        "kind": {"type": "string", "enum": ["a", "b"]},
        "score": {"type": "number", "minimum": 0, "maximum": 1},
        "parts": {
            "type": "array",
            "items": {"type": "string", "maxLength": 3},
            "minItems": 1,
            "maxItems": 2,
        },
    },
}
FITS: dict[str, object] = {"name": "x", "kind": "a", "score": 0.5, "parts": ["p"]}

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def test_a_fitting_answer_is_read():
    assert read_answer(json.dumps(FITS), SCHEMA) == FITS


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"name": ""}, "answer.name must not be empty"),
        ({"name": "   "}, "answer.name must not be empty"),
        ({"name": "toolong"}, "answer.name must have at most 5 characters"),
        ({"name": 5}, "answer.name must be a string, not something else"),
        ({"name": None}, "answer.name must be a string, not null"),
        ({"kind": "c"}, "answer.kind must be one of the given words"),
        ({"score": True}, "answer.score must be a number, not something else"),
        ({"score": "one"}, "answer.score must be a number, not string"),
        ({"score": "1.5"}, "answer.score must be from 0 to 1"),
        ({"score": 1.01}, "answer.score must be from 0 to 1"),
        ({"score": -1}, "answer.score must be from 0 to 1"),
        ({"parts": []}, "answer.parts must have 1 to 2 items, not 0"),
        ({"parts": ["a", "b", "c"]}, "answer.parts must have 1 to 2 items, not 3"),
        ({"parts": "p"}, "answer.parts must be an array, not string"),
        ({"parts": ["long"]}, "answer.parts[0] must have at most 3 characters"),
    ],
)
def test_each_misfit_is_told(change: dict[str, object], problem: str):
    with pytest.raises(Unfit) as caught:
        read_answer(json.dumps(FITS | change), SCHEMA)

    assert caught.value.problems == (problem,)


@pytest.mark.parametrize(
    "told",
    [
        json.dumps(FITS | {"more": 1, "thoughts": {"a": []}}),
        json.dumps(FITS | {"score": "0.5"}),
        json.dumps(FITS | {"score": " 0.50 "}),
        json.dumps(FITS | {"score": "0,5", "kind": " A"}),
        f"```json\n{json.dumps(FITS)}\n```",
        f"Here is the answer:\n\n```\n{json.dumps(FITS, indent=2)}\n```\nAnything else?",
        f"<think>Hm.</think>\n{json.dumps(FITS)}",
        f"Hm, a riddle.\n</think>\n{json.dumps(FITS)}",
        f"Sure! {json.dumps(FITS)} I hope this helps.",
        f"```json {json.dumps(FITS)} ```",
    ],
)
def test_what_models_add_to_a_good_answer_is_forgiven(told: str):
    assert read_answer(told, SCHEMA) == FITS


def test_a_missing_key_is_told():
    with pytest.raises(Unfit) as caught:
        read_answer('{"name": "x", "kind": "a", "score": 1}', SCHEMA)

    assert caught.value.problems == ("answer.parts is missing",)


def test_what_is_wrong_does_not_repeat_what_the_model_wrote():
    with pytest.raises(Unfit) as caught:
        read_answer(json.dumps(FITS | {"<script>": "<b>", "kind": "<i>"}), SCHEMA)

    assert "<" not in str(caught.value)


def test_the_list_of_problems_is_short():
    schema = {"type": "object", "properties": {str(n): {"type": "number"} for n in range(100)}}
    with pytest.raises(Unfit) as caught:
        read_answer("{}", schema)

    assert len(caught.value.problems) == 8


@given(anything)
def test_any_json_is_read_or_unfit(value: object):
    try:
        read = read_answer(json.dumps(value), SCHEMA)
    except Unfit:
        return
    assert set(read) == set(FITS)


@given(st.text())
def test_any_text_is_read_or_unfit(text: str):
    with pytest.raises(Unfit):
        read_answer(text, SCHEMA)


def test_a_schema_word_we_do_not_know_is_a_bug():
    with pytest.raises(NotImplementedError):
        read_answer("1", {"type": "integer"})
