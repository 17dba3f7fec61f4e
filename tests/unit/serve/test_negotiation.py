import pytest

from feedloom.serve.negotiation import is_htmx, wants_html
from tests.unit.serve.requests_made import make_request


@pytest.mark.parametrize(
    ("headers", "html"),
    [
        ({}, False),
        ({"Accept": "*/*"}, False),
        ({"Accept": "text/*"}, False),
        ({"Accept": "application/json"}, False),
        ({"Accept": "text/html"}, True),
        ({"Accept": "TEXT/HTML;q=0.8"}, True),
        ({"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}, True),
        ({"Accept": "application/json, text/html;q=0.1"}, True),
        ({"Accept": "text/html;q=0"}, False),
        ({"Accept": "text/html;q=0.0, application/json"}, False),
        ({"Accept": "text/html-not"}, False),
        ({"HX-Request": "true"}, True),
        ({"HX-History-Restore-Request": "true", "Accept": "*/*"}, True),
        ({"HX-Request": "false"}, False),
        ({"HX-Request": "true", "Accept": "application/json"}, True),
    ],
)
def test_html_must_be_named_or_asked_for_by_htmx(headers, html):
    assert wants_html(make_request(headers=headers)) is html


def test_a_restored_history_entry_is_a_whole_page():
    restored = {"HX-Request": "true", "HX-History-Restore-Request": "true"}

    assert is_htmx(make_request(headers={"HX-Request": "true"}))
    assert not is_htmx(make_request(headers=restored))
    assert wants_html(make_request(headers=restored))
    assert not is_htmx(make_request(headers={"Accept": "text/html"}))
