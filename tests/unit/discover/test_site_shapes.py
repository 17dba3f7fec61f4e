"""Every shape of the corpus, run through the engine in memory."""

import random
from collections import Counter

import pytest

from feedloom.discover.scores import WEIGHTS
from feedloom.model.stages import Ending
from tests.corpus.sites import Shape, load_shapes
from tests.unit.discover.memory_web import BASES, NOW, MemoryWeb, run

SHAPES = load_shapes()
every_shape = pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)


def test_there_are_at_least_eighty_shapes_with_names_of_their_own():
    names = Counter(shape.name for shape in SHAPES)

    assert len(SHAPES) >= 80
    assert [name for name, count in names.items() if count > 1] == []


@every_shape
def test_the_canonical_feed_is_the_right_one(shape: Shape):
    web = MemoryWeb(shape)

    found = run(web)

    assert found.complete
    assert (found.canonical.url if found.canonical else None) == web.served.canonical
    assert found.ending is Ending(shape.ending)


@every_shape
def test_the_choice_is_explained_by_reasons_that_add_up(shape: Shape):
    found = run(MemoryWeb(shape))

    for one in found.candidates:
        assert one.score == sum(one.reasons.values())
        assert set(one.reasons) <= set(WEIGHTS)
        assert one.valid is (one.origin.value in one.reasons)
        assert one.valid is (one.error is None)
    if found.canonical:
        assert found.canonical.origin == shape.origin


@every_shape
def test_no_discovery_makes_more_than_25_requests(shape: Shape):
    web = MemoryWeb(shape)

    found = run(web)

    assert len(web.requests) <= 25
    assert len(web.requests) == found.requests
    assert len(set(web.requests)) >= len(found.tried)


@pytest.mark.parametrize("shape", [s for s in SHAPES if s.requests], ids=lambda shape: shape.name)
def test_no_request_is_made_that_is_not_needed(shape: Shape):
    assert run(MemoryWeb(shape)).requests == shape.requests


@pytest.mark.parametrize(
    "shape", [s for s in SHAPES if s.ending != "found"], ids=lambda shape: shape.name
)
def test_a_site_without_a_feed_costs_twelve_requests_at_most(shape: Shape):
    assert run(MemoryWeb(shape)).requests <= 12


@every_shape
def test_the_order_of_answers_does_not_matter(shape: Shape):
    first = run(MemoryWeb(shape))
    dice = random.Random(shape.name)

    again = run(MemoryWeb(shape), choose=lambda open_: open_.pop(dice.randrange(len(open_))))
    alone = run(MemoryWeb(shape), at_once=1)

    assert again == first
    assert alone == first


@pytest.mark.parametrize("shape", [s for s in SHAPES if s.also], ids=lambda shape: shape.name)
def test_the_other_feeds_of_a_site_are_offered_too(shape: Shape):
    found = run(MemoryWeb(shape))

    valid = {one.url for one in found.candidates if one.valid}
    assert {
        url.replace("{base0}", BASES[0]).replace("{base1}", BASES[1]) for url in shape.also
    } <= valid


def test_every_shape_can_be_served_anywhere():
    bases = ("http://127.0.0.1:8001", "http://127.0.0.2:8002")

    for shape in SHAPES:
        served = shape.served(bases, NOW)
        texts = [served.pasted, served.canonical or ""]
        texts += [str(answer.body) for host in served.hosts for answer in host.values()]
        assert not [text for text in texts if "{base" in text or "{host" in text]
