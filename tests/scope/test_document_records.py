"""A record tells whether a filter matches its document, or that only the chunks know."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pincite.model import DocumentRecord
from pincite.model.attribute_types import AttributeType
from pincite.ports import AnyOf, Condition, Filter, Ids, Prefix, Range
from pincite.scope.document_records import matches_record, within_document
from pincite.support.fields import replace
from tests.small_search import make

TYPES: dict[str, AttributeType] = {"team": "keyword", "year": "integer", "page": "keyword"}
SPEC = replace(asyncio.run(make(None, {})).spec, attributes=TYPES)
OWN: dict[str, Any] = {"attributes": {"year": 2024}, "inherited": {"team": "a"}}
RECORD = DocumentRecord(
    *("acme", "docs/a.md", "r1", "0" * 64, "c0ffee", 1, 1, 3, 9),
    source_type="code",
    chunk_attributes="page",
    **OWN,
)
YES, NO = AnyOf("repo", ("acme",)), AnyOf("repo", ("other",))
OPEN = AnyOf("symbols", ("f",))


@pytest.mark.parametrize(
    ("condition", "held"),
    [
        (YES, True),
        (NO, False),
        (AnyOf("revision", ("r0", "r1")), True),
        (AnyOf("source_type", ("docs",)), False),
        (Prefix("path", "docs/"), True),
        (AnyOf("team", ("a",)), True),
        (Range("year", gt=2024), False),
        (AnyOf("page", ("1",)), None),
        (AnyOf("unknown", ("1",)), None),
        (Range("start_line", lte=3), None),
        (OPEN, None),
        (Ids(("x",)), None),
        (Ids(()), False),
    ],
)
def test_a_condition_holds_for_all_chunks_for_none_or_that_is_open(
    condition: Condition, held: bool | None
) -> None:
    assert matches_record(Filter(must=(condition,)), RECORD, SPEC) is held
    assert matches_record(Filter(should=(condition,)), RECORD, SPEC) is held
    opposite = None if held is None else not held
    assert matches_record(Filter(must_not=(condition,)), RECORD, SPEC) is opposite


@pytest.mark.parametrize(
    ("filter_", "held"),
    [
        (Filter(), True),
        (Filter(must=(OPEN, NO)), False),
        (Filter(must=(YES, OPEN)), None),
        (Filter(must=(OPEN,), must_not=(YES,)), False),
        (Filter(should=(NO, OPEN)), None),
        (Filter(should=(OPEN, YES)), True),
        (Filter(must=(OPEN,), should=(NO,)), False),
    ],
)
def test_what_is_known_decides_before_what_is_open(filter_: Filter, held: bool | None) -> None:
    assert matches_record(filter_, RECORD, SPEC) is held


def test_within_a_document_its_revision_is_not_asked_for() -> None:
    revision, ids = Prefix("revision", "r"), Ids(("x",))
    for name in ("must", "must_not", "should"):
        given: dict[str, Any] = {name: (revision, ids, OPEN)}
        assert within_document(Filter(**given)) == Filter(**{name: (ids, OPEN)})
        assert within_document(Filter(**{name: (revision,)})) == Filter()
    assert within_document(Filter((OPEN,), (ids,), (YES,))) == Filter((OPEN,), (ids,), (YES,))
