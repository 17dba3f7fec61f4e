from base64 import b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedloom.fetch.headers import (
    answer_headers,
    clean_value,
    first_headers,
    is_validator,
    travelling_headers,
)
from feedloom.model.stages import FetchRequest, Purpose

URL = "http://feeds.example/a.xml"
HOSTILE = [
    '"a\r\nX-Evil: 1"',
    '"a\nb"',
    '"\x00"',
    '"tab\tinside"',
    "x" * 1025,
    "é",
    "\udce9",
    "",
    None,
]


def sent(ask: FetchRequest, userinfo: str = "") -> dict[str, str]:
    return first_headers(ask, userinfo, "Feedloom/1 (+https://feedloom.example)")


def test_plain_request_says_who_we_are_and_what_we_read():
    headers = sent(FetchRequest(URL))

    assert headers["user-agent"] == "Feedloom/1 (+https://feedloom.example)"
    assert headers["accept"].startswith("application/atom+xml")
    assert headers["accept-encoding"] == "gzip, deflate, br, zstd"
    assert set(headers) == {"user-agent", "accept", "accept-encoding"}


def test_validators_are_sent_back_as_they_came():
    headers = sent(FetchRequest(URL, etag='W/"a b"', last_modified="Thu, 01 Jan 2026"))

    assert headers["if-none-match"] == 'W/"a b"'
    assert headers["if-modified-since"] == "Thu, 01 Jan 2026"


@pytest.mark.threat("S21")
@pytest.mark.parametrize("value", HOSTILE)
def test_hostile_validator_is_neither_kept_nor_sent(value):
    headers = sent(FetchRequest(URL, etag=value, last_modified=value))
    kept = answer_headers(
        [("ETag", value or ""), ("Last-Modified", value or "")], keep_validators=True
    )

    assert not is_validator(value)
    assert not {"if-none-match", "if-modified-since"} & set(headers)
    assert kept == {}


def test_validators_of_answers_that_are_no_document_are_dropped():
    pairs = [("ETag", '"a"'), ("Content-Type", "text/html")]

    assert answer_headers(pairs, keep_validators=False) == {"content-type": "text/html"}


def test_validator_may_be_as_long_as_a_kilobyte():
    assert is_validator("x" * 1024)


def test_values_of_answers_are_cleaned():
    pairs = [("X-Odd", "a\x01b\udcfc"), ("X-Fine", "c")]

    headers = answer_headers(pairs, keep_validators=True)

    assert headers == {"x-odd": "abü", "x-fine": "c"}


def test_user_name_and_password_become_basic_authorization():
    headers = sent(FetchRequest(URL), userinfo="ann:p%C3%A4ss%3Aword")

    assert headers["authorization"] == f"Basic {b64encode('ann:päss:word'.encode()).decode()}"


def test_user_name_alone_has_an_empty_password():
    assert sent(FetchRequest(URL), userinfo="ann")["authorization"] == (
        f"Basic {b64encode(b'ann:').decode()}"
    )


def test_callers_headers_win_over_ours():
    headers = sent(
        FetchRequest(URL, headers={"User-Agent": "Other", "Accept": "x/y", "X-Key": "k"})
    )

    assert headers["user-agent"] == "Other"
    assert headers["accept"] == "x/y"
    assert headers["x-key"] == "k"


@pytest.mark.parametrize(
    "name",
    [
        "Host",
        "Content-Length",
        "Transfer-Encoding",
        "Connection",
        "Accept-Encoding",
        "a b",
        "a\r\nb",
        "x:y",
        "",
        "é",
    ],
)
def test_headers_that_are_not_the_callers_are_dropped(name):
    headers = sent(FetchRequest(URL, headers={name: "evil"}))

    assert "evil" not in headers.values()


@pytest.mark.threat("S21", "A17")
def test_control_characters_never_leave():
    headers = sent(FetchRequest(URL, headers={"Cookie": "a=1\r\nX-Evil: 1\x00\ud800"}))

    assert headers["cookie"] == "a=1X-Evil: 1?"


@pytest.mark.threat("S14")
def test_only_harmless_headers_travel_to_another_origin():
    ask = FetchRequest(
        URL,
        etag='"e"',
        last_modified="Thu, 01 Jan 2026 00:00:00 GMT",
        headers={
            "Authorization": "Bearer secret",
            "Cookie": "secret=1",
            "X-API-Key": "secret",
            "X-Auth-Token": "secret",
            "Api-Secret": "secret",
            "Anything-Else": "secret",
            "Accept-Language": "de",
        },
    )

    headers = travelling_headers(sent(ask, userinfo="ann:secret"))

    assert "secret" not in str(headers)
    assert set(headers) == {
        "user-agent",
        "accept",
        "accept-encoding",
        "accept-language",
        "if-none-match",
        "if-modified-since",
    }


@pytest.mark.parametrize("sink", Purpose)
def test_every_purpose_says_what_it_accepts(sink):
    assert sent(FetchRequest(URL, sink=sink))["accept"]


def test_answers_have_lower_case_names_and_joined_repeats():
    pairs = [("Link", "<a>"), ("LINK", "<b>"), ("Set-Cookie", "a=1")]

    assert answer_headers(pairs, keep_validators=True) == {"link": "<a>, <b>"}


def test_of_repeats_that_are_no_list_the_first_counts():
    pairs = [("ETag", '"a"'), ("ETag", '"b"'), ("Content-Type", "a/b")]

    headers = answer_headers([*pairs, ("Content-Type", "c/d")], keep_validators=True)

    assert headers == {"etag": '"a"', "content-type": "a/b"}


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        (b"plain", "plain"),
        ("grün".encode(), "grün"),
        ("grün".encode("latin-1"), "grün"),
        (b"a\x00b\x1fc\x7f", "abc"),
        (b"tab\tstays", "tab\tstays"),
    ],
)
def test_bytes_from_the_wire_become_readable_text(raw, clean):
    assert clean_value(raw.decode("utf-8", "surrogateescape")) == clean


@given(st.text())
def test_cleaned_text_can_be_stored_and_sent(text):
    clean = clean_value(text)

    assert clean.encode().decode() == clean
    assert not set(clean) & set(map(chr, [*range(9), *range(10, 32), 127]))
    assert clean_value(clean) == clean
