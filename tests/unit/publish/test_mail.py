"""What publishers and strangers write stays in its place of a mail."""

from datetime import UTC, datetime
from email import message_from_bytes, policy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedloom.model.distilled.digests import CitedArticle, Summary
from feedloom.model.distilled.requests import Claim, DigestParagraph
from feedloom.model.errors import MailRefused
from feedloom.publish import digest_html, digest_mail

NOW = datetime(2026, 1, 1, tzinfo=UTC)
HEADERS = [
    *("From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "List-Unsubscribe"),
    *("List-Unsubscribe-Post", "MIME-Version", "Content-Type", "Content-Language"),
]
PARTS = (
    *("=?utf-8?q?", "=?utf-8?b?", "?=", "=0d=0aBcc:_eve@e.example", "DQpCY2M6IGV2ZUBlLmV4YW1wbGU="),
    *("=?utf-8?q?=80?=", "=?utf-16?b?//4=?=", "=?x?q?a?=", "\r\nX: y", "\u2028", "\x01", ":", "é"),
)
headlines = st.lists(st.sampled_from(PARTS) | st.text(max_size=90), max_size=8).map("".join)


def mailed(headline: str, to: str = "ada@example.org") -> bytes:
    paragraph = DigestParagraph((Claim("Told.", (1,)),), headline, Claim(headline, (1,)), (1,))
    article = CitedArticle(1, headline, headline, "https://a.example/", NOW)
    return digest_mail(
        Summary(1, "", (paragraph,), (article,), 1, "offline-1", "", NOW),
        sender="Feedloom <feeds@example.org>",
        to=to,
        message_id="<1@example.org>",
        page_url="https://feeds.example/digest/1",
        stop_url="https://feeds.example/mail/stop/1/x",
    )


@pytest.mark.threat("A17")
@given(headline=headlines)
def test_no_headline_writes_a_header_of_a_mail(headline):
    read = message_from_bytes(mailed(headline), policy=policy.default)

    assert read.keys() == HEADERS
    assert read["Subject"].strip().startswith("Your digest")


@pytest.mark.threat("A17")
@pytest.mark.parametrize(
    "to",
    [
        "=?utf-8?q?=0d=0abcc:_eve=40e.example?=@e.example",
        "ada@example.org,eve@e.example",
        "ada@example.org\r\nBcc: eve@e.example",
        "a:b;@e.example",
        "<a>@e.example",
        "`:;.@e.example",
        "(\\@e.example",
        "a..b@e.example",
        "é@e.example",
        "a@é.example",
        "",
    ],
)
def test_odd_addresses_get_no_mail(to):
    with pytest.raises(MailRefused):
        mailed("A vote", to)


def test_all_sources_are_counted_and_the_first_ones_named():
    cited = tuple(CitedArticle(n, "T", f"Paper {n}", f"https://a.example/{n}", NOW)
                  for n in range(1, 15))  # fmt: skip
    told = DigestParagraph((Claim("Told.", (1,)),), source_ids=tuple(one.item_no for one in cited))
    html = digest_html(Summary(1, "", (told,), cited, 14, "offline-1", "", NOW))

    assert "Sources (14): " in html
    assert "Paper 12</a>, …" in html
