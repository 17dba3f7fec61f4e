"""A model's text in; a value that fits the schema out, or what is wrong with it.

Knows the part of JSON Schema our tasks use. What models add to a good answer is
forgiven: keys nobody asked for, numbers as text, code blocks and words around them. The
rest is read strictly: no NaN, no booleans as numbers, no repeated keys, nothing missing.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

_NUMBER = re.compile(r"-?\d{1,9}(?:\.\d{1,9})?")
_MOST_PROBLEMS = 8
_KINDS: dict[str, tuple[Any, str]] = {
    "object": (dict, "an object"),
    "array": (list, "an array"),
    "string": (str, "a string"),
    "number": (int | float, "a number"),
}
_NAMES = {dict: "object", list: "array", str: "string", type(None): "null"}


class Unfit(Exception):
    """The text is no JSON document, or one that does not fit; says what is wrong."""

    def __init__(self, *problems: str) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


def read_answer(text: str, schema: Mapping[str, object]) -> Mapping[str, object]:
    """Read a model's text as a value of the schema; raise ``Unfit``."""
    value = _forgiven(_read_json(_without_wrapping(text)), schema)
    problems = []
    for problem in _violations(value, schema, "answer"):
        problems.append(problem)
        if len(problems) == _MOST_PROBLEMS:
            break
    if problems:
        raise Unfit(*problems)
    return cast("Mapping[str, object]", value)


def _without_wrapping(text: str) -> str:
    # Local models think aloud, put their JSON into a code block and talk around it,
    # whatever they are told; none of this says anything about the answer itself.
    thought, _, rest = text.partition("</think>")
    if rest and ("{" not in thought or thought.lstrip().startswith("<think>")):
        text = rest
    start, end = text.find("{"), text.rfind("}")
    is_list = text.lstrip().startswith("[")
    return text if is_list or not 0 <= start < end else text[start : end + 1]


def _forgiven(value: object, schema: Mapping[str, object]) -> object:
    """Return a value without unknown keys, and with numbers and words as they should be."""
    if isinstance(value, dict) and schema["type"] == "object":
        parts = cast("Mapping[str, Mapping[str, object]]", schema["properties"])
        return {k: _forgiven(v, parts[k]) for k, v in value.items() if k in parts}
    if isinstance(value, list) and schema["type"] == "array":
        items = cast("Mapping[str, object]", schema["items"])
        return [_forgiven(item, items) for item in value]
    if isinstance(value, str) and schema["type"] == "number":
        number = value.strip().replace(",", ".")
        return float(number) if _NUMBER.fullmatch(number) else value
    if isinstance(value, str) and "enum" in schema:
        choices = cast("list[str]", schema["enum"])
        told = value.strip().casefold()
        return next((word for word in choices if word.casefold() == told), value)
    return value


def _read_json(text: str) -> object:
    if not text.strip():
        raise Unfit("the answer is empty")
    try:
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_refuse_repeats)
    except (ValueError, RecursionError) as error:
        raise Unfit("the answer is not one JSON document") from error


def _refuse_constant(name: str) -> float:
    raise Unfit(f"{name} is not a number")


def _refuse_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Unfit("a key is given twice")
    return found


def _violations(value: object, schema: Mapping[str, object], at: str) -> Iterator[str]:
    wanted = str(schema["type"])
    if wanted not in _KINDS:
        raise NotImplementedError(wanted)
    kind, name = _KINDS[wanted]
    if not isinstance(value, kind) or isinstance(value, bool):
        yield f"{at} must be {name}, not {_name(value)}"
    elif isinstance(value, dict):
        parts = cast("Mapping[str, Mapping[str, object]]", schema["properties"])
        for key, part in parts.items():
            if key in value:
                yield from _violations(value[key], part, f"{at}.{key}")
            else:
                yield f"{at}.{key} is missing"
    elif isinstance(value, list):
        yield from _array_violations(value, schema, at)
    elif isinstance(value, str):
        yield from _string_violations(value, schema, at)
    else:
        low = cast("float", schema.get("minimum", -math.inf))
        high = cast("float", schema.get("maximum", math.inf))
        if not low <= cast("float", value) <= high:
            yield f"{at} must be from {low} to {high}"


def _array_violations(value: list[object], schema: Mapping[str, object], at: str) -> Iterator[str]:
    low, high = cast("int", schema.get("minItems", 0)), schema.get("maxItems")
    if len(value) < low or (isinstance(high, int) and len(value) > high):
        yield f"{at} must have {low} to {high} items, not {len(value)}"
        return
    items = cast("Mapping[str, object]", schema["items"])
    for number, item in enumerate(value):
        yield from _violations(item, items, f"{at}[{number}]")


def _string_violations(value: str, schema: Mapping[str, object], at: str) -> Iterator[str]:
    choices = cast("list[str] | None", schema.get("enum"))
    if choices is not None and value not in choices:
        yield f"{at} must be one of the given words"
    longest = schema.get("maxLength")
    if isinstance(longest, int) and len(value) > longest:
        yield f"{at} must have at most {longest} characters"
    if schema.get("minLength") and not value.strip():
        yield f"{at} must not be empty"


def _name(value: object) -> str:
    return _NAMES.get(type(value), "something else")
