"""Files that would become too much in the index fail alone, and say of what."""

from __future__ import annotations

from pincite.ingestion.size_limits import MOST_CHUNKS, excess_of
from tests.builders import chunk


def test_a_usual_file_has_no_excess() -> None:
    assert excess_of([], 0) == ""
    assert excess_of([chunk(attributes={"course": "ml"})] * MOST_CHUNKS, 0) == ""


def test_too_many_chunks_are_counted() -> None:
    assert excess_of([chunk()] * (MOST_CHUNKS + 1), 0) == "100,001 chunks; at most 100,000"


def test_fewer_chunks_fit_with_larger_vectors() -> None:
    """A message has 512 MB; each number of a vector takes four bytes."""
    assert excess_of([chunk()] * 80_000, 384) == ""
    assert excess_of([chunk()] * 80_000, 1_536) == "80,000 chunks; at most 46,274"


def test_attributes_count_once_for_each_chunk_also_if_these_share_them() -> None:
    shared = {"k": "v" * 30_000}
    many = [chunk(attributes=shared)] * 4_000
    assert "120,0" in excess_of(many, 0)
    assert excess_of(many[:3_000], 0) == ""
    apart = [chunk(attributes={"k": str(number) * 30_000}) for number in range(4)] * 1_000
    assert "characters of attributes" in excess_of(apart, 0)
