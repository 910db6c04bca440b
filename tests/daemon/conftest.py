"""Daemons as their users start them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.forked_daemons import fork_daemons, start_daemons


@pytest.fixture(autouse=True)
def _started_daemons() -> Iterator[None]:
    start_daemons()
    yield
    fork_daemons()
