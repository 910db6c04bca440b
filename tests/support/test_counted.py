"""One thing is singular."""

from __future__ import annotations

import pytest

from pincite.support.counted import counted


@pytest.mark.parametrize(
    ("count", "said"), [(0, "0 files"), (1, "1 file"), (2, "2 files"), (12_000, "12,000 files")]
)
def test_a_count_has_its_noun(count: int, said: str) -> None:
    assert counted(count, "file") == said
