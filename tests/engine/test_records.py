"""Records through the classes that programs use: what they give is what is meant."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from pincite import Pincite, UsageError

ROWS = [{"id": id_, "text": f"The scanner {id_} is slow."} for id_ in ("1", "0", "10")]


@pytest.fixture
def pincite(tmp_path: Path) -> Any:
    with Pincite(tmp_path / "index") as opened:
        assert opened.upsert(ROWS, lexical=True).written == 3
        yield opened
        opened.stop()


def test_one_id_is_one_record_and_not_one_of_each_letter(pincite: Pincite) -> None:
    assert pincite.count_records(ids="10") == pincite.count_records(ids=10) == 1
    assert pincite.delete(ids="10").deleted == 1
    assert pincite.count_records(ids=["0", 1]) == 2
    assert pincite.delete(ids=UUID(int=1)).missing == (str(UUID(int=1)),)  # type: ignore[arg-type]


@pytest.mark.parametrize("ids", [b"10", {"10": 1}, 1.5])
def test_what_is_no_id_is_refused_by_name(pincite: Pincite, ids: Any) -> None:
    with pytest.raises(UsageError, match=r"^ids is .*; it takes an id or a list of ids"):
        pincite.delete(ids=ids)
    assert pincite.count_records(ids=["1", "0", "10"]) == 3


def test_a_tag_without_a_value_deletes_nothing(pincite: Pincite) -> None:
    with pytest.raises(UsageError, match="tag 'tenant' is None"):
        pincite.delete(ids=["1"], tags={"tenant": None})
    assert pincite.count_records(ids=["1"]) == 1
