"""Canaries that really listen, in a network of their own: none hears anything."""

import json
import subprocess
import sys

import pytest

pytestmark = [pytest.mark.faults, pytest.mark.threat("S1", "S2", "S3", "S4", "S9")]


def test_no_canary_that_listens_hears_from_the_guarded_client(counts):
    ran = subprocess.run(
        [sys.executable, "-m", "tests.journeys.fetch.canary_lab"],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    seen = json.loads(ran.stdout)

    counts(
        "address guard among listening canaries",
        canaries=len(seen["canaries"]),
        tries=seen["tries"],
        by_redirect=seen["redirects"],
        reached=len(seen["reached"]),
    )
    assert sorted(seen["control"]) == sorted(seen["canaries"])
    assert {"127.0.0.1", "::1"} <= set(seen["canaries"])
    assert seen["tries"] > 1000
    assert seen["reached"] == []
