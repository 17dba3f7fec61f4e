"""What a child process answers arrives as it was, for every document of the corpus."""

import msgspec
import pytest

from feedloom.flow.refresh.documents import Reply, Request, answer
from feedloom.model.stages import Known
from feedloom.parse import FeedParser
from tests.corpus.feeds import CASES, NOW, URL, Case
from tests.corpus.feeds.archives import KINDS, archive

NOTHING = Known({}, frozenset())


@pytest.fixture(scope="module")
def parser() -> FeedParser:
    return FeedParser()


def sent(request: Request) -> Request:
    return msgspec.msgpack.decode(msgspec.msgpack.encode(request), type=Request)


def replied(reply: Reply) -> Reply:
    return msgspec.msgpack.decode(msgspec.msgpack.encode(reply), type=Reply)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_each_document_and_its_articles_arrive_as_they_were(parser: FeedParser, case: Case):
    request = Request(case.body, URL, case.content_type, NOTHING, NOW)

    reply = answer(parser, request)

    assert sent(request) == request
    assert replied(reply) == reply


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_known_is_not_sent_again(parser: FeedParser, kind: str):
    body = archive(kind, 3, size=1_000)
    first = answer(parser, Request(body, URL, "", NOTHING, NOW))
    hashes = {one.guid_hash: one.content_hash for one in first.articles}

    known = Request(body, URL, "", Known(hashes, frozenset({"gone"})), NOW)
    again = answer(parser, sent(known))

    assert len(first.articles) == 3
    assert again.feed is not None
    assert (len(again.feed.entries), again.articles) == (3, ())
