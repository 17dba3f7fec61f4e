"""What was built at the start is passed over by the collector of cycles."""

import gc

from feedloom.app import settle_memory


def test_what_is_there_is_passed_over_and_what_comes_later_is_not():
    thresholds = gc.get_threshold()
    settle_memory()
    gc.set_threshold(*thresholds)
    settled = gc.get_freeze_count()
    later: list[list[int]] = [[] for _ in range(1_000)]
    looked_through = len(gc.get_objects())
    gc.unfreeze()

    assert settled > 10_000
    assert len(later) <= looked_through < settled
