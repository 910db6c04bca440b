"""Attributes of chunks beside those of documents and sources."""

from __future__ import annotations

import pytest

from pincite.chunkers import chunks_of
from pincite.ingestion.attributes.of_files import Described, attributed, described_again
from pincite.ingestion.batch import ReadFile, SkippedFile
from pincite.model import (
    Attributes,
    CollectionSpec,
    Document,
    DocumentRecord,
    Section,
    Source,
)
from pincite.support.fields import replace

SPEC = CollectionSpec("main", "bm25", "chunker", attributes={"page_number": "integer"})
DOCUMENT = Document("acme", "v1", "a.md", "one two", "utf-8", "hash", "docs", "markdown", "A")
RECORD = DocumentRecord("acme", "a.md", "r1", "hash", "v1", 7, 0, 2, 2)


def source(**attributes: str | int) -> Source:
    return Source("acme", "/acme", "folder", attributes=attributes)


def sections(first: Attributes, second: Attributes) -> tuple[Section, Section]:
    return Section(0, 3, attributes=first), Section(4, 7, attributes=second)


def described(
    given: tuple[Section, ...], own: Attributes, of: Source, spec: CollectionSpec = SPEC
) -> Described:
    found = attributed(ReadFile(DOCUMENT, fields=own), given, of, spec)
    assert isinstance(found, Described)
    return found


def test_chunks_have_what_is_inherited_below_the_documents_below_their_own() -> None:
    given = sections({"page_number": 1}, {"page_number": 2, "figure": True})
    found = described(given, {"course": "ml"}, source(course="stats", term="autumn"))
    one, two = chunks_of(found.file.document, found.sections, found.file.inherited)
    assert one.attributes == {"course": "ml", "term": "autumn", "page_number": 1}
    assert two.attributes == {"course": "ml", "term": "autumn", "page_number": 2, "figure": True}
    assert found.new == {"course": "keyword", "figure": "boolean"}
    assert found.file.chunk_attributes == {"page_number", "figure"}


def test_a_name_that_chunks_have_is_no_longer_the_documents_or_the_sources() -> None:
    found = described(sections({"page_number": 1}, {}), {"page_number": 9}, source(page_number=7))
    one, two = chunks_of(found.file.document, found.sections, found.file.inherited)
    assert (one.attributes, two.attributes) == ({"page_number": 1}, {})
    assert found.file.notes == (
        "attribute_of_chunks: page_number: its chunks have values of their own",
    )


def test_a_value_that_a_source_gets_later_leaves_those_of_chunks_alone() -> None:
    record = replace(RECORD, chunk_attributes="figure\npage_number")
    fresh = described_again(record, source(page_number=7, term="autumn"), SPEC)
    assert fresh is not None
    assert fresh.inherited == {"term": "autumn"}


def test_what_is_required_is_of_whole_documents() -> None:
    spec = replace(SPEC, require=("course",))
    given = sections({"course": "ml"}, {"course": "stats"})
    found = attributed(ReadFile(DOCUMENT), given, source(), spec)
    assert found == SkippedFile("a.md", "tags_missing", "course")
    kept = described(given, {}, source(course="nets"), spec)
    assert [section.attributes for section in kept.sections] == [{}, {}]


@pytest.mark.parametrize("value", ["x", 1.5, True, 2**63])
def test_a_value_of_a_chunk_that_cannot_be_is_noted_and_left_out(value: str | float) -> None:
    found = described(sections({"page_number": value}, {"page_number": 2}), {}, source())
    assert [section.attributes for section in found.sections] == [{}, {"page_number": 2}]
    (note,) = found.file.notes
    assert note.startswith("attribute_invalid: page_number: ")
