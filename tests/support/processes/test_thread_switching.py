"""The switch interval is shorter in a block, and as before after the last of several."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from pincite.support.processes.thread_switching import frequent_switches


@pytest.fixture(autouse=True)
def _interval() -> Iterator[None]:
    before_s = sys.getswitchinterval()
    yield
    sys.setswitchinterval(before_s)


def test_the_interval_is_restored_after_the_last_of_overlapping_blocks() -> None:
    sys.setswitchinterval(0.004)
    first, second = ExitStack(), ExitStack()
    first.enter_context(frequent_switches())
    second.enter_context(frequent_switches())
    first.close()
    assert sys.getswitchinterval() < 0.001
    second.close()
    assert sys.getswitchinterval() == pytest.approx(0.004, abs=2e-6)


def test_an_interval_that_is_shorter_is_kept() -> None:
    sys.setswitchinterval(0.0001)
    with frequent_switches():
        assert sys.getswitchinterval() == pytest.approx(0.0001, abs=2e-6)
