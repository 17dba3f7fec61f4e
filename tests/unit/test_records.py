from dataclasses import field, replace

from feedloom.records import record


@record
class Point:
    x: int
    y: int = 0
    names: tuple[str, ...] = field(default=(), repr=False)


def test_records_are_compared_by_their_fields_and_are_keys():
    assert Point(1, 2) == Point(1, y=2)
    assert Point(1) != Point(2)
    assert {Point(1): "one"}[Point(1)] == "one"


def test_a_changed_copy_leaves_the_first_as_it_was():
    first = Point(1, 2)

    moved = replace(first, x=5)

    assert (moved.x, moved.y) == (5, 2)
    assert first == Point(1, 2)


def test_records_hold_their_fields_and_nothing_else():
    assert not hasattr(Point(1), "__dict__")


def test_assigning_is_refused_by_the_type_checker():
    point = Point(1)

    # Were it allowed, nobody would need to be told to overlook it, and `make check`
    # would say so.
    point.x = 2  # type: ignore[misc] # refused, as it should be

    assert point.x == 2, "at run time nothing stops it"
