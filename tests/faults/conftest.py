"""Fault tests take their time in the long form, and are bounded in both."""

import pytest

from tests.conftest import IS_LONG_RUN

LONGEST_S = 1_250 if IS_LONG_RUN else 240


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent.name == "faults":
            item.add_marker(pytest.mark.timeout(LONGEST_S))
