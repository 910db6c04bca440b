"""Files that would become too much in the index fail alone, and say of what."""

from __future__ import annotations

from pincite.chunkers.limits import MOST_SECTIONS
from pincite.ingestion.size_limits import excess_of_attributes, excess_of_count
from tests.builders import chunk


def test_a_usual_file_has_no_excess() -> None:
    assert excess_of_count(MOST_SECTIONS, 0) == ""
    assert excess_of_attributes([chunk(attributes={"course": "ml"})] * MOST_SECTIONS) == ""


def test_too_many_chunks_are_counted() -> None:
    assert excess_of_count(MOST_SECTIONS + 1, 0) == "100,001 chunks; at most 100,000"


def test_fewer_chunks_fit_with_larger_vectors() -> None:
    """A message has 512 MB; each number of a vector takes four bytes."""
    assert excess_of_count(80_000, 384) == ""
    assert excess_of_count(80_000, 1_536) == "80,000 chunks; at most 46,274"


def test_attributes_count_once_for_each_chunk_also_if_these_share_them() -> None:
    shared = {"k": "v" * 30_000}
    many = [chunk(attributes=shared)] * 4_000
    assert "120,0" in excess_of_attributes(many)
    assert excess_of_attributes(many[:3_000]) == ""
    apart = [chunk(attributes={"k": str(number) * 30_000}) for number in range(4)] * 1_000
    assert "characters of attributes" in excess_of_attributes(apart)
